"""A PostgreSQL's own knowledge as a catalog."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from evaluation.kinds import LIVE
from evaluation.store_protocol.connection import NAMESPACE, Connection
from tests.stores.live_servers import database, days, known, postgres
from workloads.catalog import Catalog, ColumnStatistics, ForeignKey
from workloads.errors import CatalogError, StoreError
from workloads.progress import Silent
from workloads.sql.resolving.schemas import with_unique_views
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

pytestmark = pytest.mark.stores


@pytest.fixture
def pg(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """An empty database."""
    with database(embedded["pg"], "live catalog") as connection:
        yield connection


def read(connection: Connection, schema: str | None = None) -> Catalog:
    return LIVE["postgresql"].catalog(connection, Silent(), schemas=(schema,) if schema else ())


ORDERS = (
    "CREATE TABLE customer (id int PRIMARY KEY, name text)",
    "INSERT INTO customer SELECT g, repeat('n', 10) FROM generate_series(1, 100) g",
    (
        "CREATE TABLE orders (id bigint PRIMARY KEY, customer int REFERENCES customer (id),"
        " day date, total numeric(9, 2), state text, note text)"
    ),
    (
        "INSERT INTO orders SELECT g, 1 + g % 100, DATE '2020-01-01' + g % 500, g / 100.0,"
        " CASE WHEN g % 10 < 7 THEN 'done' WHEN g % 10 < 9 THEN 'open' END, NULL"
        " FROM generate_series(1, 20000) g"
    ),
)


def test_what_analyze_found_becomes_statistics(pg: Connection) -> None:
    postgres(pg, *ORDERS, "ANALYZE")
    found = read(pg)
    orders = found.table("orders")
    assert orders.rows == 20_000
    assert {c.name: c.type for c in orders.columns} == {
        "id": "BIGINT", "customer": "INTEGER", "day": "DATE", "total": "DECIMAL(9,2)",
        "state": "VARCHAR", "note": "VARCHAR",
    }  # fmt: skip
    assert known(found, "orders", "id").distinct == 20_000
    assert (known(found, "orders", "id").minimum, known(found, "orders", "id").maximum) == (
        1,
        20_000,
    )
    assert len(known(found, "orders", "id").histogram) == 101
    day = known(found, "orders", "day")
    assert (day.minimum, day.maximum) == (days(2020, 1, 1), days(2021, 5, 14))
    state = known(found, "orders", "state")
    assert state.null_share == pytest.approx(0.1, abs=0.01)
    assert dict(state.common) == {"done": pytest.approx(0.7), "open": pytest.approx(0.2)}
    assert (state.minimum, state.maximum) == (None, None)
    # Four letters nine times of ten.
    assert orders.column("state").width_bytes == pytest.approx(3.6, abs=0.1)
    assert found.table("customer").column("name").width_bytes == 10


def test_keys_are_the_declared_ones(pg: Connection) -> None:
    postgres(pg, *ORDERS)
    postgres(
        pg,
        "CREATE TABLE line (o bigint, n int, PRIMARY KEY (n, o))",
        "CREATE TABLE part (l int, k bigint, FOREIGN KEY (l, k) REFERENCES line (n, o))",
    )
    found = read(pg)
    assert found.table("orders").primary_key == ("id",)
    assert found.table("orders").foreign_keys == (
        ForeignKey(columns=("customer",), table="customer", references=("id",)),
    )
    assert found.table("line").primary_key == ("n", "o")
    assert found.table("part").foreign_keys == (
        ForeignKey(columns=("l", "k"), table="line", references=("n", "o")),
    )


def test_a_table_that_was_never_analysed_is_counted_and_sampled(pg: Connection) -> None:
    postgres(pg, *(statement for statement in ORDERS if "ANALYZE" not in statement))
    found = read(pg)
    assert found.table("orders").rows == 20_000
    assert known(found, "orders", "id").distinct == 20_000
    assert known(found, "orders", "day").maximum == days(2021, 5, 14)
    assert known(found, "orders", "state").null_share == pytest.approx(0.1)
    assert found.table("customer").column("name").width_bytes == 10


def test_distinct_values_of_a_large_sampled_table_are_extrapolated(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE wide AS SELECT g AS key, g % 1000 AS thousand, 'x' AS one"
        " FROM generate_series(1, 300000) g",
    )
    found = read(pg)
    assert found.table("wide").rows == 300_000
    assert known(found, "wide", "key").distinct == pytest.approx(300_000, rel=0.02)
    assert known(found, "wide", "thousand").distinct == pytest.approx(1000, rel=0.02)
    assert known(found, "wide", "one").distinct == 1


def test_empty_tables_and_columns_of_nulls_are_known_as_such(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE nothing (a int, b text)",
        "CREATE TABLE nulls AS SELECT g AS id, NULL::int AS n, NULL::text AS t"
        " FROM generate_series(1, 50) g",
        "CREATE TABLE bare ()",
        "ANALYZE nulls",
    )
    found = read(pg)
    assert found.table("nothing").rows == 0
    assert known(found, "nothing", "a") == ColumnStatistics(distinct=0, null_share=0.0)
    assert known(found, "nulls", "n") == ColumnStatistics(distinct=0, null_share=1.0)
    assert known(found, "nulls", "t").null_share == 1.0
    assert found.table("bare").columns == ()


def test_types_are_called_as_duckdb_does_and_unknown_ones_are_text(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN price AS numeric(7, 3)",
        "CREATE DOMAIN tax AS price",
        "CREATE TABLE t (a smallint, b real, c double precision, d numeric, e numeric(50, 2),"
        " f varchar(9), g char(3), h bool, i timestamp, j timestamptz, k time, l uuid, m bytea,"
        " n json, o jsonb, p int[], q mood, r tax, s interval, u inet, v numeric(5, -2))",
        "INSERT INTO t (a, n, p, q, i, j, m) VALUES (1, '{\"x\": 1}', '{1,2}', 'glad',"
        " 'infinity', '2024-01-02 03:00+02', '\\x00ff')",
        "INSERT INTO t (a, p, i, j) VALUES (2, '{3}', '4713-01-01 BC', '2024-01-02 01:00Z')",
    )
    for _ in range(2):
        found = read(pg)
        assert [c.type for c in found.table("t").columns] == [
            "SMALLINT", "FLOAT", "DOUBLE", "DOUBLE", "DOUBLE", "VARCHAR", "VARCHAR", "BOOLEAN",
            "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME", "UUID", "BLOB", "VARCHAR", "VARCHAR",
            "VARCHAR", "VARCHAR", "DECIMAL(7,3)", "INTERVAL", "VARCHAR", "DOUBLE",
        ]  # fmt: skip
        assert known(found, "t", "i").minimum is None
        moment = days(2024, 1, 2) + 1 / 24
        assert known(found, "t", "j").minimum == pytest.approx(moment)
        assert known(found, "t", "n").null_share == 0.5
        postgres(pg, "ANALYZE")


def test_names_may_be_quoted_in_any_script_and_case(pg: Connection) -> None:
    postgres(
        pg,
        'CREATE SCHEMA "My Schema"',
        'CREATE TABLE "My Schema"."Order ""Lines""" ("Größe" int PRIMARY KEY, "select" text)',
        'INSERT INTO "My Schema"."Order ""Lines""" VALUES (1, \'a\'), (2, NULL)',
        'CREATE VIEW "My Schema"."漢字" AS SELECT "Größe" FROM "My Schema"."Order ""Lines"""',
    )
    found = read(pg)
    assert found.table('Order "Lines"').primary_key == ("Größe",)
    assert known(found, 'Order "Lines"', "select").null_share == 0.5
    assert found.views["漢字"].columns == ("Größe",)


