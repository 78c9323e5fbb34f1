"""Keys as they were found: in order, and as ranges where they are some."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from evaluation.federation.sent_keys import MOST_RANGES, MOST_SENT
from evaluation.running.found_keys import are_few, distinct, listed, loadable, ranges

LEAST, GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def test_each_key_is_there_once_and_none_is_null():
    rows = pa.table({"k": pa.chunked_array([[3, None, 1], [1, 3, None]])})
    assert listed(distinct(rows)) == [1, 3]


def test_a_statement_holds_the_keys_up_to_its_limit():
    assert are_few(pa.array(range(MOST_SENT)))
    assert not are_few(pa.array(range(MOST_SENT + 1)))


@pytest.mark.parametrize("type_", [pa.int8(), pa.int16(), pa.int32(), pa.int64()])
def test_whole_numbers_of_any_width_are_loaded_in_order(type_: pa.DataType):
    found = loadable(pa.array([5, -7, 0], type_))
    assert found is not None
    assert found.type == pa.int64()
    assert found.to_pylist() == [-7, 0, 5]


def test_days_are_loaded_in_order():
    days = [date(2000, 2, 29), date(1, 1, 1), date(9999, 12, 31)]
    found = loadable(pa.array(days))
    assert found is not None
    assert found.to_pylist() == sorted(days)


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a", "b"]),
        pa.array([1.0, 2.0]),
        pa.array([True, False]),
        pa.array([1, 2]).cast(pa.decimal128(38, 0)),
        # The first day after the year 9999.
        pa.array([0, date.max.toordinal() - date(1970, 1, 1).toordinal() + 1], pa.date32()),
    ],
    ids=["text", "floating", "truth", "decimal", "late"],
)
def test_what_stores_may_compare_otherwise_is_not_loaded(values: pa.Array):
    assert loadable(values) is None


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([7], [(7, 7)]),
        ([1, 2, 3, 9], [(1, 3), (9, 9)]),
        ([LEAST, LEAST + 1, GREATEST], [(LEAST, LEAST + 1), (GREATEST, GREATEST)]),
        (range(0, 3 * MOST_RANGES, 3), [(n, n) for n in range(0, 3 * MOST_RANGES, 3)]),
        (range(0, 3 * MOST_RANGES + 3, 3), []),
    ],
    ids=["one", "two", "far apart", "most", "too many"],
)
def test_keys_are_told_as_ranges_where_these_are_few(
    keys: Sequence[int], expected: list[tuple[int, int]]
):
    assert list(ranges(pa.array(keys, pa.int64()))) == expected


def test_a_range_of_days_has_its_first_and_its_last_day():
    days = [date(1999, 12, 1) + timedelta(days=each) for each in range(400)]
    assert ranges(pa.array(days)) == [(days[0], days[-1])]
