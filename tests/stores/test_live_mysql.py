"""A MariaDB's and a MySQL 8's own knowledge as a catalog."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from evaluation.kinds import LIVE
from evaluation.store_protocol.connection import Connection
from tests.stores.each_store import named
from tests.stores.live_servers import days, known, maria
from workloads.catalog import Catalog, ColumnStatistics, ForeignKey
from workloads.errors import CatalogError, StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores

SHOP = "live shop"
ORDERS = (
    "CREATE TABLE customer (id int PRIMARY KEY, name varchar(30))",
    "INSERT INTO customer SELECT seq, repeat('n', 10) FROM seq_1_to_100",
    (
        "CREATE TABLE orders (id bigint PRIMARY KEY, customer int, day date, total decimal(9, 2),"
        " state varchar(9), note text, FOREIGN KEY (customer) REFERENCES customer (id))"
    ),
    (
        "INSERT INTO orders SELECT seq, 1 + seq % 100, DATE '2020-01-01' + INTERVAL seq % 500 DAY,"
        " seq / 100, CASE WHEN seq % 10 < 7 THEN 'done' WHEN seq % 10 < 9 THEN 'open' END, NULL"
        " FROM seq_1_to_20000"
    ),
)


SEQUENCE = re.compile(r"\bseq_1_to_(\d+)\b")


@contextmanager
def database(connection: Connection) -> Iterator[Connection]:
    maria(connection, f"CREATE DATABASE `{SHOP}`")
    yield connection
    maria(connection, f"DROP DATABASE `{SHOP}`")


@pytest.fixture(params=["mysql", "mysql8"])
def shop(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Each of the two servers in turn, with an empty database."""
    with database(named(request, request.param)) as connection:
        yield connection