def test_one_name_in_two_schemas_is_two_tables(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE SCHEMA old",
        "CREATE TABLE old.orders (a int)",
        "CREATE TABLE orders (a int PRIMARY KEY, b int)",
        "CREATE TABLE old.lines (o int REFERENCES orders)",
        "CREATE VIEW old.both AS SELECT o.b FROM public.orders o JOIN old.orders USING (a)",
    )
    found = read(pg)
    assert set(found.tables) == {"old.orders", "public.orders", "lines"}
    assert len(found.table("public.orders").columns) == 2
    assert found.table("old.orders").schema == "old"
    (key,) = found.table("lines").foreign_keys
    assert key.table == "public.orders"
    view = with_unique_views(found).views["both"].sql
    assert '"public.orders" o' in view
    assert 'JOIN "old.orders" USING (a)' in view
    assert len(read(pg, "old").table("orders").columns) == 1
    postgres(pg, 'CREATE TABLE old."Orders" (a int)')
    postgres(pg, "CREATE VIEW old.few AS SELECT a FROM old.orders")
    found = with_unique_views(read(pg, "old"))
    assert {name: table.own_name for name, table in found.tables.items()} == {
        "lines": "lines",
        "Orders_1": "Orders",
        "orders_2": "orders",
    }
    assert '"orders_2"' in found.views["few"].sql


