import pytest

from workloads.estimation.distinct_values import Frequencies, duj1, groups


def test_groups_are_cardenas_formula():
    assert groups(1, 100) == 1
    assert groups(10, 0) == 0
    assert groups(2, 1) == pytest.approx(1)
    assert groups(10, 1e6) == pytest.approx(10)
    assert groups(1e6, 10) == pytest.approx(10, rel=1e-4)
    assert groups(4, 2) == pytest.approx(4 * (1 - (3 / 4) ** 2))


def test_a_sample_in_which_no_value_is_seen_once_has_seen_them_all():
    assert duj1(Frequencies(rows=100, distinct=7, once=0), 50.0) == 7


def test_a_sample_in_which_every_value_is_seen_once_is_of_a_unique_column():
    assert duj1(Frequencies(rows=100, distinct=100, once=100), 50.0) == pytest.approx(5_000)


def test_the_whole_table_is_its_own_answer_and_nothing_has_no_values():
    assert duj1(Frequencies(rows=100, distinct=80, once=60), 1.0) == 80
    assert duj1(Frequencies(rows=0, distinct=0, once=0), 1.0) == 0


def test_a_tenth_of_evenly_frequent_values_gives_their_number():
    """1,000 values in 10,000 rows; a tenth of them is drawn: 1,000 · P(seen), 1,000 · P(once)."""
    seen, once = 1_000 * (1 - 0.9**10), 1_000 * 10 * 0.1 * 0.9**9
    assert duj1(Frequencies(rows=1_000, distinct=seen, once=once), 10.0) == pytest.approx(
        1_000, rel=0.01
    )
