"""Estimates of lateral derived tables: what correlates them joins them."""

import pytest

from tests.unit.workloads.days_and_sales import CATALOG
from workloads.estimation.cardinality import Estimator
from workloads.sql.footprints import footprint
from workloads.workload import Query


def estimator(sql):
    query = Query(name="q", sql=sql, executions=1.0, origin=None)
    return Estimator(CATALOG, footprint(query, CATALOG, "postgres"))


def rows(sql):
    return estimator(sql).rows_of_block("b0")


def test_an_equality_with_the_row_before_it_joins_a_lateral_table():
    lateral = rows(
        "SELECT l.ticket FROM item i,"
        " LATERAL (SELECT s.ticket FROM sales s WHERE s.item = i.id) l WHERE i.color = 'red'"
    )
    joined = rows("SELECT s.ticket FROM item i JOIN sales s ON s.item = i.id WHERE i.color = 'red'")
    assert lateral == pytest.approx(joined) == pytest.approx(200)


def test_a_limit_in_a_lateral_table_is_of_each_row_before_it():
    text = (
        "SELECT l.ticket FROM item i, LATERAL"
        " (SELECT s.ticket FROM sales s WHERE s.item = i.id ORDER BY s.ticket LIMIT {}) l"
    )
    assert rows(text.format(2)) == pytest.approx(20)
    assert rows(text.format(5_000)) == pytest.approx(1_000)
    assert estimator(text.format(2)).rows_before_limit("b1") == pytest.approx(1_000)


def test_a_limit_that_is_a_parameter_leaves_the_rows_that_match():
    text = (
        "SELECT l.ticket FROM item i, LATERAL"
        " (SELECT s.ticket FROM sales s WHERE s.item = i.id ORDER BY s.ticket LIMIT $1) l"
    )
    assert rows(text) == pytest.approx(1_000)


def test_a_limit_without_correlation_is_of_each_row_as_well():
    text = "SELECT l.ticket FROM item i, LATERAL (SELECT s.ticket FROM sales s LIMIT 2) l"
    assert rows(text) == pytest.approx(20)


def test_a_left_join_keeps_rows_that_nothing_matches():
    lateral = "LATERAL (SELECT s.day FROM sales s WHERE s.item = i.id AND s.ticket = 7) l"
    kept = rows(f"SELECT i.id, l.day FROM item i LEFT JOIN {lateral} ON TRUE")
    dropped = rows(f"SELECT i.id, l.day FROM item i CROSS JOIN {lateral}")
    assert kept == pytest.approx(10)
    assert dropped == pytest.approx(2)


def test_aggregates_of_what_matches_are_one_row_for_each_row_before_them():
    total = "SELECT i.id, l.n FROM item i, LATERAL (SELECT count(*) AS n FROM sales s {}) l"
    assert rows(total.format("WHERE s.item = i.id")) == pytest.approx(10)
    assert rows(total.format("WHERE s.item = i.id AND s.ticket = 7")) == pytest.approx(10)


def test_groups_of_what_matches_are_those_of_each_row_before_them():
    lateral = rows(
        "SELECT i.id, l.n FROM item i, LATERAL (SELECT s.late_day, count(*) AS n FROM sales s"
        " WHERE s.item = i.id GROUP BY s.late_day) l"
    )
    grouped = rows("SELECT s.item, s.late_day, count(*) FROM sales s GROUP BY s.item, s.late_day")
    assert lateral == pytest.approx(grouped)


def test_a_lateral_table_after_another_is_joined_with_that_one():
    found = rows(
        "SELECT r.ticket FROM item i,"
        " LATERAL (SELECT s.ticket FROM sales s WHERE s.item = i.id) l,"
        " LATERAL (SELECT r.ticket FROM returns r WHERE r.ticket = l.ticket) r"
    )
    joined = rows(
        "SELECT r.ticket FROM item i JOIN sales s ON s.item = i.id"
        " JOIN returns r ON r.ticket = s.ticket"
    )
    assert found == pytest.approx(joined, rel=0.2)


UNION = (
    "SELECT i.id, l.ticket FROM item i, LATERAL (SELECT s.ticket FROM sales s WHERE s.item = i.id"
    " UNION ALL SELECT r.ticket FROM returns r WHERE {}) l"
)


def test_operands_that_the_same_column_correlates_are_joined_by_it():
    assert rows(UNION.format("r.item = i.id")) == pytest.approx(1_100)
    third = " UNION ALL SELECT o.ticket FROM returns o WHERE o.item = i.id) l"
    assert rows(UNION.replace(") l", third).format("r.item = i.id")) == pytest.approx(1_200)


def test_an_operand_that_nothing_correlates_meets_every_row():
    assert rows(UNION.format("r.item = 7")) == pytest.approx(10 * (1_000 + 10))


def test_the_limit_of_a_set_operation_is_of_each_row_before_it():
    limited = UNION.replace(") l", " LIMIT 3) l").format("r.item = i.id")
    assert rows(limited) == pytest.approx(30)


def test_two_equalities_with_one_column_are_both_joins():
    text = (
        "SELECT l.ticket FROM day d,"
        " LATERAL (SELECT s.ticket FROM sales s WHERE s.day = d.id AND s.ticket = d.id) l"
    )
    joined = "SELECT s.ticket FROM day d JOIN sales s ON s.day = d.id AND s.ticket = d.id"
    assert rows(text) == pytest.approx(rows(joined))
