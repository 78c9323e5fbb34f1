from pathlib import Path

import pytest

from evaluation.installation.artifacts import cache_folder
from tests.catalogs import shop
from tests.footprints import footprint as plain
from workloads.access_graph import access_graph
from workloads.benchmarks import tpch
from workloads.footprint import Footprint
from workloads.progress import Silent
from workloads.query_access import query_access
from workloads.sql import footprint
from workloads.workload import Query

PAIR = "customer.c_id", "orders.o_customer"


def of(sql: str, dialect: str = "duckdb", executions: float = 1.0) -> Footprint:
    query = Query(name=sql, sql=sql, origin="q.sql", executions=executions)
    return footprint(query, shop(), dialect)


def edges(sql: str, dialect: str = "duckdb") -> set[tuple[str, str, str]]:
    found = access_graph([of(sql, dialect)]).joins
    return {(edge.left, edge.right, edge.kind) for edge in found}


@pytest.mark.parametrize(
    "sql",
    [
        "WITH c AS (SELECT c_id FROM customer) SELECT 1 FROM c JOIN orders ON c_id = o_customer",
        "WITH c(a) AS (SELECT c_id FROM customer) SELECT 1 FROM c, orders WHERE a = o_customer",
        "SELECT 1 FROM (SELECT c_id FROM customer) AS t(a) JOIN orders ON t.a = o_customer",
        (
            "WITH c AS (SELECT c_id AS a FROM customer), d AS (SELECT a AS b FROM c), "
            "e AS (SELECT o_customer AS k FROM orders) SELECT 1 FROM d JOIN e ON b = k"
        ),
        "SELECT 1 FROM (SELECT * FROM (SELECT * FROM customer)) JOIN orders ON c_id = o_customer",
        (
            "SELECT 1 FROM customer, LATERAL (SELECT o_total FROM orders "
            "WHERE o_customer = c_id) AS o"
        ),
        (
            "SELECT 1 FROM customer, orders WHERE (o_id = 1 AND c_id = o_customer) OR "
            "(c_id = o_customer AND o_id = 2)"
        ),
        "SELECT 1 FROM customer JOIN (SELECT o_customer AS c_id FROM orders) USING (c_id)",
        "SELECT 1 FROM customer NATURAL JOIN (SELECT o_customer AS c_id FROM orders)",
    ],
)
def test_a_join_on_a_ctes_or_derived_tables_column_is_an_edge_between_base_tables(sql: str):
    assert edges(sql) == {(*PAIR, "inner")}


def test_a_join_on_a_unions_column_reaches_every_operand():
    assert edges(
        "WITH u(k) AS (SELECT c_id FROM customer UNION ALL SELECT o_customer FROM orders) "
        "SELECT 1 FROM u JOIN item ON i_order = k"
    ) == {
        ("customer.c_id", "item.i_order", "inner"),
        ("item.i_order", "orders.o_customer", "inner"),
    }


def test_union_by_name_is_followed_by_name():
    assert edges(
        "WITH u AS (SELECT c_id AS k, c_name AS n FROM customer "
        "UNION ALL BY NAME SELECT 'x' AS n, o_customer AS k FROM orders) "
        "SELECT 1 FROM u JOIN item ON i_order = k"
    ) == {
        ("customer.c_id", "item.i_order", "inner"),
        ("item.i_order", "orders.o_customer", "inner"),
    }


@pytest.mark.parametrize("dialect", ["duckdb", "tsql"])
def test_a_recursive_cte_stems_from_both_its_operands(dialect: str):
    recursive = "RECURSIVE" if dialect == "duckdb" else ""
    found = edges(
        f"WITH {recursive} r AS (SELECT c_id AS n FROM customer UNION ALL "
        "SELECT i_order FROM r JOIN item ON i_line = n) SELECT 1 AS one FROM r JOIN orders "
        "ON n = o_customer",
        dialect,
    )
    assert found == {
        (*PAIR, "inner"),
        ("item.i_order", "orders.o_customer", "inner"),
        ("customer.c_id", "item.i_line", "inner"),
        ("item.i_line", "item.i_order", "inner"),
    }


