"""Filters of a footprint: their kinds, their columns and their SQL."""

import duckdb
import pytest
from sqlglot import parse_one

from tests.unit.workloads.shop_footprints import of, only
from workloads.sql.features import features_within


@pytest.mark.parametrize(
    ("condition", "kind", "values"),
    [
        ("o_total = 5", "eq", (5.0,)),
        ("5 < o_total", "range", (5.0, None)),
        ("o_total BETWEEN 2 AND 2 + 3", "range", (2.0, 5.0)),
        ("o_id IN (1, 2, 3)", "in", (1.0, 2.0, 3.0)),
        ("o_day >= CAST('2000-01-01' AS DATE) + INTERVAL 30 DAY", "range", ("2000-01-31", None)),
        ("o_day IS NOT NULL", "not_null", ()),
        ("(o_day) IS NOT NULL", "not_null", ()),
        ("COALESCE(o_total, 0) IS NOT NULL", "not", ()),
        ("CASE WHEN o_total > 0 THEN 1 ELSE 2 END IS NULL", "other", ()),
        ("o_total + 1 > 3", "other", ()),
        ("o_day > current_date", "other", ()),
        ("o_total BETWEEN 2 AND random()", "other", ()),
        ("CAST(o_day AS VARCHAR) ILIKE '2000%'", "like", ("2000%",)),
    ],
)
def test_simple_conditions_become_filters(condition: str, kind: str, values: tuple[object, ...]):
    (found,) = only(of(f"SELECT o_id FROM orders WHERE {condition}")).filters
    assert (found.kind, found.values) == (kind, values)


def test_unequal_is_the_negation_of_equal():
    (found,) = only(of("SELECT o_id FROM orders WHERE o_total <> 5")).filters
    (((equal,),),) = (found.alternatives,)
    assert (found.kind, equal.kind, equal.values) == ("not", "eq", (5.0,))
    (between_columns,) = only(of("SELECT o_id FROM orders WHERE o_total <> o_id")).filters
    assert between_columns.kind == "other"


@pytest.mark.parametrize(
    ("condition", "aggregate", "columns", "kind", "values"),
    [
        ("count(*) > 5", "count", (), "range", (5.0, None)),
        ("3 > sum(o_total)", "sum", ("o_total",), "range", (None, 3.0)),
        ("(avg(o_total)) BETWEEN 1 AND 2", "avg", ("o_total",), "range", (1.0, 2.0)),
        ("count(DISTINCT o_day) = 2", "count_distinct", ("o_day",), "eq", (2.0,)),
        ("max(o_id) IN (1, 2)", "max", ("o_id",), "in", (1.0, 2.0)),
        ("min(o_id) IS NULL", "min", ("o_id",), "null", ()),
        ("sum(o_total + o_id) > 1", "sum", ("o_total", "o_id"), "range", (1.0, None)),
        ("sum(o_total) > avg(o_id)", None, ("o_total", "o_id"), "other", ()),
        ("sum(o_total) > o_customer", None, ("o_total", "o_customer"), "other", ()),
        ("sum(o_total) / count(*) > 2", None, ("o_total",), "other", ()),
        ("o_customer > 2", None, ("o_customer",), "range", (2.0, None)),
        ("n > 5", "count", (), "range", (5.0, None)),
    ],
)
def test_having_says_which_aggregate_it_tests(condition, aggregate, columns, kind, values):
    sql = f"SELECT o_customer, count(*) AS n FROM orders GROUP BY o_customer HAVING {condition}"
    (found,) = only(of(sql)).output.having
    assert (found.aggregate, found.kind, found.values) == (aggregate, kind, values)
    assert set(found.columns) == {("orders", column) for column in columns}


def test_every_conjunct_of_having_is_a_filter_and_an_or_keeps_its_aggregates():
    sql = "SELECT 1 FROM orders HAVING count(*) > 1 AND (min(o_id) = 1 OR max(o_id) > 7)"
    output = only(of(sql)).output
    assert output.group_by == ()
    counted, either = output.having
    assert counted.aggregate == "count"
    assert [arm[0].aggregate for arm in either.alternatives] == ["min", "max"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("O_ID > 5", "orders.o_id > 5"),
        ("o_day >= DATE '2000-01-01'", "orders.o_day >= CAST('2000-01-01' AS DATE)"),
        ("o_id IN (1, 2) OR o_total < 3", "orders.o_id IN (1, 2) OR orders.o_total < 3"),
        ("o_total IS NOT NULL", "NOT orders.o_total IS NULL"),
    ],
)
def test_a_filter_is_duckdb_sql_over_aliases(condition: str, expected: str):
    (found,) = only(of(f"SELECT o_id FROM orders WHERE {condition}")).filters
    assert found.sql == expected
    columns = "NULL AS o_id, NULL AS o_day, NULL AS o_total"
    duckdb.sql(f"SELECT count(*) FROM (SELECT {columns}) AS orders WHERE {found.sql}").fetchall()


def test_the_sql_of_a_filter_does_not_change_the_facts_after_it():
    sql = (
        "SELECT c_name, GROUPING(c_name), rank() OVER (ORDER BY count(*)) FROM customer "
        "LEFT JOIN orders ON c_id = o_customer AND o_day > DATE '2000-01-01' + INTERVAL 1 DAY "
        "WHERE c_id NOT IN (SELECT i_line FROM item WHERE i_price > 1) "
        "GROUP BY ROLLUP (c_name) HAVING GROUPING(c_name) = 0"
    )
    first, second = of(sql), of(sql)
    assert first == second
    assert first.blocks[0].features == {
        *("rollup", "grouping", "grouping_in_having", "window", "window_nulls_last"),
    }
    assert {source.alias: source.needs for source in first.blocks[0].sources} == {
        "customer": frozenset(),
        "orders": frozenset({"customer"}),
    }


def test_a_filter_reads_no_column_of_a_query_inside_of_it():
    sql = "SELECT 1 FROM orders WHERE o_total > 5 OR o_id IN (SELECT i_line FROM item LIMIT 3)"
    (found,) = of(sql).blocks[0].filters
    assert found.columns == (("orders", "o_total"), ("orders", "o_id"))


def test_a_day_cut_off_within_days_is_for_duckdb_alone():
    tree = parse_one("SELECT date_trunc('day', CAST('2000-01-01' AS DATE))", read="duckdb")
    assert "function" in features_within(tree.selects[0])
    tree = parse_one("SELECT date_trunc('week', CAST('2000-01-01' AS DATE))", read="duckdb")
    assert "function" not in features_within(tree.selects[0])


def test_a_day_after_the_last_one_is_a_constant_that_nobody_knows():
    sql = "SELECT o_id FROM orders WHERE o_day < DATE '9999-12-31' + INTERVAL 2 DAY"
    assert only(of(sql)).filters[0].values in ((), (None,))
