"""Estimates of the rows that blocks hand on: groups, limits and set operations."""

import math
from dataclasses import replace

import pytest

from tests.footprints import block, condition, footprint, join, output, source
from tests.unit.workloads.days_and_sales import CATALOG, handing_on, result, rows
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Output, OutputColumn


def test_groups_are_at_most_the_distinct_values_and_the_rows():
    sales = source("sales")
    assert result(block(sales, output=output(group_by="sales.item"))) == pytest.approx(10)
    assert result(block(sales, output=output(group_by=""))) == 1
    few = block(
        source("day"),
        output=output(group_by="day.week day.weekday"),
        filters=(condition("day.id", "range", 1.0, 10.0),),
    )
    assert result(few) <= 10


def test_groups_by_columns_of_one_table_are_at_most_its_rows():
    joins = (join("sales.item", "item.id"),)
    grouped = output(group_by="item.id item.color item.brand")
    assert result(
        block(source("sales"), source("item"), joins=joins, output=grouped)
    ) == pytest.approx(10)


def test_a_group_by_a_joined_column_sees_the_filter_of_the_other_side():
    found = result(
        block(
            source("sales"),
            source("item"),
            joins=(join("sales.item", "item.id"),),
            filters=(condition("item.color", "eq", "red"),),
            output=output(group_by="sales.item"),
        )
    )
    assert found == pytest.approx(2, rel=0.1)


def test_a_rollup_has_the_groups_of_each_prefix():
    grouped = output(group_by="sales.item sales.ticket", grouping_sets=3)
    plain = output(group_by="sales.item sales.ticket")
    sales = source("sales")
    expected = result(block(sales, output=plain)) + 10 + 1
    assert result(block(sales, output=grouped)) == pytest.approx(expected)


def test_limit_and_distinct():
    sales = source("sales", "item")
    assert result(block(sales, output=output(limit=7))) == 7
    assert result(block(sales, output=handing_on("sales.item", distinct=True))) == pytest.approx(10)
    estimator = Estimator(CATALOG, footprint(block(sales, output=output(limit=7))))
    assert estimator.rows_before_limit("b0") == 1_000


def test_operands_of_set_operations_are_random_subsets_of_all_values():
    left = block(source("sales"), name="b1", role="operand", output=handing_on("sales.ticket"))
    right = block(source("returns"), name="b2", role="operand", output=handing_on("returns.ticket"))
    expected = {"union all": 1_100, "union": 500, "intersect": 90, "except": 410}
    for operator, count in expected.items():
        both = block(kind="set", children=("b1", "b2"), set_operator=operator)
        assert result(both, left, right) == pytest.approx(count), operator


def test_rows_beyond_what_a_float_can_hold_stay_finite():
    sources = tuple(source(f"s{number}", table="sales") for number in range(200))
    assert 1e99 < rows(*sources) < math.inf
    names = [f"b{number}" for number in range(1, 100)]
    ids = handing_on(*(f"{each.alias}.ticket" for each in sources[:20]))
    operands = [block(*sources[:20], name=n, role="operand", output=ids) for n in names]
    both = block(kind="set", children=tuple(names), set_operator="union")
    assert math.isfinite(result(both, *operands))


def test_a_union_may_be_hundreds_of_blocks_deep():
    ids = handing_on("sales.ticket")
    depth = 400
    sets = [
        block(
            kind="set",
            name=f"b{level}",
            role="operand" if level else "root",
            children=(f"b{level + 1}", f"s{level}"),
            set_operator="union all",
        )
        for level in range(depth)
    ]
    names = [*(f"s{level}" for level in range(depth)), f"b{depth}"]
    leaves = [block(source("sales"), name=name, role="operand", output=ids) for name in names]
    assert result(*sets, *leaves) == 1_000 * (depth + 1)