@pytest.mark.parametrize(
    ("condition", "is_edge"),
    [
        ("CAST(c_id AS VARCHAR) = upper(o_customer)", True),
        ("coalesce(c_id, 0) + 1 = o_customer", True),
        ("c_id + o_id = o_customer", False),
        ("c_id < o_customer", False),
        ("c_id IS NOT DISTINCT FROM o_customer", True),
        ("c_id = 3 AND o_customer = 3", False),
    ],
)
def test_an_equality_of_expressions_of_single_columns_is_an_edge(condition: str, is_edge: bool):
    found = edges(f"SELECT 1 FROM customer, orders WHERE {condition}")
    assert found == ({(*PAIR, "inner")} if is_edge else set())


@pytest.mark.parametrize(
    ("computed", "is_edge"),
    [
        ("max(o_customer)", True),
        ("CAST(o_customer AS VARCHAR)", True),
        ("sum(o_customer) + 1", True),
        ("count(o_customer)", False),
        ("count(DISTINCT o_customer)", False),
        ("rank() OVER (ORDER BY o_customer)", False),
        ("o_customer + o_id", False),
    ],
)
def test_a_computed_column_carries_the_one_column_that_it_stands_for(computed: str, is_edge: bool):
    group = "GROUP BY ALL" if "OVER" in computed or "(" in computed else ""
    sql = f"SELECT 1 FROM customer JOIN (SELECT {computed} AS k FROM orders {group}) ON c_id = k"
    assert edges(sql) == ({(*PAIR, "inner")} if is_edge else set())


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("c_id IN (SELECT o_customer FROM orders)", "semi"),
        ("c_id = ANY (SELECT o_customer FROM orders)", "semi"),
        ("c_id = 1 OR c_id IN (SELECT o_customer FROM orders)", "semi"),
        ("c_id IN (SELECT o_customer FROM orders ORDER BY o_id LIMIT 5)", "semi"),
        ("(c_id, c_name) IN (SELECT o_customer, 'x' FROM orders)", "semi"),
        ("EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id)", "semi"),
        ("EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id AND o_total > c_id)", "semi"),
        ("NOT NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id)", "semi"),
        ("c_id NOT IN (SELECT o_customer FROM orders)", "anti"),
        ("c_id <> ALL (SELECT o_customer FROM orders)", "anti"),
        ("NOT c_id = ANY (SELECT o_customer FROM orders)", "anti"),
        ("NOT (c_name = 'x' OR c_id IN (SELECT o_customer FROM orders))", "anti"),
        ("NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id)", "anti"),
        ("NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id AND o_total > c_id)", "anti"),
        ("NOT (c_name = 'x' OR EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id))", "anti"),
        ("c_id = (SELECT max(o_customer) FROM orders)", "inner"),
        ("c_id > 5 OR c_id = (SELECT o_customer FROM orders LIMIT 1)", "inner"),
        ("c_id < (SELECT sum(o_total) FROM orders WHERE o_customer = c_id)", "inner"),
        (
            "c_id < (SELECT count(*) FROM orders WHERE o_customer = c_id AND o_total > c_id)",
            "inner",
        ),
    ],
)
def test_a_subquery_is_an_edge_of_its_kind(condition: str, kind: str):
    assert edges(f"SELECT c_name FROM customer WHERE {condition}") == {(*PAIR, kind)}


def test_a_subquery_in_the_select_list_keeps_the_rows_without_a_match():
    sql = "SELECT c_name, (SELECT sum(o_total) FROM orders WHERE o_customer = c_id) FROM customer"
    assert edges(sql) == {(*PAIR, "left")}


@pytest.mark.parametrize(
    ("from_", "kind"),
    [
        ("customer LEFT JOIN orders ON o_customer = c_id", "left"),
        ("orders RIGHT JOIN customer ON c_id = o_customer", "left"),
        ("customer RIGHT JOIN orders ON c_id = o_customer", "right"),
        ("orders LEFT JOIN customer ON c_id = o_customer", "right"),
        ("customer FULL JOIN orders ON c_id = o_customer", "full"),
        ("customer SEMI JOIN orders ON c_id = o_customer", "semi"),
        ("customer ANTI JOIN orders ON c_id = o_customer", "anti"),
        ("item CROSS JOIN customer LEFT JOIN orders ON c_id = o_customer", "left"),
        ("customer LEFT JOIN (orders CROSS JOIN item) ON c_id = o_customer", "left"),
    ],
)
def test_an_edges_kind_says_whose_unmatched_rows_stay(from_: str, kind: str):
    assert edges(f"SELECT 1 FROM {from_}") == {(*PAIR, kind)}


