import pytest

from workloads.catalog import Column, ColumnStatistics
from workloads.estimation.selectivity import (
    BETWEEN_DEFAULT,
    EQUALITY_DEFAULT,
    LIKE_DEFAULT,
    OTHER_DEFAULT,
    RANGE_DEFAULT,
    backed_off,
    disjunction,
    independent,
    merged,
    null_test,
    number,
    share,
)
from workloads.footprint import Filter


def column(type_="INTEGER", distinct=10, nulls=0.0, low=1.0, high=100.0):
    known = ColumnStatistics(distinct=distinct, null_share=nulls, minimum=low, maximum=high)
    return Column(name="c", type=type_, width_bytes=4, statistics=known)


def condition(kind, *values, name="c", alternatives=()):
    return Filter(columns=(("t", name),), kind=kind, values=values, alternatives=alternatives)


def kept(found, known):
    return share(found, lambda _: known)


def test_an_equality_keeps_one_of_the_distinct_values_that_are_not_null():
    assert kept(condition("eq", 5.0), column()) == 1 / 10
    assert kept(condition("eq", 5.0), column(nulls=0.5)) == 0.5 / 10
    assert kept(condition("eq", "x"), column("VARCHAR", low=None, high=None)) == 1 / 10
    assert kept(condition("eq", None), column()) == 1 / 10


def test_a_constant_beyond_minimum_and_maximum_keeps_nothing():
    assert kept(condition("eq", 101.0), column()) == 0
    assert kept(condition("eq", "2000-01-01"), column("DATE", low=0, high=10)) == 0


def test_in_keeps_one_of_distinct_for_each_different_constant_in_range():
    assert kept(condition("in", 1.0, 2.0, 2.0, 500.0), column()) == 2 / 10
    assert kept(condition("in", *map(float, range(1, 50))), column()) == 1


def test_ranges_are_interpolated_counting_both_ends_of_discrete_types():
    assert kept(condition("range", 1.0, 25.0), column()) == 0.25
    assert kept(condition("range", 51.0, None), column()) == 0.5
    assert kept(condition("range", None, 1.0), column()) == 0.01
    assert kept(condition("range", 200.0, None), column()) == 0
    decimal = column("DECIMAL(7,2)", low=0.0, high=10.0)
    assert kept(condition("range", 0.0, 2.5), decimal) == 0.25


def test_dates_as_text_are_interpolated_in_days():
    days = column("DATE", low=0.0, high=9.0)
    assert kept(condition("range", "1970-01-01", "1970-01-05"), days) == 0.5
    assert kept(condition("range", None, "1970-1-05"), days) == 0.5
    times = column("TIMESTAMP", low=0.0, high=2.0)
    assert kept(condition("range", "1970-01-01 12:00:00", None), times) == 0.75


def test_numbers_come_as_text_too():
    assert number("12.5", "DECIMAL(7,2)") == 12.5
    assert number("twelve", "INTEGER") is None
    assert number("2000-02-30", "DATE") is None
    assert number("2000-01-01", "VARCHAR") is None


def test_null_tests_keep_the_null_share():
    assert kept(condition("null"), column(nulls=0.2)) == 0.2
    assert kept(condition("not_null"), column(nulls=0.2)) == 0.8


def test_defaults_stand_where_nothing_is_known():
    assert kept(condition("eq", "x"), None) == EQUALITY_DEFAULT
    assert kept(condition("range", "a", None), None) == RANGE_DEFAULT
    assert kept(condition("range", "a", "b"), None) == BETWEEN_DEFAULT
    assert kept(condition("like", "a%"), column()) == LIKE_DEFAULT
    assert kept(condition("other"), column()) == OTHER_DEFAULT


def test_a_condition_on_no_column_keeps_everything():
    assert kept(Filter(columns=(), kind="other"), None) == 1


def test_negation_keeps_the_rest_that_is_not_null():
    negated = condition("not", alternatives=((condition("eq", 5.0),),))
    assert kept(negated, column(nulls=0.5)) == pytest.approx(0.5 - 0.05)


def test_a_double_negation_of_null_is_seen_through():
    assert null_test(condition("not", alternatives=((condition("not_null"),),))) == "null"
    assert null_test(condition("not", alternatives=((condition("null"),),))) == "not_null"
    assert null_test(condition("eq", 1.0)) is None


def test_or_is_inclusion_and_exclusion_of_its_arms():
    either = condition(
        "other",
        alternatives=(
            (condition("eq", 1.0), condition("eq", 2.0, name="d")),
            (condition("eq", 3.0),),
        ),
    )
    assert kept(either, column()) == pytest.approx(1 - (1 - 0.01) * (1 - 0.1))
    assert disjunction([0.5, 0.5]) == 0.75


def test_conjunctions_multiply_or_back_off():
    assert independent([0.5, 0.1]) == 0.05
    assert backed_off([0.25, 0.1]) == pytest.approx(0.1 * 0.25**0.5)
    assert backed_off([0.5] * 9) == pytest.approx(0.5 ** (1 + 1 / 2 + 1 / 4 + 1 / 8))
    assert backed_off([]) == 1


def test_two_ends_of_a_range_are_one_condition():
    ends = [condition("range", 11.0, None), condition("range", None, 20.0), condition("eq", 1.0)]
    found = merged(ends)
    assert len(found) == 2
    assert kept(found[1], column()) == 0.1
