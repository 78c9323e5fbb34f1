"""TLS in a project file: what each mode needs, and what has no use for it."""

import pytest
from pydantic import TypeAdapter

from evaluation.running.job import Job, read_job, write_job
from evaluation.store_protocol.tls import Tls
from evaluation.tracking.server_tls import ServerTls
from tests.unit.advisor.project_files import error, load
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.workload import Workload

pytestmark = pytest.mark.usefixtures("own_cache")

SERVER = 'kind = "postgresql"\nhost = "db"\nuser = "u"\n'
FULL = (
    'tls = "verify-full"\nca = "ca.pem"\ncertificate = "own.crt"\nkey = "own.key"\n'
    'key_password_env = "KEY_PASSWORD"'
)


def test_a_store_is_encrypted_where_its_server_can_unless_the_file_says_otherwise(tmp_path):
    assert load(tmp_path, stores__pg=SERVER).store("pg").connection().tls == Tls(mode="prefer")
    disabled = load(tmp_path, stores__pg=SERVER + 'tls = "disable"')
    assert disabled.store("pg").connection().tls == Tls(mode="disable")


@pytest.mark.parametrize("kind", ["postgresql", "mysql", "accumulo"])
def test_files_lie_beside_the_project_and_the_keys_password_in_the_environment(
    tmp_path, monkeypatch, kind
):
    monkeypatch.setenv("KEY_PASSWORD", "s3cret")
    project = load(tmp_path, stores__pg=SERVER.replace("postgresql", kind) + FULL)
    found = project.store("pg").connection().tls
    assert found == Tls(
        mode="verify-full",
        ca=tmp_path / "ca.pem",
        certificate=tmp_path / "own.crt",
        key=tmp_path / "own.key",
        key_password="s3cret",
        key_password_env="KEY_PASSWORD",
    )
    assert "s3cret" not in repr(found)
    assert "s3cret" in project.secrets()


def test_a_missing_variable_of_a_keys_password_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("KEY_PASSWORD", raising=False)
    store = load(tmp_path, stores__pg=SERVER + FULL).store("pg")
    with pytest.raises(ConfigurationError, match=r"its key's password from .*KEY_PASSWORD"):
        store.connection()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('tls = "full"', "[stores.pg].tls = 'full'"),
        ('tls = "verify-full"', "[stores.pg].ca in shop.toml: tls = 'verify-full' needs the file"),
        ('tls = "require"\nca = "ca.pem"', "tls = 'require' verifies nothing: write \"verify-ca\""),
        ('ca = "ca.pem"', "tls = 'prefer' verifies nothing"),
        ('tls = "require"\ncertificate = "a"', "[stores.pg].key in shop.toml: this key is needed"),
        ('tls = "require"\nkey = "a"', "[stores.pg].certificate in shop.toml: this key is needed"),
        ('tls = "require"\nkey_password_env = "A"', "[stores.pg].key in shop.toml: this key is"),
        ('certificate = "a"\nkey = "b"', "tls = 'prefer' may send it nowhere"),
        ('key_password = "s3cret"', "[stores.pg].key_password in shop.toml: a password does not"),
    ],
)
def test_keys_that_do_not_go_together_are_refused(tmp_path, body, expected):
    text = error(tmp_path, stores__pg=SERVER + body)
    assert expected in text
    assert "s3cret" not in text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('kind = "duckdb"\npath = "a.duckdb"\n', "is a file, which no network is between"),
        (
            'kind = "objects"\nnodes = ["a:1"]\npassword_env = "P"\n',
            "TLS is there for 'postgresql', 'mysql' and 'accumulo'",
        ),
        ('kind = "postgresql"\nembedded = true\n', "only a store with a host has this key"),
    ],
)
def test_a_store_that_is_not_reached_over_tls_says_so(tmp_path, body, expected):
    text = error(tmp_path, stores__pg=body + 'tls = "require"')
    assert text.startswith("[stores.pg].tls in shop.toml")
    assert expected in text


def test_a_job_for_another_process_holds_no_password_of_a_key(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY_PASSWORD", "s3cret")
    connection = load(tmp_path, stores__pg=SERVER + FULL).store("pg").connection()
    job = Job(
        workload=TypeAdapter(Workload).validate_python(
            {"name": "w", "dialect": "duckdb", "queries": ()}
        ),
        catalog=Catalog(name="c", tables={}),
        connections={"pg": connection},
    )
    file = tmp_path / "job.json"
    file.write_text(write_job(job))
    assert "s3cret" not in file.read_text()
    assert read_job(file).connections["pg"] == connection
    monkeypatch.delenv("KEY_PASSWORD")
    with pytest.raises(ConfigurationError, match=r"its key's password from .*KEY_PASSWORD"):
        read_job(file)


TRACKING = 'uri = "https://mlflow.example.org"\n'


def test_files_of_the_tracking_server_lie_beside_the_project(tmp_path):
    files = 'ca = "ca.pem"\ncertificate = "own.crt"\nkey = "own.key"'
    found = load(tmp_path, stores__pg=SERVER, tracking=TRACKING + files).tracking.tls
    assert found == ServerTls(
        ca=tmp_path / "ca.pem", certificate=tmp_path / "own.crt", key=tmp_path / "own.key"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('ca = "ca.pem"', "[tracking].ca in shop.toml: nothing is encrypted on the way"),
        (TRACKING.replace("https", "http") + 'ca = "ca.pem"', "write one that begins with https"),
        (TRACKING + 'certificate = "a"', "[tracking].key in shop.toml: this key is needed beside"),
        (TRACKING + 'key = "a"', "[tracking].certificate in shop.toml: this key is needed beside"),
    ],
)
def test_files_of_the_tracking_server_that_cannot_be_used_are_refused(tmp_path, body, expected):
    assert expected in error(tmp_path, stores__pg=SERVER, tracking=body)
