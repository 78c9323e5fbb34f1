"""Statements that servers remember are understood; those of other programs are left out."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluation.kinds import JDBC, LIVE
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import AnswersItself
from tests.stores.live_servers import maria, postgres
from workloads.errors import ConfigurationError
from workloads.progress import Silent
from workloads.sql.statements import understand
from workloads.workload import Workload

pytestmark = pytest.mark.stores

READS = {
    "SELECT o.id, count(*) FROM orders o JOIN customer c ON c.id = o.customer"
    " WHERE o.state IN ('a','b','c') AND c.name LIKE 'x%' GROUP BY 1 LIMIT 3": {
        "orders", "customer"
    },
    "SELECT id FROM orders WHERE day >= date '2020-01-01' AND day < CURRENT_DATE - interval '3' day"
    " AND state=CONCAT('a','b')": {"orders"},
    "SELECT extract(year FROM day), CASE WHEN customer=1 THEN 'one' ELSE 'more' END FROM orders"
    " WHERE customer = -1 AND NOT (state IS NULL OR id IN (7))": {"orders"},
    "SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE customer = customer.id"
    " AND day BETWEEN '2020-01-01' AND '2020-12-31')": {"orders", "customer"},
}  # fmt: skip
OTHERS = (
    "INSERT INTO customer VALUES (1,'a'),(2,'b')",
    "UPDATE orders SET state='z' WHERE id=1",
    "DELETE FROM orders WHERE id=99",
    "BEGIN",
    "COMMIT",
    "SELECT 1",
)


def check(connection: Connection, found: Workload, schema: str | None) -> None:
    """Every statement is understood, with its tables and its executions."""
    catalog = LIVE[connection.kind].catalog(
        connection, Silent(), schemas=(schema,) if schema else ()
    )
    understood = understand(found, catalog, Silent())
    assert [each for each in understood.skipped if each.kind == "invalid"] == []
    read = [f for f in understood.footprints if not f.writes]
    assert sorted(sorted(f.tables) for f in read) == sorted(sorted(t) for t in READS.values())
    assert {f.executions for f in read} == {3.0}
    written = [f.writes for f in (*understood.footprints, *understood.writes) if f.writes]
    assert sorted(map(sorted, written)) == [["customer"], ["orders"], ["orders"]]
    assert all(query.latency_s and 0 < query.latency_s < 1 for query in found.queries)
    times = [query.executions * (query.latency_s or 0) for query in found.queries]
    assert times == sorted(times, reverse=True)


def test_what_postgresql_remembers_is_understood(pg: Connection) -> None:
    postgres(pg, *(READS.keys() | set()), *READS, *READS, *OTHERS)
    found = LIVE["postgresql"].workload(pg)
    assert found.dialect == "postgres"
    check(pg, found, None)
    again = LIVE["postgresql"].workload(pg)
    assert not [q for q in again.queries if "pg_stat_statements" in q.sql and "reset" not in q.sql]


def test_what_mariadb_remembers_is_understood(shop: Connection) -> None:
    maria(shop, *READS, *READS, *READS, *OTHERS, database="shop")
    for schema in ("shop", None):
        found = LIVE["mysql"].workload(shop, schema=schema)
        assert found.dialect == "mysql"
        check(shop, found, schema)
    assert not [q for q in LIVE["mysql"].workload(shop).queries if "column_stats" in q.sql]


def test_the_statements_of_our_own_namespace_are_ours(pg: Connection, shop: Connection) -> None:
    ours = replace(pg, namespace="copies")
    postgres(pg, "CREATE SCHEMA copies", "CREATE TABLE copies.t (a int)", "SELECT a FROM copies.t")
    assert not [q for q in LIVE["postgresql"].workload(ours).queries if "copies" in q.sql]
    assert [q for q in LIVE["postgresql"].workload(pg).queries if "copies" in q.sql]
    maria(shop, "SELECT id FROM orders", database="shop")
    assert LIVE["mysql"].workload(shop, schema="shop").queries
    assert not [
        q
        for q in LIVE["mysql"].workload(replace(shop, namespace="shop")).queries
        if "orders" in q.sql
    ]


def test_statements_of_other_databases_are_left_out(pg: Connection, shop: Connection) -> None:
    postgres(pg, "CREATE TABLE elsewhere (a int)", "SELECT a FROM elsewhere", dbname="postgres")
    postgres(pg, "DROP TABLE elsewhere", dbname="postgres")
    assert not [q for q in LIVE["postgresql"].workload(pg).queries if "elsewhere" in q.sql]
    maria(shop, "CREATE DATABASE other")
    maria(shop, "CREATE TABLE elsewhere (a int)", "SELECT a FROM elsewhere", database="other")
    maria(shop, "DROP DATABASE other", "SELECT id FROM shop.orders")
    maria(shop, "SELECT id FROM orders", database="shop")
    found = LIVE["mysql"].workload(shop, schema="shop")
    assert not [q for q in found.queries if "elsewhere" in q.sql]


def counted_tables(connection: Connection) -> tuple[Mapping[str, float], list[str]]:
    """The executions of each table that is read, and why other statements do not count."""
    live = LIVE["postgresql"]
    understood = understand(live.workload(connection), live.catalog(connection, Silent()), Silent())
    tables: dict[str, float] = {}
    for footprint in understood.footprints:
        for table in footprint.tables:
            tables[table] = tables.get(table, 0) + footprint.executions
    return tables, [each.reason for each in understood.skipped if each.kind == "invalid"]


def test_names_without_a_schema_are_looked_for_on_the_path_of_their_role(pg: Connection) -> None:
    reads = "SELECT city FROM address"
    postgres(
        pg,
        *(f"CREATE SCHEMA {schema}" for schema in ("sales", "crm")),
        *(f"CREATE TABLE {schema}.address (city text)" for schema in ("sales", "crm")),
        f"ALTER DATABASE {pg.database} SET search_path = crm, sales",
        "CREATE ROLE seller LOGIN PASSWORD 'reads'",
        f"ALTER ROLE seller IN DATABASE {pg.database} SET search_path = '$user', sales",
        "GRANT USAGE ON SCHEMA sales TO seller",
        "GRANT SELECT ON sales.address TO seller",
    )
    try:
        postgres(pg, reads, reads)
        postgres(pg, reads, reads, reads, user="seller", password="reads")
        tables, left = counted_tables(pg)
        assert {"crm.address": 2, "sales.address": 3}.items() <= tables.items()
        assert left == []
        kept = LIVE["postgresql"].catalog(pg, Silent()).search_paths
        assert kept[pg.database or "", "seller"].schemas == ("$user", "sales")
        assert kept[pg.database or "", ""].schemas == ("crm", "sales")
        # One session of the user sets another path: its statements have one text.
        postgres(pg, "SET search_path = sales", reads)
        tables, left = counted_tables(pg)
        assert "crm.address" not in tables
        assert all("its user has set others" in reason for reason in left)
        assert left
    finally:
        postgres(pg, "DROP OWNED BY seller", "DROP ROLE seller")


def test_what_is_passed_through_is_no_statement_of_the_users(pg: Connection) -> None:
    backend = JDBC["postgresql"]
    assert isinstance(backend, AnswersItself)
    asked = "SELECT name, count(*) AS passed_through FROM public.customer GROUP BY name"
    assert backend.own_answer(pg, asked, timeout_s=60).types == {"c1": "VARCHAR", "c2": "BIGINT"}
    remembered = LIVE["postgresql"].workload(pg).queries
    assert not [each.sql for each in remembered if "passed_through" in each.sql]


def test_without_statement_statistics_the_error_says_what_to_switch_on(
    embedded: Mapping[str, Connection], remembering: Mapping[str, Connection]
) -> None:
    with pytest.raises(ConfigurationError, match="shared_preload_libraries"):
        LIVE["postgresql"].workload(embedded["pg"])
    with pytest.raises(ConfigurationError, match="performance_schema = ON"):
        LIVE["mysql"].workload(embedded["maria"])
    maria(remembering["maria"], "TRUNCATE performance_schema.events_statements_summary_by_digest")
    with pytest.raises(ConfigurationError, match="remembers no statement yet"):
        LIVE["mysql"].workload(remembering["maria"], schema="none")