def test_an_equality_in_the_where_of_an_outer_join_makes_it_inner():
    sql = "SELECT 1 FROM customer LEFT JOIN orders ON c_id = o_customer WHERE c_id = o_id"
    assert edges(sql) == {(*PAIR, "inner"), ("customer.c_id", "orders.o_id", "inner")}


def test_an_equality_in_on_of_relations_before_the_join_is_no_edge_of_it():
    sql = (
        "SELECT 1 FROM customer JOIN orders ON c_id = o_customer "
        "LEFT JOIN item ON i_order = o_id AND c_id = o_id"
    )
    assert edges(sql) == {(*PAIR, "inner"), ("item.i_order", "orders.o_id", "right")}


@pytest.mark.parametrize(("side", "kind"), [("", "inner"), ("FULL", "full"), ("LEFT", "left")])
def test_a_column_that_using_merged_joins_each_that_it_was_merged_of(side: str, kind: str):
    sql = (
        "SELECT 1 FROM customer FULL JOIN (SELECT o_customer AS c_id FROM orders) USING (c_id) "
        f"{side} JOIN (SELECT i_order AS c_id FROM item) AS i USING (c_id)"
    )
    ends = (("customer.c_id", "item.i_order"), ("item.i_order", "orders.o_customer"))
    kinds = (kind, "right" if kind == "left" else kind)
    assert edges(sql) == {
        (*PAIR, "full"),
        *((*pair, each) for pair, each in zip(ends, kinds, strict=True)),
    }


def test_intersect_and_except_join_their_operands_by_position():
    intersect = "SELECT c_id, c_name FROM customer INTERSECT SELECT o_customer, 'x' FROM orders"
    except_ = "SELECT c_id FROM customer EXCEPT SELECT o_customer FROM orders"
    assert edges(intersect) == {(*PAIR, "semi")}
    assert edges(except_) == {(*PAIR, "anti")}
    assert edges("SELECT c_id FROM customer UNION SELECT o_customer FROM orders") == set()


@pytest.mark.parametrize(
    ("condition", "edge"),
    [
        ("a.c_id = b.c_id", ("customer.c_id", "customer.c_id", "inner")),
        ("a.c_id = b.c_name", ("customer.c_id", "customer.c_name", "inner")),
    ],
)
def test_a_self_join_is_an_edge_and_no_pair(condition: str, edge: tuple[str, str, str]):
    found = access_graph([of(f"SELECT 1 FROM customer a, customer b WHERE {condition}")])
    assert [(e.left, e.right, e.kind) for e in found.joins] == [edge]
    assert found.co_access == {}
    assert found.tables == {"customer": 1.0}


def test_a_query_counts_an_edge_once_however_many_blocks_repeat_it():
    one = "SELECT c_name FROM customer JOIN orders ON c_id = o_customer"
    found = access_graph([of(f"{one} UNION ALL {one} UNION ALL {one}", executions=7.0), of(one)])
    assert list(found.joins.values()) == [8.0]
    assert found.co_access == {("customer", "orders"): 8.0}


def test_writes_have_their_own_weight():
    written = Footprint(query="w", executions=3.0, blocks=(), writes=frozenset({"orders"}))
    found = access_graph([written, of("SELECT o_id FROM orders", executions=2.0)])
    assert found.writes == {"orders": 3.0}
    assert found.tables == {"orders": 2.0}
    assert "w" not in found.queries


