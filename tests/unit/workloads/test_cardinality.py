"""Estimates on instances that fit two lines. The catalog: 100 days, 10 items, 1,000 sales."""

import math
from dataclasses import replace

import pytest

from tests.footprints import block, condition, footprint, join, output, source
from workloads.catalog import Catalog, Column, ColumnStatistics, Table
from workloads.errors import CatalogError
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Output, OutputColumn


def column(name, distinct, low=None, high=None, *, nulls=0.0):
    known = ColumnStatistics(distinct=distinct, null_share=nulls, minimum=low, maximum=high)
    return Column(name=name, type="INTEGER", width_bytes=4, statistics=known)


def table(name, rows, key, *columns):
    return Table(name=name, rows=rows, fingerprint="f", primary_key=key, columns=columns)


CATALOG = Catalog(
    name="shop",
    tables={
        "day": table(
            "day",
            100,
            ("id",),
            column("id", 100, 1, 100),
            column("week", 20, 1, 20),
            column("weekday", 5, 1, 5),
        ),
        "item": table(
            "item", 10, ("id",), column("id", 10, 1, 10), column("color", 5), column("brand", 5)
        ),
        "sales": table(
            "sales",
            1_000,
            ("item", "ticket"),
            column("item", 10, 1, 10),
            column("ticket", 500, 1, 500),
            column("day", 100, 1, 100),
            column("late_day", 10, 91, 100),
            column("maybe_day", 100, 1, 100, nulls=0.5),
        ),
        "returns": table(
            "returns",
            100,
            ("item", "ticket"),
            column("item", 10, 1, 10),
            column("ticket", 90, 1, 500),
        ),
    },
)


def handing_on(*refs, name=None, **more):
    """The output that hands on these columns, under their own names if not called otherwise."""
    columns = tuple(
        OutputColumn(name=name or column, origin=(alias, column), reads=((alias, column),))
        for alias, column in (ref.split(".") for ref in refs)
    )
    return Output(columns=columns, width_bytes=8.0 * len(columns), **more)


def rows(*sources, aliases=None, backoff=False, **more):
    estimator = Estimator(CATALOG, footprint(block(*sources, **more)), backoff=backoff)
    return estimator.rows_of_sources("b0", aliases or [s.alias for s in sources])


def result(*blocks):
    return Estimator(CATALOG, footprint(*blocks)).rows_of_block("b0")


def test_a_scan_keeps_the_product_of_its_filters():
    filters = (condition("item.color", "eq", "red"), condition("item.brand", "eq", "x"))
    assert rows(source("day"), filters=(condition("day.week", "eq", 3.0),)) == 5
    assert rows(source("item"), filters=filters[:1]) == 2
    assert rows(source("item"), filters=filters) == 1  # 0.4, and never less than one row
    assert rows(source("item"), filters=filters, backoff=True) == 1
    assert rows(source("sales"), filters=filters) == 1_000


def test_a_source_that_may_not_be_joined_is_fetched_whole():
    filters = (condition("day.week", "eq", 3.0),)
    assert rows(source("day", needs="*"), filters=filters) == 100


def test_a_foreign_key_keeps_the_filtered_fraction_of_the_table_it_refers_to():
    joins = (join("sales.day", "day.id"),)
    filters = (condition("day.week", "eq", 3.0),)
    assert rows(source("sales"), source("day"), joins=joins) == pytest.approx(1_000)
    assert rows(source("sales"), source("day"), joins=joins, filters=filters) == pytest.approx(50)


def test_only_the_sources_asked_for_are_joined():
    joins = (join("sales.day", "day.id"), join("sales.item", "item.id"))
    filters = (condition("day.week", "eq", 3.0), condition("item.color", "eq", "red"))
    shape = {"joins": joins, "filters": filters}
    all_three = (source("sales"), source("day"), source("item"))
    assert rows(*all_three, aliases=["sales", "day"], **shape) == pytest.approx(50)
    assert rows(*all_three, aliases=["sales", "item"], **shape) == pytest.approx(200)
    assert rows(*all_three, **shape) == pytest.approx(10)


