"""Subqueries and set operations that compare tables are edges as joins are."""

from pathlib import Path

import pytest

from evaluation.installation.artifacts import cache_folder
from tests.unit.workloads.shop_footprints import PAIR, edges, of
from workloads.benchmarks import tpch
from workloads.progress import Silent
from workloads.query_access import query_access
from workloads.sql import footprint


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


def test_intersect_and_except_join_their_operands_by_position():
    intersect = "SELECT c_id, c_name FROM customer INTERSECT SELECT o_customer, 'x' FROM orders"
    except_ = "SELECT c_id FROM customer EXCEPT SELECT o_customer FROM orders"
    assert edges(intersect) == {(*PAIR, "semi")}
    assert edges(except_) == {(*PAIR, "anti")}
    assert edges("SELECT c_id FROM customer UNION SELECT o_customer FROM orders") == set()


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
"""The comparisons in subqueries and the outer join of TPC-H's queries, read off their texts."""


@pytest.mark.parametrize("name", TPCH_CONDITIONS)
def test_the_conditions_of_tpchs_subqueries_are_edges(name: str):
    catalog = tpch.generate(0.01, Path(cache_folder()), Silent())
    found = footprint(tpch.queries("all").query(name), catalog, "duckdb")
    joins = {f"{edge.left} {edge.right} {edge.kind}" for edge in query_access(found).joins}
    plain_text = {edge for edge in joins if edge.endswith(" inner")} - TPCH_CONDITIONS[name]
    assert joins - plain_text == TPCH_CONDITIONS[name]
