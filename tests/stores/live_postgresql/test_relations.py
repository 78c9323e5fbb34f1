"""A PostgreSQL's tables, keys, views and partitions as a catalog."""

from dataclasses import replace

import pytest

from evaluation.store_protocol.connection import NAMESPACE, Connection
from tests.stores.live_postgresql.catalogs import ORDERS, read
from tests.stores.live_servers import days, known, postgres
from workloads.catalog import ForeignKey
from workloads.errors import CatalogError, StoreError
from workloads.progress import Silent
from workloads.sql.resolving.schemas import with_unique_views
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

pytestmark = pytest.mark.stores


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


def test_a_wrong_password_is_not_in_the_error(pg: Connection) -> None:
    with pytest.raises(StoreError, match="cannot log in") as caught:
        read(replace(pg, password="wrong-secret"))
    assert "wrong-secret" not in str(caught.value)
