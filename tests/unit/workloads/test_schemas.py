"""Tables of one name in several schemas: statements mean what they mean where schemas are real."""

from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest

from tests.answers import differ
from workloads.catalog import Catalog, Column, Table, View
from workloads.errors import SqlError, UnknownTableError
from workloads.progress import Silent
from workloads.sql.resolving.schemas import with_unique_names, with_unique_views
from workloads.sql.statements import Understood, understand
from workloads.sql.translate import meant
from workloads.workload import Query, Workload

COLUMNS = {
    ("sales", "address"): ("id", "city"),
    ("crm", "address"): ("id", "customer_id", "city"),
    ("sales", "orders"): ("id", "address_id", "total"),
    ("crm", "customer"): ("id", "name", "address_id"),
}
STATEMENTS = (
    "SELECT city, count(*) AS n FROM crm.address GROUP BY city",
    (
        "SELECT sales.address.city, sum(total) AS t FROM sales.orders "
        "JOIN sales.address ON sales.orders.address_id = sales.address.id GROUP BY 1"
    ),
    (
        "SELECT sales.address.city AS a, crm.address.city AS b "
        "FROM sales.address JOIN crm.address ON sales.address.id = crm.address.id"
    ),
    (
        "SELECT a.city FROM crm.address AS a JOIN sales.address b ON a.id = b.id "
        "WHERE EXISTS (SELECT 1 FROM sales.orders o WHERE o.address_id = b.id)"
    ),
    "SELECT name FROM customer WHERE address_id IN (SELECT id FROM crm.address WHERE city < 'c3')",
    (
        "SELECT address.city FROM sales.address WHERE id IN "
        "(SELECT address.id FROM crm.address WHERE address.city = 'c1')"
    ),
    (
        "SELECT address.city FROM sales.address WHERE EXISTS "
        "(SELECT 1 FROM crm.address WHERE crm.address.id = sales.address.id)"
    ),
    "WITH address AS (SELECT id FROM crm.address) SELECT count(*) AS n FROM address",
    "WITH x AS (SELECT * FROM sales.address) SELECT x.city FROM x JOIN crm.address y USING (id)",
    "SELECT city FROM address ORDER BY id",
    'SELECT "Address".city FROM "SALES"."Address" ORDER BY 1',
    "SELECT big.city FROM crm.big ORDER BY big.id",
    (
        "SELECT address.city FROM sales.address WHERE address.id IN "
        "(SELECT address.id FROM crm.address JOIN sales.orders ON orders.id = address.id "
        "WHERE address.city < 'c3')"
    ),
    "SELECT city FROM sales.address UNION SELECT address.city FROM crm.address",
    "SELECT o.id, address.city FROM sales.orders o LEFT JOIN crm.address ON address.id = o.id",
    (
        "SELECT a.n, b.n FROM (SELECT count(*) AS n FROM sales.address) a, "
        "(SELECT count(*) AS n FROM crm.address) b"
    ),
    "SELECT address.* FROM crm.address",
)


