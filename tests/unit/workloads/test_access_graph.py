"""Weights of tables, pairs and edges in the access graph, and names that mean one table."""

import pytest

from tests.footprints import footprint as plain
from tests.unit.workloads.shop_footprints import PAIR, edges, of
from workloads.access_graph import access_graph
from workloads.footprint import Footprint
from workloads.query_access import query_access


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


@pytest.mark.parametrize(
    "variant",
    [
        "select C_NAME from CUSTOMER, ORDERS where C_ID = O_CUSTOMER and O_TOTAL > 5",
        (
            "SELECT x.c_name FROM customer AS x JOIN orders AS y ON x.c_id = y.o_customer "
            "WHERE y.o_total > 5"
        ),
        "SELECT c_name FROM customer, orders WHERE o_total > 5 AND o_customer = c_id",
    ],
)
def test_spelling_and_order_do_not_change_the_access_graph(variant: str):
    first = "SELECT c_name FROM customer, orders WHERE c_id = o_customer AND o_total > 5"
    assert access_graph([of(variant, name="q")]) == access_graph([of(first, name="q")])


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


def test_an_empty_footprint_adds_nothing():
    found = access_graph([plain()])
    assert (found.queries, found.tables, found.joins) == ({}, {}, {})