def test_a_database_without_tables_is_an_error(pg: Connection) -> None:
    postgres(pg, "CREATE VIEW v AS SELECT 1 AS one")
    with pytest.raises(CatalogError, match="no table of the users' own"):
        read(pg)
    with pytest.raises(CatalogError, match="in the schema 'none'"):
        read(pg, "none")


def test_our_own_copies_are_read_only_when_asked_for(pg: Connection) -> None:
    postgres(
        pg,
        f"CREATE SCHEMA {NAMESPACE}",
        f"CREATE TABLE {NAMESPACE}.copied (a int)",
        f"CREATE TABLE {NAMESPACE}._advisor_register (a int)",
        f"CREATE TABLE {NAMESPACE}._advisor_staging_1 (a int)",
        "CREATE TABLE own (a int)",
    )
    assert set(read(pg).tables) == {"own"}
    assert set(read(pg, NAMESPACE).tables) == {"copied"}


def test_views_name_their_tables_without_a_schema(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE SCHEMA other",
        "CREATE TABLE other.orders (a int, b text)",
        "CREATE VIEW large (number) AS SELECT a FROM other.orders WHERE a > 100",
        "CREATE FUNCTION other.\"Doubled\"(x int) RETURNS int LANGUAGE sql AS 'SELECT 2 * x'",
    )
    found = read(pg)
    assert "doubled" in found.functions
    assert "count" not in found.functions
    view = found.views["large"]
    assert view.dialect == "postgres"
    assert view.columns == ("number",)
    assert "other" not in view.sql
    assert not view.sql.endswith(";")


def test_partitions_are_one_table_and_materialised_views_are_tables(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE sales (day date, amount int) PARTITION BY RANGE (day)",
        "CREATE TABLE sales_1 PARTITION OF sales FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')",
        "CREATE TABLE sales_2 PARTITION OF sales FOR VALUES FROM ('2021-01-01') TO ('2022-01-01')"
        " PARTITION BY RANGE (day)",
        "CREATE TABLE sales_3 PARTITION OF sales_2 DEFAULT",
        "INSERT INTO sales SELECT DATE '2020-01-01' + g % 700, g FROM generate_series(1, 5000) g",
        "CREATE MATERIALIZED VIEW monthly AS SELECT date_trunc('month', day)::date AS month,"
        " sum(amount) AS amount FROM sales GROUP BY 1",
    )
    for _ in range(2):
        found = read(pg)
        assert set(found.tables) == {"sales", "monthly"}
        assert found.table("sales").rows == 5000
        assert known(found, "sales", "day").maximum == days(2021, 11, 30)
        assert found.table("monthly").rows == 23
        postgres(pg, "ANALYZE")
    assert set(found.views) == {"sales_1", "sales_2", "sales_3"}
    statements = tuple(
        Query(name=name, sql=f"SELECT count(*) FROM {name} WHERE amount > 7", origin="q.sql")
        for name in found.views
    )
    workload = Workload(name="w", dialect="postgres", queries=statements)
    understood = understand(workload, found, Silent())
    assert (understood.skipped, understood.passed_through) == ((), ())
    assert [each.tables for each in understood.footprints] == [{"sales"}] * 3
    for footprint in understood.footprints:
        bounds = [f for block in footprint.blocks for f in block.filters if "'20" in f.sql]
        assert {column for each in bounds for _, column in each.columns} == {"day"}


