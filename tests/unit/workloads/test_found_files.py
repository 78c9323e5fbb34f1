"""Files that are found in folders: behind links, in capitals, and with awkward names."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from pyarrow import fs

from evaluation.bulk import bulk
from evaluation.judging.oracle import Oracle
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from workloads.catalog import Catalog
from workloads.errors import CatalogError, ConfigurationError
from workloads.measuring.table_files import files_mark, parquet_files
from workloads.progress import Silent
from workloads.sources import buckets, parquet
from workloads.sources.ddl.catalog import definitions
from workloads.workload import Query

FAILURES = Failures(connection=Connection(store="pg", kind="postgresql", host="db", port=5432))


def write(path: Path, number: int) -> None:
    """Write a file of one row, though DuckDB takes its name for a pattern."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = path.parent / "plain.partial"
    duckdb.sql(f"COPY (SELECT {number} AS id) TO '{plain}' (FORMAT parquet)")
    plain.rename(path)


def link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def catalog(folder: Path) -> Catalog:
    return parquet.catalog(folder, cache=folder.with_name("cache"), progress=Silent())


def rows(found: Catalog, table: str) -> list[tuple[object, ...]]:
    oracle = Oracle(found)
    try:
        answer = oracle.answer(Query(name="q", sql=f"SELECT * FROM {table}", origin="q"))
    finally:
        oracle.close()
    return sorted(answer.rows)


class TestLinks:
    def test_a_linked_partition_is_part_of_its_table(self, tmp_path):
        orders = tmp_path / "data" / "orders"
        write(orders / "year=2024" / "p.parquet", 1)
        write(tmp_path / "archive" / "p.parquet", 2)
        for year in (2022, 2023):
            # Each link is a partition of its own, as other readers have it.
            link(orders / f"year={year}", tmp_path / "archive")
        found = catalog(tmp_path / "data")
        assert rows(found, "orders") == [(1, 2024), (2, 2022), (2, 2023)]
        assert found.table("orders").rows == 3

    def test_a_link_to_a_folder_that_it_lies_in_is_no_data(self, tmp_path):
        orders = tmp_path / "data" / "orders"
        write(orders / "year=2024" / "p.parquet", 1)
        link(orders / "year=2024" / "month=1", orders)
        link(orders / "year=2023", tmp_path / "data")
        assert rows(catalog(tmp_path / "data"), "orders") == [(1, 2024)]

    @pytest.mark.parametrize("name", ["orders/year=2023", "orders/p.parquet", "orders.parquet"])
    def test_one_that_leads_nowhere_is_told(self, tmp_path, name):
        write(tmp_path / "data" / "orders" / "year=2024" / "p.parquet", 1)
        if name == "orders.parquet":
            shutil.rmtree(tmp_path / "data" / "orders")
        link(tmp_path / "data" / name, tmp_path / "unmounted")
        with pytest.raises((CatalogError, ConfigurationError), match=f"{name}.*(nowhere|No such)"):
            catalog(tmp_path / "data")

    def test_a_folder_is_loaded_and_watched_with_what_it_links_to(self, tmp_path):
        write(tmp_path / "orders" / "p.parquet", 1)
        write(tmp_path / "archive" / "p.parquet", 2)
        before = files_mark(tmp_path / "orders")
        link(tmp_path / "orders" / "year=2023", tmp_path / "archive")
        table = catalog_table(tmp_path)
        assert bulk.files(FAILURES, table) == [
            tmp_path / "orders" / "p.parquet",
            tmp_path / "orders" / "year=2023" / "p.parquet",
        ]
        assert files_mark(tmp_path / "orders") != before

    def test_ddl_behind_them_is_read_once(self, tmp_path):
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "t.sql").write_text("CREATE TABLE t (a int)")
        (tmp_path / "ddl").mkdir()
        for name in ("a", "b"):
            link(tmp_path / "ddl" / name, tmp_path / "more")
        assert set(definitions([tmp_path / "ddl"], Silent()).catalog.tables) == {"t"}


def catalog_table(folder: Path):
    """Return a table whose Parquet is said to be the whole folder `orders`."""
    write(folder / "plain" / "orders.parquet", 1)
    return replace(catalog(folder / "plain").table("orders"), parquet=folder / "orders")


