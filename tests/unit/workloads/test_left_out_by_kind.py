"""Statements of the advisor, of dumping programs and of maintenance are no workload."""

import pytest

from workloads.counting.counting import Counting
from workloads.counting.facts import UNKNOWN, Facts
from workloads.counting.filters import Filters
from workloads.counting.own import recognised
from workloads.errors import ConfigurationError
from workloads.sources.logs.recorded import workload


def kind(sql, facts=UNKNOWN, namespaces=("placement_advisor", "copies")):
    found = recognised(sql, facts, namespaces)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("application", "expected"),
    [
        ("placement-advisor", "own"),
        ("placement-advisor 3f2a", "own"),
        ("placement-advisors", None),
        ("pg_dump", "dump"),
        ("pg_dumpall", "dump"),
        ("pg_restore", "load"),
        ("psql", None),
        (None, None),
    ],
)
def test_programs_are_told_by_the_name_of_their_sessions(application, expected):
    assert kind("SELECT id FROM public.orders", Facts(application=application)) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT /* placement-advisor */ count(*) FROM shop.orders",
        "/* placement-advisor */ SET SESSION lock_wait_timeout = 60",
        "SELECT count(*) FROM `shop`.`orders` AS placement_advisor",
        "SELECT COUNT ( * ) FROM `shop` . `orders` AS `placement_advisor`",
        "SET @placement_advisor = GET_LOCK(CONCAT('x', CONNECTION_ID()), 0)",
        'COPY "placement_advisor"."orders" FROM STDIN',
        "SELECT o_id FROM `placement_advisor` . `orders` WHERE o_id > ?",
        'SELECT * FROM (SELECT "id" FROM "copies"."orders") SPARK_GEN_SUBQ_0 WHERE 1=0',
        "SELECT * FROM (/* placement advisor run 5739 */ SELECT id FROM orders) AS t WHERE 1=0",
        'COPY (SELECT /* placement-advisor */ "id" FROM "shop"."orders") TO STDOUT (FORMAT csv)',
        "CREATE SCHEMA IF NOT EXISTS copies",
        "CREATE DATABASE `placement_advisor` CHARACTER SET utf8mb4",
    ],
)
def test_the_advisors_own_statements_are_told_by_their_text(sql):
    assert kind(sql) == "own"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM orders WHERE note = 'placement_advisor'",
        "SELECT id FROM orders WHERE note = 'placement-advisor'",
        "SELECT copies FROM prints",
        "SELECT id FROM my_copies.orders",
        "SELECT id FROM copies2.orders",
    ],
)
def test_other_uses_of_the_names_are_workload(sql):
    assert kind(sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT /*!40001 SQL_NO_CACHE */ * FROM `orders`",
        "SELECT /*!40001 SQL_NO_CACHE */ `id`, `note` FROM `orders`",
        "SELECT /*!40001 SQL_NO_CACHE */ `id`, `a``b` FROM `orders`",
        "SELECT SQL_NO_CACHE * FROM `sh``op` . `or``ders`",
        "SELECT SQL_NO_CACHE * FROM `shop` . `orders`",
        "DECLARE _pg_dump_cursor CURSOR FOR SELECT id, note FROM ONLY public.orders",
        "FETCH 100 FROM _pg_dump_cursor",
        'SELECT last_value, is_called FROM care."Order_orderId_seq"',
        "SELECT last_value, is_called FROM public.orders_id_seq;",
        'SELECT last_value, is_called FROM "my ""shop"""."a.b_seq"',
        "SELECT next_not_cached_value FROM `or``ders_seq`",
        "SELECT `next_not_cached_value` FROM `shop` . `orders_seq`",
    ],
)
def test_dumps_are_told_by_their_text(sql):
    assert kind(sql) == "dump"


def test_a_query_that_avoids_the_cache_is_no_dump():
    assert kind("SELECT SQL_NO_CACHE * FROM orders WHERE id = 1") is None
    assert kind("SELECT SQL_NO_CACHE id FROM `orders`") is None
    assert kind("SELECT /*!40001 SQL_NO_CACHE */ count(*) FROM orders") is None
    assert kind("SELECT /*!40001 SQL_NO_CACHE */ `id` FROM orders") is None