def test_the_order_of_edges_does_not_depend_on_the_text():
    first = "SELECT 1 FROM customer, orders, item WHERE c_id = o_customer AND i_order = o_id"
    second = "SELECT 1 FROM item, orders, customer WHERE i_order = o_id AND o_customer = c_id"
    assert list(access_graph([of(first)]).joins) == list(access_graph([of(second)]).joins)


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        (
            (
                'SELECT "C".c_name FROM "Sales"."Customer" AS "C", db.s.orders AS c '
                'WHERE "C".c_id = c.o_customer'
            ),
            "postgres",
        ),
        (
            "SELECT x.customer.c_id FROM x.customer, y.orders WHERE x.customer.c_id = o_customer",
            "duckdb",
        ),
        ("SELECT 1 FROM `Customer` AS C JOIN `ORDERS` c2 ON C.C_ID = c2.O_Customer", "mysql"),
    ],
)
def test_schemas_quotes_and_case_do_not_hide_a_table(sql: str, dialect: str):
    assert edges(sql, dialect) == {(*PAIR, "inner")}


def test_aliases_that_differ_by_case_alone_stay_apart_in_nested_queries():
    sql = (
        'SELECT "A".c_id FROM customer "A", orders a WHERE "A".c_id = a.o_customer AND EXISTS '
        '(SELECT 1 FROM item "A" WHERE "A".i_order = a.o_id)'
    )
    assert edges(sql, "postgres") == {
        (*PAIR, "inner"),
        ("item.i_order", "orders.o_id", "semi"),
    }


def test_one_table_name_in_two_schemas_is_one_table():
    found = access_graph([of("SELECT 1 FROM x.customer a, y.customer b WHERE a.c_id = b.c_id")])
    assert found.tables == {"customer": 1.0}


def test_filters_reach_base_columns_that_are_handed_on_and_no_others():
    sql = (
        "WITH t AS (SELECT o_customer AS k, count(*) AS n FROM orders GROUP BY 1) "
        "SELECT 1 FROM t WHERE k = 3 AND n > 5"
    )
    (found,) = query_access(of(sql)).filters
    assert (found.columns, found.kind, found.values) == (("orders.o_customer",), "eq", (3.0,))


def test_a_subquery_that_became_a_join_leaves_no_filter_behind():
    sql = "SELECT 1 FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id)"
    assert query_access(of(sql)).filters == frozenset()


TPCH_CONDITIONS = {
    "q2": {"partsupp.ps_supplycost partsupp.ps_supplycost inner"},
    "q4": {"lineitem.l_orderkey orders.o_orderkey semi"},
    "q13": {"customer.c_custkey orders.o_custkey left"},
    "q15": {"lineitem.l_suppkey supplier.s_suppkey inner"},
    "q16": {"partsupp.ps_suppkey supplier.s_suppkey anti"},
    "q17": {"lineitem.l_partkey part.p_partkey inner"},
    "q18": {"lineitem.l_orderkey orders.o_orderkey semi"},
    "q20": {
        "lineitem.l_partkey partsupp.ps_partkey inner",
        "lineitem.l_suppkey partsupp.ps_suppkey inner",
        "part.p_partkey partsupp.ps_partkey semi",
        "partsupp.ps_suppkey supplier.s_suppkey semi",
    },
    "q21": {
        "lineitem.l_orderkey lineitem.l_orderkey anti",
        "lineitem.l_orderkey lineitem.l_orderkey semi",
    },
    "q22": {"customer.c_custkey orders.o_custkey anti"},
}
"""What the subqueries and the outer join of TPC-H's queries compare, read off their texts."""


@pytest.mark.parametrize("name", TPCH_CONDITIONS)
def test_the_conditions_of_tpchs_subqueries_are_edges(name: str):
    catalog = tpch.generate(0.01, Path(cache_folder()), Silent())
    found = footprint(tpch.queries("all").query(name), catalog, "duckdb")
    joins = {f"{edge.left} {edge.right} {edge.kind}" for edge in query_access(found).joins}
    plain_text = {edge for edge in joins if edge.endswith(" inner")} - TPCH_CONDITIONS[name]
    assert joins - plain_text == TPCH_CONDITIONS[name]


def test_an_empty_footprint_adds_nothing():
    found = access_graph([plain()])
    assert (found.queries, found.tables, found.joins) == ({}, {}, {})
