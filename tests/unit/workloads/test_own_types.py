"""Statements on columns that are carried as text: answers are those of the columns' own types."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.own_types import STATEMENTS, TABLES, write_tables
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.sql.translate import meant
from workloads.workload import Query

_WHOLE_SECONDS = re.compile(r"^(\d\d:\d\d:\d\d)\.0+$")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tables(tmp_path_factory.mktemp("own_types"))


@pytest.fixture(scope="module")
def catalog(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return parquet.catalog(folder, cache=tmp_path_factory.mktemp("cache"), progress=Silent())


@pytest.fixture(scope="module")
def original(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name in TABLES:
            connection.execute(f"CREATE TABLE {name} AS FROM '{folder}/{name}.parquet'")
        yield connection


@pytest.fixture(scope="module")
def copied(catalog: Catalog) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name, table in catalog.tables.items():
            connection.execute(f"CREATE TABLE {name} AS FROM '{table.parquet}'")
        yield connection


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[str, ...]]:
    found = connection.execute(sql).fetchall()
    return [tuple(_WHOLE_SECONDS.sub(r"\1", str(value)) for value in row) for row in found]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_over_texts_are_those_over_the_columns_own_types(
    sql: str,
    catalog: Catalog,
    original: duckdb.DuckDBPyConnection,
    copied: duckdb.DuckDBPyConnection,
):
    expected = rows(original, sql)
    assert expected
    for dialect in ("duckdb", "postgres"):
        said = meant(Query(name="q", sql=sql, origin="q.sql"), catalog, dialect)
        found = rows(copied, said)
        if "ORDER BY" not in sql:
            found, expected = sorted(found), sorted(expected)
        assert found == expected, said
