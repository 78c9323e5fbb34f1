"""Remembered statements that count, and the reasons why others do not."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from evaluation.kinds import LIVE
from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import maria, postgres
from workloads.counting.counting import Counting
from workloads.counting.filters import Filters
from workloads.errors import ConfigurationError
from workloads.progress import Silent
from workloads.sources.joined import refuse_nothing_left

pytestmark = pytest.mark.stores


def counted(**filters: Any) -> Counting:
    return Counting(filters=Filters(**filters))


def test_what_the_projects_account_runs_as_others_do_is_not_counted(pg: Connection) -> None:
    asked = "SELECT name FROM customer WHERE id = 1"
    of_one = "SELECT count(*) AS n FROM orders"
    postgres(
        pg,
        "CREATE ROLE clerk LOGIN PASSWORD 'reads'",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk",
    )
    try:
        # The text that came first is kept: a mark of ours in a later one is in no statistics.
        postgres(pg, asked, asked, user="clerk", password="reads")
        postgres(pg, *[asked] * 5)
        found = LIVE["postgresql"].workload(pg)
        executions = {q.sql: q.executions for q in found.queries}
        assert [n for sql, n in executions.items() if "name FROM customer" in sql] == [2.0]
        (ours,) = [each for each in found.skipped if "logs in" in each.reason]
        assert (ours.kind, ours.executions) == ("own", 5.0)
        # An account with statements of its own may be an application's.
        postgres(pg, of_one)
        shared = LIVE["postgresql"].workload(pg)
        executions = {q.sql: q.executions for q in shared.queries}
        assert [n for sql, n in executions.items() if "name FROM customer" in sql] == [7.0]
        assert executions[of_one] == 1.0
        assert not [each for each in shared.skipped if "logs in" in each.reason]
        # Whom the filter names is taken at its word.
        counting = Counting(filters=Filters(user=("clerk", pg.user or "")))
        named = LIVE["postgresql"].workload(pg, counting=counting)
        assert [q.executions for q in named.queries if "name FROM customer" in q.sql] == [7.0]
    finally:
        postgres(pg, "DROP OWNED BY clerk", "DROP ROLE clerk")


def test_filters_of_users_and_databases_hold_where_the_statistics_have_them(
    pg: Connection, shop: Connection
) -> None:
    postgres(
        pg,
        "CREATE ROLE reporter LOGIN PASSWORD 'reads'",
        "GRANT SELECT ON orders, customer TO reporter",
        *["SELECT id FROM orders"] * 2,
    )
    try:
        as_reporter = {"user": "reporter", "password": "reads"}
        reads = ["SELECT id FROM orders"] * 3 + ["SELECT name FROM customer"]
        postgres(pg, *reads, **as_reporter)
        live = LIVE["postgresql"]
        calls = {
            query.sql: query.executions
            for query in live.workload(pg, counting=counted(user=("reporter",))).queries
        }
        assert calls == {"SELECT id FROM orders": 3.0, "SELECT name FROM customer": 1.0}
        both = live.workload(pg, counting=counted(user=("reporter", pg.user))).queries
        assert {q.executions for q in both if q.sql == "SELECT id FROM orders"} == {5.0}
        assert live.workload(pg, counting=counted(database=("remembers",))).queries
        found = live.workload(pg, counting=counted(user=("reporte",)))
        assert found.queries == ()
        with pytest.raises(ConfigurationError, match=f"it has '{pg.user}', 'reporter'"):
            refuse_nothing_left(found, Filters(user=("reporte",)))
    finally:
        postgres(pg, "DROP OWNED BY reporter", "DROP ROLE reporter")
    maria(shop, "SELECT id FROM orders", database="shop")
    live = LIVE["mysql"]
    assert [q.sql for q in live.workload(shop, counting=counted(database=("shop",))).queries]
    assert not live.workload(shop, counting=counted(database=("shp",))).queries


def test_facts_that_statistics_lack_are_said_in_one_line(pg: Connection, shop: Connection) -> None:
    maria(shop, "SELECT id FROM orders", "SELECT name FROM customer", database="shop")
    postgres(pg, "SELECT id FROM orders", "SELECT name FROM customer")
    since = datetime(2025, 5, 1)  # noqa: DTZ001
    for store, filters, lacking in (
        (pg, {"application": ("web",)}, "pg_stat_statements has no application"),
        (pg, {"since": since}, "pg_stat_statements has no time"),
        (shop, {"user": ("ann",)}, "the performance schema's summary has no user"),
        (shop, {"since": since}, "the performance schema's summary has no time"),
    ):
        found = LIVE[store.kind].workload(store, counting=counted(**filters))
        assert found.queries == ()
        (untold,) = (each for each in found.skipped if each.kind == "untold")
        assert untold.reason.startswith(lacking)
        assert untold.statements >= 2
    longest = LIVE["postgresql"].workload(pg, counting=counted(longest_s=100.0))
    assert [q for q in longest.queries if "orders" in q.sql]
    assert not LIVE["postgresql"].workload(pg, counting=counted(shortest_s=100.0)).queries


def test_our_own_statements_and_the_systems_are_counted(pg: Connection, shop: Connection) -> None:
    maria(shop, "SELECT id FROM orders", database="shop")
    maria(shop, "SELECT user FROM user LIMIT 1", database="mysql")
    postgres(pg, "SELECT id FROM orders")
    for store in (pg, shop):
        live = LIVE[store.kind]
        live.catalog(store, Silent())
        kinds = {each.kind: each for each in live.workload(store).skipped}
        assert kinds["own"].statements >= 2
        assert kinds["own"].executions >= kinds["own"].statements
    assert kinds["catalog"].executions >= 1


def test_a_text_that_is_hidden_is_skipped_with_its_executions(pg: Connection) -> None:
    postgres(
        pg,
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'reads'",
        "SELECT id FROM orders",
        "SELECT id FROM orders",
    )
    found = LIVE["postgresql"].workload(replace(pg, user="reader", password="reads"))
    (hidden,) = (each for each in found.skipped if "pg_read_all_stats" in each.reason)
    assert hidden.kind == "unrecorded"
    assert hidden.executions >= 5
    assert not [q for q in found.queries if "orders" in q.sql]
    postgres(pg, "DROP ROLE reader")


def test_a_text_that_is_cut_is_skipped_with_the_limit(shop: Connection) -> None:
    columns = ", ".join(f"id + {index} AS a_column_with_a_long_name_{index}" for index in range(60))
    maria(shop, f"SELECT {columns} FROM orders", "SELECT id FROM orders", database="shop")
    found = LIVE["mysql"].workload(shop, schema="shop")
    assert [each.executions for each in found.skipped if "1024 bytes" in each.reason] == [1.0]
    assert any("orders" in query.sql for query in found.queries)
