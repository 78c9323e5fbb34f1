import math

import pytest

from workloads.catalog import Column, ColumnStatistics
from workloads.estimation.group_values import aggregated, kept_groups, moments
from workloads.footprint import Filter


def counted(low, high):
    return Filter(columns=(), kind="range", values=(low, high), aggregate="count")


def totalled(aggregate, low, high):
    return Filter(columns=(("t", "x"),), kind="range", values=(low, high), aggregate=aggregate)


def quantity(**more):
    known = ColumnStatistics(distinct=50, null_share=0.0, minimum=1.0, maximum=50.0, **more)
    return Column(name="x", type="INTEGER", width_bytes=4, statistics=known)


def kept(condition, rows_per_group, column=None):
    return kept_groups((condition,), rows_per_group, lambda _: column)


def test_every_group_has_a_row_and_few_have_many():
    assert kept_groups((), 3.0, lambda _: None) == 1
    assert kept(counted(1.0, None), 3.0) == pytest.approx(1)
    assert kept(counted(None, 1.0), 1.0) == pytest.approx(1)
    assert kept(counted(2.0, None), 1.5) == pytest.approx(1 - 0.6065, abs=1e-3)
    assert kept(counted(100.0, None), 3.0) == pytest.approx(0, abs=1e-9)


def test_large_groups_are_spread_normally():
    assert kept(counted(10_001.0, None), 10_001.0) == pytest.approx(0.5, abs=0.01)
    assert kept(counted(9_901.0, 10_101.0), 10_001.0) == pytest.approx(0.68, abs=0.01)


def test_a_sum_is_spread_around_the_groups_rows_times_the_mean():
    """Four of 1 to 50 add up to 102, and rarely to 300 (TPC-H's question 18)."""
    assert kept(totalled("sum", 102.0, None), 4.0, quantity()) == pytest.approx(0.5, abs=0.01)
    assert kept(totalled("sum", 300.0, None), 4.0, quantity()) < 0.001
    assert kept(totalled("sum", None, 300.0), 4.0, quantity()) > 0.999


def test_an_average_is_the_nearer_to_the_mean_the_larger_the_group():
    above = totalled("avg", 30.0, None)
    assert kept(above, 1.0, quantity()) == pytest.approx(0.375, abs=0.03)
    assert kept(above, 100.0, quantity()) < 0.01


def test_of_other_aggregates_nothing_is_known():
    assert kept(totalled("stddev", 5.0, None), 10.0, quantity()) == pytest.approx(1 / 3)
    assert kept(totalled("sum", 5.0, None), 10.0) == pytest.approx(1 / 3)
    assert aggregated("max", quantity(), 10.0) is None


def test_moments_come_from_common_values_and_buckets():
    even = moments(quantity().statistics)
    assert (even.mean, even.square) == pytest.approx((25.5, 850.333), rel=1e-3)
    skewed = moments(quantity(common=((10.0, 0.5),), histogram=(20.0, 30.0, 40.0)).statistics)
    assert skewed.mean == pytest.approx(0.5 * 10 + 0.25 * 25 + 0.25 * 35)
    assert moments(ColumnStatistics(distinct=1, null_share=0.0, common=(("a", 1.0),))) is None
    assert moments(ColumnStatistics(distinct=1, null_share=0.0)) is None


def test_sizes_of_groups_are_common_values_that_add_up_to_all():
    for mean in (1.0, 12.0, 5_000.0):
        sizes = aggregated("count", None, mean)
        assert sum(share for _, share in sizes.common) == pytest.approx(1, abs=1e-3), mean
        average = sum(value * share for value, share in sizes.common)
        assert average == pytest.approx(mean, rel=0.01), mean


def test_a_summed_column_has_a_histogram_around_its_mean():
    sums = aggregated("sum", quantity(), 4.0)
    assert sums.histogram[len(sums.histogram) // 2] == pytest.approx(102)
    assert list(sums.histogram) == sorted(sums.histogram)


def test_a_number_beyond_floats_is_no_bound_of_a_group():
    assert kept(counted(None, math.inf), 3.0) == 1
    assert kept(totalled("sum", math.inf, None), 3.0, quantity()) == pytest.approx(1 / 3)


@pytest.mark.parametrize("aggregate", ["sum", "avg"])
@pytest.mark.parametrize("ends", [(1e200, 1e200), (-1.7e308, 1.7e308), (1e154, 1.3e154)])
def test_nothing_is_known_of_numbers_whose_squares_are_infinite(aggregate, ends):
    low, high = ends
    known = ColumnStatistics(distinct=2, null_share=0.0, minimum=low, maximum=high)
    column = Column(name="x", type="DOUBLE", width_bytes=8, statistics=known)
    condition = totalled(aggregate, low, None)
    assert 0 <= kept(condition, 1e9, column) <= 1
    found = aggregated(aggregate, column, 1e9)
    assert found is None or all(map(math.isfinite, found.histogram))
