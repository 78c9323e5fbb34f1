"""A copy of a DuckDB file is whole, also where the file is written while it is copied."""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from evaluation.store_protocol.connection import Connection
from evaluation.stores.duckdb import copies
from evaluation.stores.duckdb.copies import copied
from workloads.errors import StoreError


@pytest.fixture
def store(tmp_path: Path) -> Connection:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE TABLE t AS SELECT range AS i FROM range(100000)")
    return Connection(store="duck", kind="duckdb", path=path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "copies"
    found.mkdir()
    return found


def rows(connection: Connection) -> int:
    with duckdb.connect(str(connection.path)) as file:
        return file.execute("SELECT count(*) FROM t").fetchall()[0][0]


def torn(times: int) -> Callable[[Path, Path], str]:
    """Return a copying of files of which the last pages are lacking so many times."""
    left = iter(range(times))

    def copy(source: Path, folder: Path) -> str:
        made = shutil.copyfile(source, folder / source.name)
        if next(left, None) is not None:
            made.write_bytes(made.read_bytes()[: 3 * 4096])
        return str(made)

    return copy


def test_a_copy_has_what_the_file_and_its_log_have(store: Connection, folder: Path) -> None:
    with duckdb.connect(str(store.path)) as file:
        file.execute("SET checkpoint_threshold = '1GB'")
        file.execute("INSERT INTO t VALUES (1)")
        found = copied(store, folder)
        assert found.path == folder / "duck" / "shop.duckdb"
        assert rows(found) == 100_001


def test_a_torn_copy_is_made_again(
    store: Connection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies.shutil, "copy", torn(times=1))
    monkeypatch.setattr(copies, "_POLL_S", 0.0)
    assert rows(copied(store, folder)) == 100_000
    monkeypatch.setattr(copies.shutil, "copy", torn(times=100))
    with pytest.raises(StoreError, match="Store 'duck'"):
        copied(store, folder, wait_s=0.0)


def test_a_file_that_is_not_there_is_told(store: Connection, folder: Path, tmp_path: Path) -> None:
    gone = Connection(store="duck", kind="duckdb", path=tmp_path / "gone.duckdb")
    with pytest.raises(StoreError, match=r"cannot copy .*gone\.duckdb"):
        copied(gone, folder, wait_s=0.0)