@pytest.fixture
def maria_shop(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """A MariaDB with an empty database."""
    with database(embedded["maria"]) as connection:
        yield connection


@pytest.fixture
def mysql8_shop(others: Mapping[str, Connection]) -> Iterator[Connection]:
    """A MySQL 8 with an empty database."""
    with database(others["mysql8"]) as connection:
        yield connection


def read(connection: Connection, schema: str | None = SHOP) -> Catalog:
    return LIVE["mysql"].catalog(connection, Silent(), schemas=(schema,) if schema else ())


def fill(connection: Connection, *statements: str) -> None:
    """Run statements in the database; MySQL is given the sequences that MariaDB makes up."""
    sequences = {found[0]: found[1] for each in statements for found in SEQUENCE.finditer(each)}
    if connection.store != "mysql8":
        sequences = {}
    made = (
        f"CREATE TABLE {name} WITH RECURSIVE s (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM s"
        f" WHERE seq < {last}) SELECT seq FROM s"
        for name, last in sequences.items()
    )
    depth = ("SET SESSION cte_max_recursion_depth = 1000000",) if sequences else ()
    dropped = (f"DROP TABLE {name}" for name in sequences)
    maria(connection, *depth, *made, *statements, *dropped, database=SHOP)


def check_orders(found: Catalog) -> None:
    orders = found.table("orders")
    assert orders.rows == 20_000
    assert {c.name: c.type for c in orders.columns} == {
        "id": "BIGINT", "customer": "INTEGER", "day": "DATE", "total": "DECIMAL(9,2)",
        "state": "VARCHAR", "note": "VARCHAR",
    }  # fmt: skip
    assert orders.primary_key == ("id",)
    assert orders.foreign_keys == (
        ForeignKey(columns=("customer",), table="customer", references=("id",)),
    )
    assert known(found, "orders", "id").distinct == pytest.approx(20_000, rel=0.01)
    assert known(found, "orders", "customer").distinct == 100
    day = known(found, "orders", "day")
    assert (day.minimum, day.maximum) == (days(2020, 1, 1), days(2021, 5, 14))
    assert list(day.histogram) == sorted(day.histogram)
    state = known(found, "orders", "state")
    assert state.null_share == pytest.approx(0.1, abs=0.001)
    assert (state.minimum, state.maximum) == (None, None)
    assert orders.column("state").width_bytes == pytest.approx(3.6, abs=0.01)
    note = known(found, "orders", "note")
    # Where all rows were sampled, that no text has an odd character is known too.
    assert note == ColumnStatistics(distinct=0, null_share=1.0, has_nul=note.has_nul)
    assert not note.has_nul
    assert found.table("customer").column("name").width_bytes == 10


def test_a_table_without_statistics_is_sampled(shop: Connection) -> None:
    fill(shop, *ORDERS)
    found = read(shop)
    check_orders(found)
    assert dict(known(found, "orders", "state").common) == {
        "done": pytest.approx(0.7), "open": pytest.approx(0.2),
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["JSON_HB", "DOUBLE_PREC_HB", "SINGLE_PREC_HB"])
def test_what_analyze_persistent_found_becomes_statistics(
    maria_shop: Connection, kind: str
) -> None:
    shop = maria_shop
    fill(
        shop,
        *ORDERS,
        f"SET histogram_type = '{kind}', histogram_size = 200",
        "ANALYZE TABLE orders, customer PERSISTENT FOR ALL",
    )
    found = read(shop)
    check_orders(found)
    total = known(found, "orders", "total").histogram
    assert total[len(total) // 2] == pytest.approx(100, abs=5)
    day = known(found, "orders", "day").histogram
    # The older histograms measure dates as numbers such as 20240229.
    assert bool(day) == (kind == "JSON_HB")
    if kind == "JSON_HB":
        assert dict(known(found, "orders", "state").common) == {
            "done": pytest.approx(0.7, abs=0.01), "open": pytest.approx(0.2, abs=0.01),
        }  # fmt: skip


def test_what_histograms_say_becomes_statistics(mysql8_shop: Connection) -> None:
    fill(
        mysql8_shop,
        *ORDERS,
        "ANALYZE TABLE orders UPDATE HISTOGRAM ON day, total, state, note WITH 200 BUCKETS",
    )
    found = read(mysql8_shop)
    check_orders(found)
    total = known(found, "orders", "total").histogram
    assert total[len(total) // 2] == pytest.approx(100, abs=5)
    assert known(found, "orders", "day").histogram
    assert dict(known(found, "orders", "state").common) == {
        "done": pytest.approx(0.7, abs=0.001), "open": pytest.approx(0.2, abs=0.001),
    }  # fmt: skip


def test_distinct_values_of_a_large_sampled_table_come_from_its_indexes(shop: Connection) -> None:
    fill(
        shop,
        "CREATE TABLE wide (a int PRIMARY KEY, thousand int, low int, KEY (low))",
        "INSERT INTO wide SELECT seq, seq % 1000, seq % 40 FROM seq_1_to_150000",
        "ANALYZE TABLE wide",
    )
    found = read(shop)
    assert found.table("wide").rows == 150_000
    assert known(found, "wide", "thousand").distinct == pytest.approx(1000, rel=0.02)
    assert known(found, "wide", "low").distinct == pytest.approx(40, rel=0.3)
    assert known(found, "wide", "a").distinct == pytest.approx(150_000, rel=0.1)


def test_types_are_called_as_duckdb_does_and_unknown_ones_are_text(
    maria_shop: Connection,
) -> None:
    shop = maria_shop
    fill(
        shop,
        "CREATE TABLE t (a tinyint, b smallint unsigned, c mediumint, d int unsigned, e bigint"
        " unsigned, f decimal(60, 2), g float, h double, i datetime(6), j timestamp NULL, k time,"
        " l year, m bit(3), n blob, o json, p enum('x', 'y'), q set('x', 'y'), r char(3), s uuid,"
        " u varbinary(9), v bool, w geometry)",
        "INSERT INTO t (e, i, k, m, n, o, p, u) VALUES (18446744073709551615,"
        " '2024-01-02 06:00:00.5', '-800:00:00', b'101', 'xyz', '[1]', 'y', x'00ff')",
        "SET sql_mode = ''",
        "INSERT INTO t (i) VALUES ('0000-00-00')",
    )
    found = read(shop)
    assert [c.type for c in found.table("t").columns] == [
        "TINYINT", "USMALLINT", "INTEGER", "UINTEGER", "UBIGINT", "DOUBLE", "FLOAT", "DOUBLE",
        "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME", "SMALLINT", "UBIGINT", "BLOB", "VARCHAR",
        "VARCHAR", "VARCHAR", "VARCHAR", "UUID", "BLOB", "TINYINT", "BLOB",
    ]  # fmt: skip
    assert known(found, "t", "e").maximum == pytest.approx(2.0**64)
    assert known(found, "t", "m").maximum == 5
    assert known(found, "t", "i").maximum == pytest.approx(days(2024, 1, 2) + 0.25, abs=1e-4)
    assert found.table("t").column("n").width_bytes == 1.5


def test_empty_tables_and_odd_names_are_read(shop: Connection) -> None:
    fill(
        shop,
        "CREATE TABLE `Order ``Lines``` (`Größe` int PRIMARY KEY, `select` text)",
        "INSERT INTO `Order ``Lines``` VALUES (1, 'a'), (2, NULL)",
        "CREATE TABLE `空` (a int)",
        "CREATE FUNCTION Doubled(x int) RETURNS int DETERMINISTIC RETURN 2 * x",
        "CREATE VIEW `large lines` (number) AS SELECT `Größe` FROM `Order ``Lines``` WHERE 1 = 1",
    )
    found = read(shop)
    assert "doubled" in found.functions
    assert found.table("Order `Lines`").primary_key == ("Größe",)
    assert known(found, "Order `Lines`", "select").null_share == 0.5
    assert known(found, "空", "a") == ColumnStatistics(distinct=0, null_share=0.0)
    view = found.views["large lines"]
    assert (view.dialect, view.columns) == ("mysql", ("number",))
    assert SHOP not in view.sql


def test_a_database_without_tables_is_an_error(shop: Connection) -> None:
    with pytest.raises(CatalogError, match="no table in the schema 'live shop'"):
        read(shop)


def test_one_name_in_two_databases_is_two_tables(shop: Connection) -> None:
    fill(shop, "CREATE TABLE orders (a int)")
    maria(shop, "CREATE DATABASE `live archive`", "CREATE TABLE `live archive`.orders (a int)")
    try:
        found = read(shop, None)
        assert {"live archive.orders", "live shop.orders"} <= found.tables.keys()
        assert found.table("live shop.orders").own_name == "orders"
    finally:
        maria(shop, "DROP DATABASE `live archive`")


def test_rows_and_statistics_that_may_not_be_read_are_left_out(maria_shop: Connection) -> None:
    shop = maria_shop
    fill(
        shop,
        *ORDERS,
        "ANALYZE TABLE orders PERSISTENT FOR ALL",
        "CREATE USER reader@'%' IDENTIFIED BY 'reads'",
        f"GRANT INSERT ON `{SHOP}`.orders TO reader@'%'",
        f"GRANT SELECT ON `{SHOP}`.customer TO reader@'%'",
    )
    try:
        found = read(replace(shop, user="reader", password="reads"))
        assert found.table("orders").rows == pytest.approx(20_000, rel=0.5)
        assert found.table("orders").column("id").statistics is None
        assert known(found, "customer", "id").distinct == 100
        with pytest.raises(StoreError, match="cannot log in") as caught:
            read(replace(shop, user="reader", password="wrong-secret"))
        assert "wrong-secret" not in str(caught.value)
    finally:
        maria(shop, "DROP USER reader@'%'")
