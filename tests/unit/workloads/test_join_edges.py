"""Joins become edges between base tables, each with its kind."""

import pytest

from tests.unit.workloads.shop_footprints import PAIR, edges


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
