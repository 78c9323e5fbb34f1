"""What `export` writes: a job, catalogs of Trino, or both; never nothing."""

from pathlib import Path

from advisor.report.exported import export_document, trino_text
from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.command import called
from tests.unit.advisor.project_files import BASE, write


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
    text = trino_text(Path("etc"), catalogs).plain
    assert "export A_WORD=…" in text
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