def test_a_table_with_heirs_has_their_rows_and_no_key(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE city (id int PRIMARY KEY, name text)",
        "CREATE TABLE capital (state text) INHERITS (city)",
        "CREATE TABLE river (id int PRIMARY KEY)",
        "INSERT INTO city SELECT g, 'c' FROM generate_series(1, 70) g",
        "INSERT INTO capital SELECT g, 'd', 's' FROM generate_series(1, 50) g",
    )
    for _ in range(2):
        found = read(pg)
        assert {name: (each.rows, each.has_children) for name, each in found.tables.items()} == {
            "city": (120, True),
            "capital": (50, False),
            "river": (0, False),
        }
        assert found.table("city").primary_key == ()
        assert found.table("river").primary_key == ("id",)
        postgres(pg, "ANALYZE")


def test_rows_follow_the_size_of_a_table_that_has_grown(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE grown (a int) WITH (autovacuum_enabled = false)",
        "INSERT INTO grown SELECT generate_series(1, 10000)",
        "ANALYZE grown",
    )
    before = read(pg).table("grown")
    postgres(pg, "INSERT INTO grown SELECT generate_series(1, 30000)")
    after = read(pg).table("grown")
    assert before.rows == 10_000
    assert after.rows == pytest.approx(40_000, rel=0.02)
    assert after.fingerprint != before.fingerprint
    assert read(pg).table("grown").fingerprint == after.fingerprint


def test_a_table_that_may_not_be_read_is_there_without_statistics(pg: Connection) -> None:
    postgres(
        pg,
        *ORDERS,
        "ANALYZE orders",
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'reads'",
        "CREATE TABLE other (a int)",
        "INSERT INTO other SELECT generate_series(1, 3)",
        "GRANT SELECT ON other TO reader",
    )
    try:
        reader = replace(pg, user="reader", password="reads")
        found = read(reader)
        assert found.table("orders").rows == 20_000
        assert all(column.statistics is None for column in found.table("orders").columns)
        assert found.table("customer").rows == pytest.approx(100, rel=0.9)
        assert known(found, "other", "a").distinct == 3
        postgres(pg, "REVOKE SELECT ON pg_catalog.pg_stats FROM public", "ANALYZE other")
        again = read(reader)
        assert again.table("orders").rows == 20_000
        assert again.table("other").rows == 3
    finally:
        postgres(
            pg, "GRANT SELECT ON pg_catalog.pg_stats TO public", "DROP OWNED BY reader",
            "DROP ROLE reader",
        )  # fmt: skip


def test_a_wrong_password_is_not_in_the_error(pg: Connection) -> None:
    with pytest.raises(StoreError, match="cannot log in") as caught:
        read(replace(pg, password="wrong-secret"))
    assert "wrong-secret" not in str(caught.value)


def test_two_hundred_tables_are_read_in_seconds(pg: Connection) -> None:
    columns = ", ".join(f"c{index} int" for index in range(12))
    postgres(pg, *(f"CREATE TABLE t{number} ({columns}, s text)" for number in range(200)))
    fill = ", ".join("g" for _ in range(12))
    postgres(
        pg,
        *(
            f"INSERT INTO t{number} SELECT {fill}, 'text' FROM generate_series(1, 100) g"
            for number in range(200)
        ),
    )
    # In seconds of a core: what else the machine does is none of our business.
    started = time.process_time()
    sampled = read(pg)
    sampled_s = time.process_time() - started
    postgres(pg, "ANALYZE")
    started = time.process_time()
    analysed = read(pg)
    analysed_s = time.process_time() - started
    assert len(sampled.tables) == len(analysed.tables) == 200
    assert known(sampled, "t199", "c3").distinct == known(analysed, "t199", "c3").distinct == 100
    assert analysed_s < 1
    assert sampled_s < 15
