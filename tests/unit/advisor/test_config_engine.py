"""Which engine answers: in the project file, as an option, and in the job for spark-submit."""

from pathlib import Path
from typing import get_args

import pytest

from evaluation.engines import ENGINES
from evaluation.running.job import EngineName, Job, TrinoConnection, read_job, write_job
from tests.unit.advisor.project_files import error, load
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, RefusalsError
from workloads.workload import Workload

TRINO = 'engine = "trino"\n[evaluate.trino]\nurl = "http://127.0.0.1:8080"\n'


def test_ours_is_the_engine_unless_another_is_named(tmp_path: Path):
    assert load(tmp_path).evaluate.engine == "fragments"
    assert load(tmp_path, {"evaluate": {"engine": "spark-native"}}).evaluate.engine == (
        "spark-native"
    )


def test_an_unknown_engine_is_an_error(tmp_path: Path):
    assert "[evaluate].engine = 'spark'" in error(tmp_path, {"evaluate": {"engine": "spark"}})


def test_trino_is_named_with_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    project = load(tmp_path, evaluate=TRINO + 'user = "me"\npassword_env = "TRINO_PASSWORD"')
    trino = project.evaluate.trino
    assert trino is not None
    with pytest.raises(ConfigurationError, match="TRINO_PASSWORD, which is not set"):
        trino.connection()
    monkeypatch.setenv("TRINO_PASSWORD", "s3cret")
    found = trino.connection()
    assert (found.url, found.user, found.password) == ("http://127.0.0.1:8080", "me", "s3cret")
    assert "s3cret" not in repr(found)
    assert "s3cret" in project.secrets()


def test_trino_without_an_address_is_an_error(tmp_path: Path):
    assert "[evaluate.trino] with url" in error(tmp_path, evaluate='engine = "trino"')


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "http://me:s3cret@127.0.0.1:8080", "ftp://x"])
def test_an_address_is_one_of_http_without_credentials(tmp_path: Path, url: str):
    said = error(tmp_path, evaluate=f'[evaluate.trino]\nurl = "{url}"')
    assert "[evaluate.trino].url" in said
    assert "s3cret" not in said


def test_a_password_of_trino_does_not_belong_into_the_file(tmp_path: Path):
    said = error(tmp_path, evaluate=TRINO + 'password = "s3cret"')
    assert "name that in password_env" in said
    assert "s3cret" not in said


def test_a_job_keeps_the_engine_and_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections={},
        engine="trino",
        trino=TrinoConnection(
            url="https://trino:8443", user="me", password="s3cret", password_env="TRINO_PASSWORD"
        ),
    )
    file = tmp_path / "job.json"
    file.write_text(write_job(job))
    assert "s3cret" not in file.read_text()
    monkeypatch.setenv("TRINO_PASSWORD", "s3cret")
    assert read_job(file) == job
    monkeypatch.delenv("TRINO_PASSWORD")
    with pytest.raises(ConfigurationError, match="TRINO_PASSWORD, which is not set"):
        read_job(file)


def test_every_engine_that_can_be_named_can_be_opened():
    assert ENGINES.keys() == set(get_args(EngineName))


def test_an_authority_of_trino_is_a_file_and_for_https(tmp_path: Path):
    written = TRINO.replace("http:", "https:") + 'ca = "ca.pem"'
    trino = load(tmp_path, evaluate=written).evaluate.trino
    assert trino is not None
    assert trino.ca == tmp_path / "ca.pem"
    with pytest.raises(ConfigurationError, match=r"\[evaluate.trino\].ca = .* is no file"):
        trino.connection()
    trino.ca.touch()
    assert trino.connection().verify == str(tmp_path / "ca.pem")
    assert "it begins with http" in error(tmp_path, evaluate=TRINO + 'ca = "ca.pem"')


def test_all_that_is_not_there_to_reach_trino_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("NOT_SET", raising=False)
    written = TRINO.replace("http:", "https:") + 'ca = "ca.pem"\npassword_env = "NOT_SET"'
    trino = load(tmp_path, evaluate=written).evaluate.trino
    assert trino is not None
    with pytest.raises(RefusalsError) as raised:
        trino.connection()
    assert "is no file" in raised.value.details[0]
    assert "NOT_SET" in raised.value.details[1]
