from datetime import date, datetime
from decimal import Decimal

import pytest

from evaluation.oracle import difference

ROWS = [("a", 1.0, None), ("a", 2.0, date(2000, 1, 1)), ("b", 3.0, None)]


@pytest.mark.parametrize(
    "actual",
    [
        list(reversed(ROWS)),
        [("a", Decimal("1.00"), None), ("a ", 2, datetime(2000, 1, 1)), ("b", 3, None)],  # noqa: DTZ001
        [("a", 1.0 + 1e-9, None), ("a", 2.0, date(2000, 1, 1)), ("b", 3.0000001, None)],
    ],
)
def test_equal_multisets_do_not_differ(actual: list[tuple[object, ...]]):
    assert difference(ROWS, actual) is None


@pytest.mark.parametrize(
    ("actual", "said"),
    [
        (ROWS[:2], "2 rows where 3"),
        ([*ROWS[:2], ROWS[0]], "1 rows like|2 rows like|0 rows like"),
        ([("a", 1.0, None), ("a", 2.0, date(2000, 1, 2)), ("b", 3.0, None)], "2000-01-01"),
        ([("a", 1.001, None), *ROWS[1:]], r"no \(1.0,\)"),
        ([("a", None, None), *ROWS[1:]], "rows like"),
        ([("A", 1.0, None), *ROWS[1:]], "rows like"),
    ],
)
def test_a_difference_is_said(actual: list[tuple[object, ...]], said: str):
    found = difference(ROWS, actual)
    assert found is not None
    import re

    assert re.search(said, found)


def test_rounding_that_changes_the_order_of_rows_is_no_difference():
    expected = [(1.0, 5.0), (1.0 + 1e-9, 4.0)]
    actual = [(1.0 + 1e-9, 5.0), (1.0, 4.0)]
    assert difference(expected, actual) is None


def test_one_row_cannot_stand_for_two():
    assert difference([(1.0,), (2.0,)], [(1.0,), (1.0,)]) is not None