def test_an_intersection_of_two_halves_is_a_quarter():
    halves = [
        block(
            source("day"),
            name=name,
            role="operand",
            output=handing_on("day.week", "day.weekday"),
            filters=(condition("day.id", "range", 1.0, 50.0),),
        )
        for name in ("b1", "b2")
    ]
    both = block(kind="set", children=("b1", "b2"), set_operator="intersect")
    domain, half = 50, 50 * (1 - math.exp(-1))
    assert result(both, *halves) == pytest.approx(half * half / domain, rel=0.02)


def test_constants_tell_the_operands_of_a_union_apart():
    channel = Output(columns=(OutputColumn(name="channel"),), width_bytes=8.0)
    parts = [block(source("sales"), name=n, role="operand", output=channel) for n in ("b2", "b3")]
    union = block(
        kind="set",
        name="b1",
        children=("b2", "b3"),
        set_operator="union all",
        output=Output(columns=channel.columns, width_bytes=8.0),
    )
    outer = block(
        inputs={"u": "b1"}, children=("b1",), filters=(condition("u.channel", "eq", "web"),)
    )
    assert result(outer, union, *parts) == pytest.approx(1_000)


def test_an_input_has_the_rows_of_its_block_and_is_joined_by_its_group():
    grouped = block(source("sales", "item"), name="b1", output=output(2, group_by="sales.item"))
    outer = block(
        source("item"),
        inputs={"per_item": "b1"},
        children=("b1",),
        joins=(join("item.id", "per_item.key"),),
    )
    assert result(outer, grouped) == pytest.approx(10)
    estimator = Estimator(CATALOG, footprint(outer, grouped))
    assert estimator.rows_of_sources("b0", ["per_item"]) == pytest.approx(10)


def test_an_input_joined_with_itself_by_its_group_keeps_its_rows():
    grouped = block(source("sales", "ticket"), name="b1", output=output(group_by="sales.ticket"))
    outer = block(inputs={"x": "b1", "y": "b1"}, children=("b1",), joins=(join("x.key", "y.key"),))
    estimator = Estimator(CATALOG, footprint(outer, grouped))
    assert estimator.rows_of_block("b0") == pytest.approx(estimator.rows_of_block("b1"))


def test_a_column_that_an_input_hands_on_keeps_its_statistics():
    inner = block(source("day", "week"), name="b1", output=handing_on("day.week", name="w"))
    outer = block(inputs={"d": "b1"}, children=("b1",), filters=(condition("d.w", "eq", 3.0),))
    assert result(outer, inner) == pytest.approx(100 / 20)


def test_a_block_without_from_has_one_row():
    assert result(block()) == 1


def test_a_group_keeps_its_share_of_the_counts_that_having_asks_for():
    """1,000 sales of 500 tickets: two a group on average, and each has at least one."""
    several = condition("sales.ticket", "range", 2.0, None)
    having = (replace(several, columns=(), aggregate="count"),)
    grouped = output(group_by="sales.ticket")
    groups = result(block(source("sales"), output=grouped))
    kept = result(block(source("sales"), output=replace(grouped, having=having)))
    mean_beyond_one = 1_000 / groups - 1
    assert kept == pytest.approx(groups * (1 - math.exp(-mean_beyond_one)), rel=1e-6)


def test_a_filter_on_a_counted_column_is_one_on_the_sizes_of_groups():
    counted = Output(
        columns=(OutputColumn(name="n", aggregate="count"),),
        width_bytes=8.0,
        group_by=(("sales", "item"),),
    )
    inner = block(source("sales"), name="b1", output=counted)
    sizes = {(None, 1_000.0): 10, (95.0, 105.0): 4, (500.0, None): 1}  # 100 ± 10 a group
    for bounds, expected in sizes.items():
        outer = block(
            inputs={"g": "b1"}, children=("b1",), filters=(condition("g.n", "range", *bounds),)
        )
        assert result(outer, inner) == pytest.approx(expected, abs=0.6), bounds
