"""Files that another process replaces while a project is measured."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.load import load
from evaluation.replaced_files import replaced_tables
from evaluation.store_protocol.connection import Connection
from evaluation.stores.duckdb import backend as duckdb_store
from placement.plan import Outcome, PlacementPlan
from workloads.catalog import Catalog, Table
from workloads.errors import StoreError
from workloads.progress import Silent
from workloads.sources import parquet


def written(path: Path, rows: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"SELECT i FROM range({rows}) t(i)").write_parquet(str(path))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """A table of one file, and one of two."""
    data = tmp_path / "data"
    for name in ("one.parquet", "many/a.parquet", "many/b.parquet"):
        written(data / name, 10)
    return parquet.catalog(data, cache=tmp_path / "cache", progress=Silent())


def test_nothing_is_replaced_as_long_as_nobody_writes(catalog: Catalog) -> None:
    assert replaced_tables(catalog) == frozenset()


@pytest.mark.parametrize(("name", "table"), [("one.parquet", "one"), ("many/b.parquet", "many")])
def test_a_file_that_is_written_beside_and_renamed_is_told(
    catalog: Catalog, tmp_path: Path, name: str, table: str
) -> None:
    """Also one of the same size and time."""
    file = tmp_path / "data" / name
    before = file.stat()
    written(tmp_path / "new.parquet", 10)
    os.utime(tmp_path / "new.parquet", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tmp_path / "new.parquet").replace(file)
    assert replaced_tables(catalog) == {table}


def test_a_file_that_comes_or_goes_is_told(catalog: Catalog, tmp_path: Path) -> None:
    written(tmp_path / "data/many/c.parquet", 10)
    (tmp_path / "data/one.parquet").unlink()
    assert replaced_tables(catalog) == {"many", "one"}


def loaded(catalog: Catalog, connection: Connection) -> Mapping[str, object]:
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"one": ("duck",)},
        routing={},
        predicted_s=0.0,
        seed=0,
    )
    one = replace(catalog, tables={"one": catalog.table("one")})
    load(one, (plan,), {"duck": connection}, Silent())
    return duckdb_store.DuckDB().loaded(connection)


def test_no_copy_is_made_of_a_file_that_is_replaced_meanwhile(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duck = Connection(store="duck", kind="duckdb", path=tmp_path / "copies.duckdb")
    load_as_it_is = duckdb_store.DuckDB.load

    def replacing(self: duckdb_store.DuckDB, to: Connection, table: Table, *stop: object) -> object:
        written(tmp_path / "data/one.parquet", 10)
        return load_as_it_is(self, to, table, *stop)

    with monkeypatch.context() as patch:
        patch.setattr(duckdb_store.DuckDB, "load", replacing)
        with pytest.raises(StoreError, match=r"its Parquet .* was replaced or written to since"):
            loaded(catalog, duck)
    assert "one" not in duckdb_store.DuckDB().loaded(duck)
    with pytest.raises(StoreError, match="Run the command again"):
        loaded(catalog, duck)
    again = parquet.catalog(tmp_path / "data", cache=tmp_path / "cache", progress=Silent())
    assert "one" in loaded(again, duck)