def test_a_key_of_two_columns_is_not_two_independent_conditions():
    joins = (join("sales.item", "returns.item"), join("sales.ticket", "returns.ticket"))
    assert rows(source("sales"), source("returns"), joins=joins) == pytest.approx(100)
    assert rows(source("returns"), source("sales"), joins=joins) == pytest.approx(100)


def test_columns_that_are_equal_already_count_once():
    joins = (
        join("sales.item", "item.id"),
        join("returns.item", "item.id"),
        join("sales.item", "returns.item"),
    )
    three = (source("sales"), source("returns"), source("item"))
    assert rows(*three, joins=joins) == pytest.approx(1_000 * 100 / 10)
    assert rows(*three, joins=joins[:2]) == pytest.approx(1_000 * 100 / 10)


def test_nulls_of_a_foreign_key_join_nothing():
    joins = (join("sales.maybe_day", "day.id"),)
    assert rows(source("sales"), source("day"), joins=joins) == pytest.approx(500)


def test_a_filter_on_the_part_that_is_referred_to_keeps_its_share_of_that_part():
    joins = (join("sales.late_day", "day.id"),)
    sales, day = source("sales"), source("day")
    one_week = (condition("day.week", "eq", 20.0),)  # 5 of the 10 days with sales
    one_weekday = (condition("day.weekday", "eq", 1.0),)  # cannot lie in 10 days alone
    assert rows(sales, day, joins=joins) == pytest.approx(1_000)
    assert rows(sales, day, joins=joins, filters=one_week) == pytest.approx(500)
    assert rows(sales, day, joins=joins, filters=one_weekday) == pytest.approx(200)


def test_ranges_that_do_not_overlap_join_nothing():
    joins = (join("day.week", "sales.late_day"),)
    assert rows(source("sales"), source("day"), joins=joins) == 1


def test_without_a_join_all_pairs_remain():
    assert rows(source("day"), source("item")) == 1_000


def test_a_left_join_keeps_at_least_the_left_rows():
    joins = (
        join("returns.item", "sales.item", "left"),
        join("returns.ticket", "sales.ticket", "left"),
    )
    nullable = source("returns", needs="sales")
    assert rows(source("sales"), nullable, joins=joins) == 1_000
    assert rows(source("sales"), nullable, aliases=["returns"], joins=joins) == 100


def test_a_left_join_whose_right_side_must_not_be_null_is_an_inner_join():
    joins = (
        join("returns.item", "sales.item", "left"),
        join("returns.ticket", "sales.ticket", "left"),
    )
    nullable = source("returns", needs="sales")
    present = (condition("returns.item", "not_null"),)
    absent = (condition("returns.item", "null"),)
    assert rows(source("sales"), nullable, joins=joins, filters=present) == pytest.approx(100)
    assert rows(source("sales"), nullable, joins=joins, filters=absent) == pytest.approx(900)
    onwards = (*joins, join("returns.item", "item.id"))
    three = (source("sales"), nullable, source("item"))
    assert rows(*three, joins=onwards) == pytest.approx(100)


def test_semi_anti_and_full_joins():
    pair = (source("sales"), source("returns"))
    for kind, expected in (("semi", 100), ("anti", 900), ("full", 1_000)):
        joins = (
            join("sales.item", "returns.item", kind),
            join("sales.ticket", "returns.ticket", kind),
        )
        assert rows(*pair, joins=joins) == pytest.approx(expected), kind


def test_an_or_over_two_sources_is_applied_once_both_are_there():
    either = condition(
        "item.color",
        "other",
        alternatives=(
            (condition("item.color", "eq", "red"),),
            (condition("day.week", "eq", 3.0),),
        ),
    )
    both = type(either)(
        columns=(("item", "color"), ("day", "week")),
        kind="other",
        alternatives=either.alternatives,
    )
    pair = (source("item"), source("day"))
    assert rows(*pair, aliases=["item"], filters=(both,)) == 10
    assert rows(*pair, filters=(both,)) == pytest.approx(1_000 * (1 - 0.8 * 0.95))


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