def test_a_query_on_columns_that_are_called_like_a_sequences_is_no_dump():
    assert kind("SELECT last_value, is_called FROM public.gauge WHERE id = 1") is None
    assert kind("SELECT last_value, is_called FROM public.gauge, public.meter") is None
    assert kind("SELECT last_value, is_called FROM gauge") is None
    assert kind("SELECT last_value FROM public.gauge") is None
    assert kind("SELECT next_not_cached_value FROM `gauge` WHERE `id` = 1") is None


# As PostgreSQL 18 and MariaDB 11.4 wrote them.
POSTGRESQL = """\
2026-11-25 16:39:19.912 UTC [28940] shop@postgres/shop web LOG:  duration: 1.022 ms  statement: \
SELECT note FROM orders WHERE id = 1
2026-11-25 16:39:20.365 UTC [28942] shop@postgres/pg_dump LOG:  duration: 0.054 ms  statement: \
COPY public.orders (id, note) TO stdout;
2026-11-25 16:39:20.365 UTC [28942] shop@postgres/pg_dump LOG:  duration: 0.054 ms  statement: \
SELECT note FROM orders WHERE id = 2
2026-11-25 16:39:20.458 UTC [28944] shop@postgres LOG:  duration: 0.145 ms  statement: \
DECLARE _pg_dump_cursor CURSOR FOR SELECT id, note FROM ONLY public.orders
2026-11-25 16:39:20.725 UTC [28947] shop@postgres/placement-advisor LOG:  duration: 0.045 ms  \
execute <unnamed>: SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1
"""
MARIADB = """\
261125 16:39:21\t     6 Connect\tshop@127.0.0.1 on shop using TCP/IP
\t\t     6 Query\tSELECT * FROM `orders`
\t\t     7 Query\tSELECT /*!40001 SQL_NO_CACHE */ * FROM `orders`
\t\t     8 Query\t/* placement-advisor */ SELECT * FROM `orders`
"""


def left_out(path, **filters):
    found = workload(path, counting=Counting(filters=Filters(**filters) if filters else None))
    kinds = [(each.kind, each.statements, each.line) for each in found.skipped]
    return [(query.sql, query.executions) for query in found.queries], kinds


def test_each_kind_is_counted_in_postgresqls_log(tmp_path):
    log = tmp_path / "pg.log"
    log.write_text(POSTGRESQL)
    assert left_out(log) == (
        [("SELECT note FROM orders WHERE id = 1", 1.0)],
        [("dump", 3, 2), ("own", 1, 5)],
    )


def test_a_dump_of_a_table_is_not_counted_for_the_query_of_the_same_text(tmp_path):
    """A comment is no part of a template."""
    log = tmp_path / "general.log"
    log.write_text(MARIADB)
    assert left_out(log) == (
        [("SELECT * FROM `orders`", 1.0)],
        [("dump", 1, 3), ("own", 1, 4)],
    )


def test_what_a_filter_leaves_out_is_of_no_other_kind(tmp_path):
    log = tmp_path / "pg.log"
    log.write_text(POSTGRESQL)
    assert left_out(log, application=("shop web",))[1] == [("filtered", 3, 2), ("untold", 1, 4)]


def test_a_log_with_nothing_but_dumps_is_refused(tmp_path):
    log = tmp_path / "general.log"
    log.write_text(
        MARIADB.replace("SELECT * FROM `orders`", "SELECT /*!40001 SQL_NO_CACHE */ * FROM `o`")
    )
    with pytest.raises(ConfigurationError, match=r"3 records were left out, the first in .*:2: a"):
        workload(log)


def test_a_users_alias_that_is_called_like_the_copies_schema_is_no_statement_of_ours():
    for sql in (
        "SELECT copies.k FROM t AS copies WHERE copies.k = 1",
        "SELECT a, copies.k FROM u JOIN t AS copies ON copies.k = u.k",
        "SELECT k FROM t AS copies WHERE note = 'in copies. of'",
    ):
        assert kind(sql) is None
    for sql in (
        'SELECT k FROM "copies"."t"',
        "SELECT 1 FROM a JOIN copies.t",
        "COPY copies.t FROM x",
    ):
        assert kind(sql) == "own"
