"""Ten rows in a hundred are NULL, forty have one value, twenty another, thirty are spread."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.catalog import Column, ColumnStatistics
from workloads.estimation.selectivity import share
from workloads.estimation.value_shares import equal_share, pattern_share, range_share
from workloads.footprint import Filter

SKEWED = ColumnStatistics(
    distinct=12,
    null_share=0.1,
    minimum=0.0,
    maximum=100.0,
    common=((50.0, 0.4), (7.0, 0.2)),
    histogram=(0.0, 20.0, 40.0, 100.0),
)
WORDS = ColumnStatistics(
    distinct=102,
    null_share=0.0,
    common=(("Midway", 0.5), ("Fairview", 0.3)),
    histogram=("Ash", "Birch", "Cedar", "Cypress", "Oak"),
)
ALL_COMMON = ColumnStatistics(distinct=2, null_share=0.0, common=(("M", 0.9), ("F", 0.1)))


def kept(known, type_, kind, *values):
    column = Column(name="c", type=type_, width_bytes=4, statistics=known)
    return share(Filter(columns=(("t", "c"),), kind=kind, values=values), lambda _: column)


def test_a_common_value_has_its_own_share_and_the_others_share_the_rest():
    assert equal_share(SKEWED, 50.0) == 0.4
    assert equal_share(SKEWED, 8.0) == pytest.approx(0.3 / 10)
    assert equal_share(ALL_COMMON, "X") == 0


def test_values_in_a_list_add_up_each_once():
    assert kept(SKEWED, "INTEGER", "in", 50.0, 7.0, 50.0, 8.0) == pytest.approx(0.63)
    assert kept(SKEWED, "INTEGER", "in", 50.0, 1_000.0) == pytest.approx(0.4)
    assert kept(ALL_COMMON, "VARCHAR", "eq", "M") == pytest.approx(0.9)


def test_a_range_has_the_common_values_in_it_and_its_part_of_the_buckets():
    assert range_share(SKEWED, 30.0, None) == pytest.approx(0.4 + 0.3 * 0.5)
    assert range_share(SKEWED, None, 70.0) == pytest.approx(0.6 + 0.3 * (2.5 / 3))
    assert range_share(SKEWED, 8.0, 18.0) == pytest.approx(0.3 * (0.5 / 3))
    assert range_share(SKEWED, 200.0, 300.0) == pytest.approx(0)
    assert range_share(SKEWED, None, None) == pytest.approx(0.9)


def test_a_skewed_price_is_not_spread_evenly_over_its_range():
    """Half of the prices are below 5 of 100: between minimum and maximum that would be 5 %."""
    prices = ColumnStatistics(
        distinct=1_000, null_share=0.0, minimum=0.0, maximum=100.0, histogram=(0.0, 5.0, 100.0)
    )
    assert kept(prices, "DECIMAL(7,2)", "range", None, 5.0) == pytest.approx(0.5)
    even = ColumnStatistics(distinct=1_000, null_share=0.0, minimum=0.0, maximum=100.0)
    assert kept(even, "DECIMAL(7,2)", "range", None, 5.0) == pytest.approx(0.05)


def test_text_has_ranges_and_patterns_too():
    assert range_share(WORDS, "C", "D") == pytest.approx(0.2 * 0.5)
    assert pattern_share(WORDS, "%w%") == pytest.approx(0.8 + 0.2 * 0.0001)
    assert pattern_share(WORDS, "C_%r%") == pytest.approx(0.2 * (2 / 5))
    assert kept(WORDS, "VARCHAR", "like", "Mid%") == pytest.approx(0.5, abs=0.001)


def test_where_nothing_is_known_nothing_is_said():
    empty = ColumnStatistics(distinct=5, null_share=0.0)
    assert range_share(empty, 1.0, 2.0) is None
    assert pattern_share(empty, "a%") is None


def test_several_bounds_of_one_value_are_as_many_buckets():
    heavy = ColumnStatistics(distinct=9, null_share=0.0, histogram=(1.0, 3.0, 3.0, 3.0, 9.0))
    assert range_share(heavy, 3.0, 3.0) == pytest.approx(0.5)


def test_a_constant_of_another_type_does_not_match():
    assert range_share(WORDS, 1.0, 2.0) is not None
    assert kept(SKEWED, "INTEGER", "eq", "fifty") == pytest.approx(0.03)


@given(st.text("ab%_", max_size=7), st.text("ab", max_size=9))
def test_patterns_match_what_like_matches(pattern, text):
    known = ColumnStatistics(distinct=1, null_share=0.0, common=((text, 1.0),))
    simple = "".join({"%": ".*", "_": "."}.get(c, c) for c in pattern)
    assert pattern_share(known, pattern) == (re.fullmatch(simple, text) is not None)


@pytest.mark.timeout(60)
def test_a_pattern_of_many_parts_takes_no_time():
    known = ColumnStatistics(distinct=1, null_share=0.0, common=(("a" * 90, 1.0),))
    assert pattern_share(known, "%a" * 20 + "%b") == 0
