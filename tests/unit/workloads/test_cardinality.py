"""Estimates of scans and joins on instances that fit two lines."""

from dataclasses import replace

import pytest

from tests.footprints import block, condition, footprint, join, output, source
from tests.unit.workloads.days_and_sales import CATALOG, handing_on, rows
from workloads.catalog import Catalog, Table
from workloads.errors import CatalogError
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Output, OutputColumn


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


def both(kind, *, fact="sales", other="returns"):
    """Two relations that have a ticket and an item in common, joined so."""
    joins = (
        join(f"{fact}.item", f"{other}.item", kind),
        join(f"{fact}.ticket", f"{other}.ticket", kind),
    )
    return (source(fact), source(other)), joins


def test_a_condition_of_a_left_join_drops_no_row_that_the_join_preserves():
    pair, joins = both("left")
    on = condition("sales.item", "eq", 3.0, outer=True)
    assert rows(*pair, joins=joins, filters=(on,)) == pytest.approx(1_000)
    assert rows(*pair, aliases=["sales"], joins=joins, filters=(on,)) == 1_000
    # It decides what matches: each item is in 100 sales, and one item of 10 is asked for.
    pair = (source("item"), source("sales", needs="item"))
    joins = (join("item.id", "sales.item", "left"),)
    assert rows(*pair, joins=joins) == pytest.approx(1_000)
    on = condition("item.id", "eq", 3.0, outer=True)
    assert rows(*pair, joins=joins, filters=(on,)) == pytest.approx(100)


def test_a_condition_on_the_preserved_side_drops_rows_of_a_join_that_preserves_none():
    on = condition("sales.item", "eq", 3.0, outer=True)
    pair, joins = both("semi")
    assert rows(*pair, joins=joins, filters=(on,)) == pytest.approx(10)
    pair, joins = both("left")
    present = condition("returns.item", "not_null")
    assert rows(*pair, joins=joins, filters=(on, present)) == pytest.approx(10)


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
