"""A DuckDB file as a catalog."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import LIVE
from evaluation.store_protocol.connection import NAMESPACE, Connection
from workloads.catalog import Catalog, ForeignKey
from workloads.errors import CatalogError, ConfigurationError, StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores


@pytest.fixture
def file(tmp_path: Path) -> Connection:
    return Connection(store="duck", kind="duckdb", path=tmp_path / "a 'file'.duckdb")


def make(connection: Connection, *statements: str) -> None:
    with duckdb.connect(str(connection.path)) as session:
        for statement in statements:
            session.execute(statement)


def read(connection: Connection, schema: str | None = None) -> Catalog:
    return LIVE["duckdb"].catalog(connection, Silent(), schemas=(schema,) if schema else ())


def test_tables_keys_views_and_statistics_are_read(file: Connection) -> None:
    make(
        file,
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, tags VARCHAR[], mood ENUM ('sad', 'glad'))",
        "INSERT INTO customer SELECT range, ['a', 'b'], 'glad' FROM range(10)",
        "CREATE TABLE orders (id BIGINT, customer INTEGER REFERENCES customer (id), day DATE,"
        " PRIMARY KEY (id, day))",
        "INSERT INTO orders SELECT range, range % 10, DATE '1970-01-01' + (range % 30)::INTEGER"
        " FROM range(250000)",
        "CREATE VIEW \"late AS orders\" (number) AS SELECT id FROM orders WHERE day > '1970-01-09'",
        "CREATE TABLE empty (a INTEGER)",
    )
    found = read(file)
    orders = found.table("orders")
    assert orders.rows == 250_000
    assert orders.primary_key == ("id", "day")
    assert orders.foreign_keys == (
        ForeignKey(columns=("customer",), table="customer", references=("id",)),
    )
    assert [c.type for c in found.table("customer").columns] == ["INTEGER", "VARCHAR", "VARCHAR"]
    known = {c.name: c.statistics for c in orders.columns}
    assert known["id"] is not None
    assert (known["id"].distinct, known["id"].minimum, known["id"].maximum) == (250_000, 0, 249_999)
    assert known["day"] is not None
    assert (known["day"].distinct, known["day"].maximum) == (30, 29)
    assert found.table("empty").rows == 0
    view = found.views["late AS orders"]
    assert view.columns == ("number",)
    assert view.sql.upper().startswith("SELECT ID FROM ORDERS")
    assert read(file).table("orders") == orders


def test_schemas_are_told_apart(file: Connection) -> None:
    make(
        file,
        "CREATE SCHEMA other",
        "CREATE TABLE other.orders (a INTEGER)",
        "CREATE TABLE orders (a INTEGER)",
        f"CREATE SCHEMA {NAMESPACE}",
        f"CREATE TABLE {NAMESPACE}.orders (a INTEGER)",
    )
    assert set(read(file).tables) == {"main.orders", "other.orders"}
    assert set(read(file, "other").tables) == {"orders"}
    with pytest.raises(CatalogError, match="no table in the schema 'none'"):
        read(file, "none")


def test_a_missing_file_is_not_made(file: Connection) -> None:
    assert file.path is not None
    with pytest.raises(StoreError, match="there is no file"):
        read(file)
    assert not file.path.exists()
    file.path.write_text("something else")
    with pytest.raises(StoreError, match="cannot open"):
        read(file)
    with pytest.raises(StoreError, match="needs"):
        read(replace(file, path=None))


def test_it_remembers_no_statements(file: Connection) -> None:
    with pytest.raises(ConfigurationError, match="remembers no statements"):
        LIVE["duckdb"].workload(file)
