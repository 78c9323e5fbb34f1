"""Folders called after values are columns of a table, as DuckDB and Spark take them."""

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from advisor.project.source_settings import holds_parquet
from evaluation.judging.oracle import Oracle
from workloads.catalog import Table
from workloads.errors import CatalogError
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.workload import Query

NULL = "__HIVE_DEFAULT_PARTITION__"


def write(path: Path, sql: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")


def orders(tmp_path: Path) -> Table:
    return parquet.catalog(tmp_path / "data", cache=tmp_path / "cache", progress=Silent()).table(
        "orders"
    )


def rows(table: Table) -> list[tuple[object, ...]]:
    read = f"read_parquet('{table.parquet}', hive_partitioning = false)"
    return duckdb.sql(f"FROM {read} ORDER BY ALL").fetchall()


def test_keys_are_columns_with_types_and_files_may_lack_columns(tmp_path):
    folder = tmp_path / "data" / "orders"
    write(folder / "year=2024" / "month=01" / "part-0.parquet", "SELECT 1::INTEGER AS id")
    write(folder / "year=2024" / "month=02" / "part-0.parquet", "SELECT 2::BIGINT AS id, 'x' AS s")
    write(folder / f"year={NULL}" / "month=a%2Fb c" / "p.parquet", "SELECT 3 AS id, NULL AS year")
    table = orders(tmp_path)
    assert {column.name: column.type for column in table.columns} == {
        "id": "BIGINT", "s": "VARCHAR", "year": "BIGINT", "month": "VARCHAR",
    }  # fmt: skip
    assert table.rows == 3
    assert table.parquet.is_relative_to(tmp_path / "cache")
    assert rows(table) == [
        (1, None, 2024, "01"),
        (2, "x", 2024, "02"),
        (3, None, None, "a/b c"),
    ]
    assert table.column("year").statistics.null_share == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "values",
    [
        ("1", "-20", "0"),
        ("1", "01"),
        ("01", "12"),
        ("9223372036854775807", "-9223372036854775808"),
        ("9223372036854775808", "1"),
        ("2024-01-01", "1999-12-31"),
        ("2024-01-01", "2024-02-30"),
        ("2024-01-01", "1"),
        ("1", NULL),
        ("2024-01-01", NULL),
        ("x", NULL),
        ("1.5", "2"),
        ("", "1"),
        ("true", "false"),
        ("2024-01-01 10%3A00%3A00", "2024-01-02 10%3A00%3A00"),
        ("caf%C3%A9", "a%20b%3Dc%25"),
        ("%31", "2"),
    ],
)
def test_values_and_types_of_keys_are_those_that_duckdb_finds(tmp_path, values):
    folder = tmp_path / "data" / "orders"
    for number, value in enumerate(values):
        write(folder / f"k={value}" / f"{number}.parquet", f"SELECT {number} AS id")
    table = orders(tmp_path)
    known = duckdb.sql(f"FROM read_parquet('{folder}/*/*.parquet', hive_partitioning = true)")
    assert [column.type for column in table.columns][1] == str(known.types[1])
    assert rows(table) == known.order("ALL").fetchall()


def test_folders_above_the_table_are_no_keys(tmp_path):
    place = tmp_path / "year=1999" / "env=prod"
    write(place / "data" / "orders" / "year=2024" / "p.parquet", "SELECT 1 AS id")
    write(place / "data" / "flat.parquet", "SELECT 1 AS id")
    found = parquet.catalog(place / "data", cache=place / "cache", progress=Silent())
    assert rows(found.table("orders")) == [(1, 2024)]
    for table in ("orders", "flat"):
        sql = f"SELECT * FROM {table}"
        with closing(Oracle(found)) as oracle:
            answer = oracle.answer(Query(name="q", sql=sql, origin="q"))
        assert [each.name for each in answer.columns] == [
            column.name for column in found.table(table).columns
        ]


def test_hidden_files_and_folders_are_no_data(tmp_path):
    folder = tmp_path / "data" / "orders"
    write(folder / "d=2024-01-01" / "a.parquet", "SELECT 1 AS id")
    for hidden in ("_temporary/d=1/b.parquet", "d=2024-01-01/.a.parquet", "d=2/_b.parquet"):
        write(folder / hidden, "SELECT 'wrong' AS id")
    write(tmp_path / "data" / "flat" / "a.parquet", "SELECT 1 AS id")
    write(tmp_path / "data" / "flat" / "_a.parquet", "SELECT 2 AS id")
    table = orders(tmp_path)
    assert [(c.name, c.type) for c in table.columns] == [("id", "INTEGER"), ("d", "DATE")]
    found = parquet.catalog(tmp_path / "data", cache=tmp_path / "cache", progress=Silent())
    assert rows(found.table("flat")) == [(1,)]


def test_a_moved_partition_is_a_change_and_a_moved_table_none(tmp_path):
    folder = tmp_path / "data" / "orders"
    write(folder / "k=1" / "p.parquet", "SELECT 1 AS id")
    write(folder / "k=2" / "p.parquet", "SELECT 2 AS id")
    first = orders(tmp_path)
    assert orders(tmp_path) == first
    (tmp_path / "data").rename(tmp_path / "else")
    (tmp_path / "else").rename(tmp_path / "data")
    assert orders(tmp_path).fingerprint == first.fingerprint
    (folder / "k=2").rename(folder / "k=3")
    second = orders(tmp_path)
    assert second.fingerprint != first.fingerprint
    assert rows(second) == [(1, 1), (2, 3)]
    assert not first.parquet.exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("orders/a=1/p", "orders/b=1/p"), "folders of different keys"),
        (("orders/a=1/p", "orders/p"), "folders of different keys"),
        (("orders/a=1/x/p",), "not called key=value"),
        (("orders/a=1/A=2/p",), "one key twice"),
        (("a=1/p",), "name the folder above"),
    ],
)
def test_folders_that_are_no_table_are_told_in_one_line(tmp_path, files, message):
    for file in files:
        write(tmp_path / "data" / f"{file}.parquet", "SELECT 1 AS id")
    with pytest.raises(CatalogError, match=message):
        orders(tmp_path)


def test_a_folder_of_partitioned_tables_beside_sql_is_one_of_parquet(tmp_path):
    write(tmp_path / "orders" / "y=1" / "m=1" / "p.parquet", "SELECT 1 AS id")
    (tmp_path / "notes.sql").write_text("SELECT 1")
    assert holds_parquet(tmp_path)
