"""Keys restrict the SQL of a fragment as lists, ranges and bounds."""

import datetime as dt
import random
from collections.abc import Callable

import duckdb
import pytest

from evaluation.federation.sent_keys import MOST_RANGES, restricted


def test_a_fragment_takes_numbers_and_dates_as_keys():
    day = dt.date(2001, 2, 3)
    assert restricted("SELECT 1", [('"a"', [1, 2]), ('"b"', [day])]) == (
        'SELECT k.* FROM (SELECT 1) k WHERE k."a" IN (1, 2) AND k."b" IN (DATE \'2001-02-03\')'
    )


@pytest.mark.parametrize(
    ("values", "condition"),
    [
        ([3, 4, 5], "k.c BETWEEN 3 AND 5"),
        ([-1, 0, 1, 7, 8, 9], "(k.c BETWEEN -1 AND 1 OR k.c BETWEEN 7 AND 9)"),
        ([1, 2, 3, 4, 9], "(k.c BETWEEN 1 AND 4 OR k.c BETWEEN 9 AND 9)"),
        # Neither shorter nor sooner compared.
        ([3, 4], "k.c IN (3, 4)"),
        ([1, 3, 5, 7, 9], "k.c IN (1, 3, 5, 7, 9)"),
        (
            [dt.date(9999, 12, 29), dt.date(9999, 12, 30), dt.date.max],
            "k.c BETWEEN DATE '9999-12-29' AND DATE '9999-12-31'",
        ),
    ],
)
def test_keys_without_gaps_are_sent_as_ranges(values: list[object], condition: str):
    assert restricted("SELECT 1", [("c", values)]).endswith(f" WHERE {condition}")


@pytest.mark.parametrize("more", [0, 1])
def test_many_ranges_are_sent_as_a_list(more: int):
    values = [100 * i + each for i in range(MOST_RANGES + more) for each in range(50)]
    assert (" IN (" in restricted("SELECT 1", [("c", values)])) == bool(more)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("of", [int, dt.date.fromordinal], ids=["numbers", "dates"])
def test_ranges_let_the_rows_through_that_a_list_does(seed: int, of: Callable[[int], object]):
    choose = random.Random(seed)
    starts = choose.sample(range(100, 1_000, 100), choose.randint(1, MOST_RANGES + 1))
    keys = sorted(of(n) for start in starts for n in range(start, start + choose.randint(1, 40)))
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t AS SELECT unnest($1) AS c", [[*map(of, range(1, 1_200))]])
        rows = database.execute(restricted("SELECT c FROM t", [("c", keys)])).fetchall()
    assert sorted(row[0] for row in rows) == keys


def test_no_key_lets_no_row_through():
    assert restricted("SELECT 1", [('"a"', [])]).endswith("WHERE 1 = 0")


def test_a_fragment_takes_the_bound_that_meets_any_of_several_values():
    taken = restricted("SELECT 1", [], [('"a"', ">=", [1, 2]), ('"b"', "<", [3, 4])])
    assert taken.endswith('WHERE k."a" >= 1 AND k."b" < 4')
    assert restricted("SELECT 1", [], [('"a"', ">", [])]).endswith("WHERE 1 = 0")


def test_text_is_no_key():
    with pytest.raises(TypeError, match="str"):
        restricted("SELECT 1", [('"a"', ["'; DROP TABLE t"])])