def catalog(*, schemas: bool = True) -> Catalog:
    """Return the tables; without `schemas` nothing tells which they are in."""
    tables = {}
    for (schema, own), names in COLUMNS.items():
        name = f"{schema}.{own}" if own == "address" else own
        columns = tuple(
            Column(
                name=each,
                type="VARCHAR" if each in ("city", "name") else "INTEGER",
                width_bytes=4.0,
            )
            for each in names
        )
        tables[name] = Table(
            name=name,
            columns=columns,
            rows=10,
            fingerprint="",
            schema=schema if schemas else "",
        )
    view = View(
        name="big",
        sql="SELECT address.id, address.city FROM crm.customer JOIN crm.address "
        "ON address.id = customer.address_id",
        dialect="postgres",
        schema="crm",
    )
    return with_unique_views(Catalog(name="c", tables=tables, views={"big": view}))


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Both worlds: tables in real schemas, and the same under their unique names."""
    connection = duckdb.connect(":memory:")
    for number, ((schema, own), columns) in enumerate(COLUMNS.items()):
        values = ", ".join(
            f"'c' || ((i + {number}) % 4) AS {each}"
            if each in ("city", "name")
            else f"(i * {3 + place + number}) % {7 + number} AS {each}"
            for place, each in enumerate(columns)
        )
        name = f"{schema}.{own}" if own == "address" else own
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        connection.execute(f"CREATE TABLE {schema}.{own} AS SELECT {values} FROM range(20) t(i)")
        connection.execute(f'CREATE TABLE main."{name}" AS FROM {schema}.{own}')
    connection.execute(
        "CREATE VIEW crm.big AS SELECT address.id, address.city FROM crm.customer "
        "JOIN crm.address ON address.id = customer.address_id"
    )
    yield connection
    connection.close()


def query(sql: str, **others: str) -> Query:
    return Query(name="q", sql=sql, origin="q.sql", **others)  # type: ignore[arg-type]


def understood(sql: str, found: Catalog | None = None) -> Understood:
    workload = Workload(name="w", dialect="postgres", queries=(query(sql),))
    return understand(workload, found or catalog(), Silent(), ("sales",))


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_statement_means_what_it_means_where_schemas_are_real(
    database: duckdb.DuckDBPyConnection, sql: str
):
    found = understood(sql)
    (read,) = found.workload.queries
    database.execute("SET search_path = 'sales,crm'")
    database.execute(f"CREATE OR REPLACE TEMP TABLE expected AS {sql}")
    written = meant(read, found.catalog, "postgres")
    database.execute("SET search_path = 'main'")
    assert differ(database, "FROM expected", f"FROM ({written})") is None
    assert database.execute("SELECT count(*) FROM expected").fetchone() != (0,)


def test_all_columns_of_a_table_are_asked_for_by_its_schema():
    # DuckDB does not take this text as it was written.
    asked = query("SELECT sales.address.* FROM sales.address JOIN crm.address USING (id)")
    assert with_unique_names(asked, catalog(), "postgres").sql == (
        'SELECT "sales.address".* FROM "sales.address" JOIN "crm.address" USING (id)'
    )
    (read,) = understood(asked.sql).footprints
    assert {each.table: each.columns for each in read.sources()} == {
        "sales.address": ("city", "id"),
        "crm.address": ("id",),
    }


def test_tables_of_one_name_are_two_tables():
    found = understood(STATEMENTS[2])
    (footprint,) = found.footprints
    assert footprint.tables == {"sales.address", "crm.address"}
    found = understood(
        "UPDATE crm.address SET city = 'x' WHERE id IN (SELECT id FROM sales.address)"
    )
    assert [each.writes for each in found.footprints] == [{"crm.address"}]


def test_a_table_of_another_schema_is_never_counted_for_one_of_its_name():
    found = understood("SELECT city FROM hr.address")
    assert not found.footprints
    (skipped,) = found.skipped
    assert skipped.reason == (
        "unknown table 'hr.address'; the catalog has 'sales.address' and 'crm.address'"
    )
    with pytest.raises(UnknownTableError, match=r"q.sql:1:15: unknown table 'hr.orders'"):
        with_unique_names(query("SELECT 1 FROM hr.orders"), catalog(), "postgres")


def test_a_name_that_may_be_two_tables_is_refused_with_the_way_out():
    with pytest.raises(SqlError, match=r"in the schemas 'sales' and 'crm'.*search_path"):
        with_unique_names(query("SELECT city FROM address"), catalog(), "postgres")
    own = query("SELECT city FROM address", schema="crm")
    read = with_unique_names(own, catalog(), "postgres", ("sales",))
    assert read.sql == 'SELECT city FROM "crm.address"'


def test_in_mysql_a_name_without_a_schema_is_of_the_database_in_use_alone():
    elsewhere = query("SELECT id FROM customer", schema="sales")
    with pytest.raises(UnknownTableError, match=r"'sales.customer'; the catalog has 'crm.customer"):
        with_unique_names(elsewhere, catalog(), "mysql", ("crm",))
    here = query("SELECT id FROM address", schema="crm")
    read = with_unique_names(here, catalog(), "mysql", ("sales",))
    assert read.sql == "SELECT id FROM `crm.address`"
    unknown = catalog(schemas=False)
    assert with_unique_names(elsewhere, unknown, "mysql").sql == elsewhere.sql


def test_where_nothing_tells_of_schemas_every_text_stays_as_it_is():
    asked = query("SELECT city FROM any.address")
    assert with_unique_names(asked, catalog(schemas=False), "postgres").sql == asked.sql
    without = replace(catalog(schemas=False), views={})
    assert with_unique_names(asked, without, "postgres") is asked


@pytest.mark.parametrize("schemas", [("", "public"), ("public", "")])
def test_a_table_without_a_schema_is_another_than_its_twin_in_one(schemas):
    names = {"": "orders", "public": "public.orders"}
    columns = (Column(name="id", type="INTEGER", width_bytes=4.0),)
    tables = {
        names[schema]: Table(
            name=names[schema], columns=columns, rows=10, fingerprint="", schema=schema
        )
        for schema in schemas
    }
    twins = Catalog(name="c", tables=tables)
    for sql, expected in (
        ("SELECT orders.id FROM orders", "SELECT orders.id FROM orders"),
        (
            "SELECT orders.id FROM public.orders",
            'SELECT "public.orders".id FROM "public.orders"',
        ),
    ):
        once = with_unique_names(query(sql), twins, "postgres")
        assert once.sql == expected
        assert with_unique_names(once, twins, "postgres") is once


@pytest.mark.parametrize(
    ("sql", "reads", "writes"),
    [
        (
            (
                "WITH item AS (SELECT a.id FROM crm.address a) "
                "SELECT item.id FROM public.item AS i JOIN item ON item.id = i.id"
            ),
            {"crm.address", "item"},
            set(),
        ),
        (
            (
                "WITH RECURSIVE item AS (SELECT 1 AS n UNION ALL SELECT item.n + 1 FROM item"
                " WHERE n < 5) SELECT n, (SELECT max(id) FROM public.item) FROM item"
            ),
            {"item"},
            set(),
        ),
        (
            "WITH item AS (SELECT id FROM crm.address) INSERT INTO public.item SELECT id FROM item",
            {"crm.address"},
            {"item"},
        ),
        ("WITH item AS (SELECT id FROM crm.address) SELECT id FROM item", {"crm.address"}, set()),
    ],
)
def test_a_table_behind_its_schema_is_no_cte_of_its_name(sql, reads, writes):
    columns = (Column(name="id", type="INTEGER", width_bytes=4.0),)
    names = (("crm.address", "crm"), ("sales.address", "sales"), ("item", "public"))
    tables = {
        name: Table(name=name, columns=columns, rows=9, fingerprint="", schema=schema)
        for name, schema in names
    }
    catalog = Catalog(name="c", tables=tables)
    asked = Workload(name="w", dialect="postgres", queries=(query(sql),))
    found = understand(asked, catalog, Silent())
    assert found.skipped == ()
    (footprint,) = found.footprints
    assert (footprint.tables, footprint.writes) == (reads, writes)
