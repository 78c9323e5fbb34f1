"""What `export` writes: a job, catalogs of Trino, or both; never nothing."""

from pathlib import Path

import pytest

from advisor.publishing.publish import write_folder
from advisor.report.exported import export_document, trino_text
from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.command import called
from tests.unit.advisor.project_files import BASE, write
from workloads.errors import ConfigurationError


def test_nothing_to_write_is_an_error(tmp_path: Path):
    done = called("export", str(write(tmp_path, BASE)))
    assert done.returncode == 2
    assert "-o FILE, a job for spark-submit, or --trino FOLDER" in done.stderr


def test_a_store_that_is_not_up_is_an_error(tmp_path: Path):
    folder = tmp_path / "catalogs"
    done = called("export", str(write(tmp_path, BASE)), "--trino", str(folder))
    assert done.returncode == 2
    assert "run 'advisor stores up shop.toml' first" in done.stderr
    assert not folder.exists()


def test_an_unknown_engine_is_an_error(tmp_path: Path):
    done = called("run", str(write(tmp_path, BASE)), "--engine", "presto")
    assert done.returncode == 2
    assert "[evaluate].engine = 'presto'" in done.stderr


def test_the_passwords_that_trino_needs_are_named_and_not_shown(tmp_path: Path):
    file = tmp_path / "password"
    file.write_text("s3cret")
    login = {"host": "h", "user": "u", "password": "s3cret"}
    catalogs = [
        trino_catalog(Connection(store="a", kind="postgresql", password_env="A_WORD", **login)),
        trino_catalog(Connection(store="b", kind="mysql", password_file=file, **login)),
    ]
    text = trino_text(Path("etc"), catalogs, None).plain
    assert "export A_WORD=…" in text
    assert "plugin" not in text
    assert "Copy the folder etc/plugin/ours" in trino_text(
        Path("etc"), catalogs, Path("etc/plugin/ours")
    ).plain.replace("\n", " ")
    assert f'export ADVISOR_B_PASSWORD="$(cat {file})"' in text
    document = export_document(None, Path("etc"), catalogs)
    assert document == {
        "job": None,
        "trino": {
            "folder": "etc",
            "files": ["a.properties", "b.properties"],
            "passwords": {"A_WORD": None, "ADVISOR_B_PASSWORD": str(file)},
        },
    }
    assert "s3cret" not in text + str(document)


def test_a_folder_is_written_in_place_of_an_older_one(tmp_path: Path):
    (tmp_path / "a.jar").write_bytes(b"new")
    target = tmp_path / "catalogs" / "plugin"
    target.mkdir(parents=True)
    (target / "old.jar").write_bytes(b"old")
    write_folder(target, [tmp_path / "a.jar"], "--trino")
    assert [each.name for each in target.iterdir()] == ["a.jar"]
    assert [each.name for each in target.parent.iterdir()] == ["plugin"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="Name another place with --trino"):
        write_folder(tmp_path / "file" / "plugin", [], "--trino")
