"""When a candidate's place is settled, and how many rounds that takes."""

import random
from itertools import pairwise

import pytest

from evaluation.measuring.rounds import (
    CONFIDENCE,
    PRIOR_DEVIATION,
    PRIOR_FREEDOM,
    Noise,
    noise,
    settled,
    unsettled,
)


def test_candidates_far_apart_are_settled_by_one_round():
    assert settled({"slow": [9.0], "middle": [3.0], "fast": [1.0]}) == {"slow", "middle", "fast"}


def test_the_fastest_needs_another_round_and_so_do_those_that_are_close():
    assert unsettled({"slow": [9.0], "middle": [3.0], "fast": [1.0]}) == {"fast"}
    assert unsettled({"far": [9.0], "one": [1.0], "other": [1.2]}) == {"one", "other"}
    assert unsettled({"none": [], "one": [1.0]}) == {"one"}
    assert unsettled({}) == set()


def test_candidates_that_are_close_are_not_and_the_far_one_is():
    assert settled({"far": [9.0], "one": [1.0], "other": [1.2]}) == {"far"}


def test_more_rounds_tell_less_apart():
    one, other = (1.0, 1.01, 0.99), (1.3, 1.29, 1.31)
    assert settled({"one": one[:1], "other": other[:1]}) == set()
    assert settled({"one": one, "other": other}) == {"one", "other"}


def test_a_noisy_machine_needs_more_than_a_quiet_one():
    noisy = {"one": (1.0, 1.4, 0.7), "other": (1.3, 1.8, 0.9)}
    assert settled(noisy) == set()
    # What a third candidate's rounds say of the noise holds for all.
    quiet = {"one": (1.0, 1.01, 0.99), "other": (1.3, 1.29, 1.31)}
    assert settled({**quiet, "third": (9.0, 20.0, 4.0)}) == {"third"}


def test_a_candidate_without_a_place_is_settled_and_keeps_nobody():
    assert settled({"failed": (), "verified": (1.0,)}) == {"failed", "verified"}
    assert settled({}) == frozenset()


def test_only_rounds_that_both_had_are_compared():
    # Later rounds, which were disturbed, say nothing of a candidate that was not in them.
    quiet = Noise(deviation=0.05, freedom=20)
    assert quiet.apart((2.0,), (1.0, 2.0, 2.0))
    assert not quiet.apart((1.05,), (1.0, 2.0, 2.0))


def test_a_pair_without_a_round_is_not_apart():
    assert not noise([(1.0,), ()]).apart((1.0,), ())


def test_one_round_has_the_prior_alone():
    found = noise([(1.0,), (5.0,)])
    assert found.deviation == pytest.approx(PRIOR_DEVIATION)
    assert found.freedom == PRIOR_FREEDOM


def test_a_total_of_nothing_is_no_error():
    assert settled({"empty": (0.0,), "other": (1.0,)}) == {"empty", "other"}


def test_equal_candidates_are_seldom_called_apart():
    """The prior's own noise: errors stay about as rare as `CONFIDENCE` says, in all three looks."""
    draw = random.Random(3)
    wrong = 0
    for _ in range(2_000):
        pair = [[draw.lognormvariate(0, PRIOR_DEVIATION) for _ in range(3)] for _ in range(2)]
        wrong += any(
            settled({"one": pair[0][:rounds], "other": pair[1][:rounds]}) for rounds in (1, 2, 3)
        )
    assert wrong / 2_000 < 3 * (1 - CONFIDENCE)


def test_what_settles_is_in_the_order_of_the_true_times():
    draw = random.Random(4)
    true = {f"c{i}": 1.35**i for i in range(8)}
    for _ in range(200):
        totals = {
            name: [seconds * draw.lognormvariate(0, 0.05) for _ in range(3)]
            for name, seconds in true.items()
        }
        found = settled(totals)
        order = sorted(found, key=lambda name: sum(totals[name]))
        assert all(true[left] < true[right] for left, right in pairwise(order))