def test_columns_of_two_tables_that_are_no_keys_are_independent_conditions():
    joins = (join("sales.item", "day.weekday"), join("sales.day", "day.week"))
    expected = 1_000 * 100 * (5 / 10 / 5) * (20 / 100 / 20)
    assert rows(source("sales"), source("day"), joins=joins) == pytest.approx(expected, rel=0.6)


def test_a_nullable_source_alone_takes_its_part_of_on_and_no_filter_of_where():
    joins = (join("returns.item", "sales.item", "left"),)
    on = condition("returns.item", "eq", 3.0, outer=True)
    where = condition("returns.ticket", "eq", 3.0)
    nullable = source("returns", needs="sales")
    shape = {"aliases": ["returns"], "joins": joins}
    assert rows(source("sales"), nullable, filters=(where,), **shape) == 100
    assert rows(source("sales"), nullable, filters=(on, where), **shape) == pytest.approx(10)


def test_tables_without_statistics_are_estimated_by_their_rows():
    bare = Catalog(
        name="bare",
        tables={
            name: Table(
                name=name,
                rows=known.rows,
                fingerprint="f",
                columns=tuple(replace(column, statistics=None) for column in known.columns),
            )
            for name, known in CATALOG.tables.items()
        },
    )
    found = block(
        source("sales"),
        source("day"),
        joins=(join("sales.day", "day.id"),),
        filters=(condition("day.week", "eq", 3.0), condition("day.weekday", "like", "1%")),
        output=output(group_by="sales.item day.week", grouping_sets=3),
    )
    estimator = Estimator(bare, footprint(found))
    assert 1 <= estimator.rows_of_sources("b0", ["sales", "day"]) <= 1_000
    assert 1 <= estimator.rows_of_block("b0") <= 3 * 1_000


def test_widths_are_those_of_the_needed_columns():
    estimator = Estimator(
        CATALOG, footprint(block(source("sales", "ITEM", "ticket"), source("day"), source("item")))
    )
    assert estimator.width("b0", ["sales"]) == 8
    assert estimator.width("b0", ["sales", "item"]) == 8
    assert estimator.width("b0", ["day"]) == 1


def test_the_width_of_a_result_is_that_of_the_columns_it_hands_on_and_eight_for_numbers():
    inner_output = Output(
        columns=(
            OutputColumn(name="item", origin=("sales", "item"), reads=(("sales", "item"),)),
            OutputColumn(name="total", reads=(("sales", "day"),), aggregate="sum"),
        ),
        width_bytes=0.0,
        group_by=(("sales", "item"),),
    )
    inner = block(source("sales", "item", "day"), name="b1", output=inner_output)
    outer = block(inputs={"g": "b1"}, children=("b1",), output=handing_on("g.item", "g.total"))
    estimator = Estimator(CATALOG, footprint(outer, inner))
    assert estimator.width_of_block("b1") == 4 + 8
    assert estimator.width_of_block("b0") == 4 + 8


def test_a_table_that_is_not_in_the_catalog_is_an_error():
    with pytest.raises(CatalogError, match=r"'sale'.*nearest is 'sales'"):
        rows(source("sale"))


def test_pairs_of_the_days_of_a_week_are_of_few_different_days():
    """Two of 100 days are of two of 20 weeks: they meet 10 pairs of 10 days."""
    pair = block(
        source("a", "id", "week", table="day"),
        source("b", "id", "week", table="day"),
        joins=(join("a.week", "b.week"),),
        filters=(condition("a.id", "in", 1.0, 50.0),),
    )
    found = Estimator(CATALOG, footprint(pair))
    assert found.rows_of_sources("b0", ("a", "b")) == pytest.approx(10, rel=0.1)
    # Ten pairs drawn from ten days; from a hundred they would be nearly ten.
    assert found.groups_of_sources("b0", ("a", "b"), (("b", "id"),)) == pytest.approx(6.5, rel=0.1)