class TestCapitals:
    def test_a_file_of_parquet_in_capitals_is_a_table(self, tmp_path):
        write(tmp_path / "data" / "ITEMS.PARQUET", 1)
        found = catalog(tmp_path / "data")
        assert rows(found, "items") == [(1,)]
        assert bulk.files(FAILURES, found.table("ITEMS")) == [tmp_path / "data" / "ITEMS.PARQUET"]

    def test_a_folder_may_have_some_of_its_files_in_capitals(self, tmp_path):
        orders = tmp_path / "data" / "orders"
        for number, name in enumerate(["a.parquet", "B.PARQUET", "c.Parquet"]):
            write(orders / name, number)
        write(orders / "_d.PARQUET", 9)
        found = catalog(tmp_path / "data")
        assert rows(found, "orders") == [(0,), (1,), (2,)]
        assert len(bulk.files(FAILURES, found.table("orders"))) == 3
        before = files_mark(found.table("orders").parquet)
        write(orders / "B.PARQUET", 5)
        assert files_mark(found.table("orders").parquet) != before

    def test_ddl_may_be_in_capitals(self, tmp_path):
        (tmp_path / "a.sql").write_text("CREATE TABLE t (a int)")
        (tmp_path / "B.SQL").write_text("CREATE TABLE u (a int)")
        assert set(definitions([tmp_path], Silent()).catalog.tables) == {"t", "u"}

    def test_so_may_objects_of_a_bucket_be(self, tmp_path):
        for name in ("t/ITEMS.PARQUET", "t/orders.parquet/p.PARQUET", "t/old.PARQUET"):
            write(tmp_path / name, 1)
        files = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
        found = buckets._objects(files, "t", "s3://t")
        assert sorted(found) == ["ITEMS.PARQUET", "old.PARQUET", "orders.parquet/p.PARQUET"]
        del found["old.PARQUET"]
        buckets._drop_others(tmp_path / "t", found)
        assert sorted(each.name for each in parquet_files(tmp_path / "t")) == [
            "ITEMS.PARQUET",
            "p.PARQUET",
        ]


class TestPatterns:
    @pytest.mark.parametrize(
        "name",
        ["orders[1].parquet", "orders?.parquet", "orders*/p.parquet", "orders/k=[a]/p.parquet"],
    )
    def test_a_name_that_would_be_one_is_refused(self, tmp_path, name):
        write(tmp_path / "data" / name, 1)
        write(tmp_path / "data" / "orders1.parquet", 2)
        with pytest.raises(CatalogError, match=r"has one of \*\?\[ in it.*pattern: rename it"):
            catalog(tmp_path / "data")
        with pytest.raises(CatalogError, match="pattern"):
            parquet.names(tmp_path / "data")

    def test_hidden_files_and_other_signs_are_no_patterns(self, tmp_path):
        write(tmp_path / "data" / "orders" / "k=%7Ba}" / "p].parquet", 1)
        write(tmp_path / "data" / "orders" / "_[a].parquet", 2)
        assert rows(catalog(tmp_path / "data"), "orders") == [(1, "{a}")]


def test_a_pipe_is_no_file_of_parquet(tmp_path):
    os.mkfifo(tmp_path / "t.parquet")
    with pytest.raises(ConfigurationError, match="is a pipe or a device"):
        catalog(tmp_path)


class TestClosedFolders:
    def test_one_beside_the_tables_is_none_of_ours(self, tmp_path, closed):
        write(tmp_path / "data" / "t.parquet", 1)
        closed(tmp_path / "data" / "lost+found")
        (tmp_path / "data" / "t.sql").write_text("CREATE TABLE t (id int)")
        assert set(catalog(tmp_path / "data").tables) == {"t"}
        assert set(definitions([tmp_path / "data"], Silent()).catalog.tables) == {"t"}

    def test_a_partition_that_is_one_is_told(self, tmp_path, closed):
        write(tmp_path / "data" / "orders" / "k=1" / "p.parquet", 1)
        closed(tmp_path / "data" / "orders" / "k=2")
        with pytest.raises(ConfigurationError, match="k=2 cannot be read: Permission denied"):
            catalog(tmp_path / "data")

    @pytest.fixture
    def closed(self, monkeypatch):
        """Make folders that may not be looked into, whoever runs the tests."""
        folders = set()
        access, listing = os.access, Path.iterdir

        def close(folder: Path) -> None:
            folder.mkdir()
            folders.add(folder)

        def refused(path: Path):
            if path in folders:
                raise PermissionError(13, "Permission denied", str(path))
            return listing(path)

        monkeypatch.setattr(os, "access", lambda path, *a: path not in folders and access(path, *a))
        monkeypatch.setattr(Path, "iterdir", refused)
        return close
