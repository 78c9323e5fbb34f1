"""The claims of the searching strategy, `greedy`."""

import random
from dataclasses import replace

import pytest

from placement.routing.routing import plan_for
from placement.strategies.greedy import Greedy
from placement.strategies.naive import Naive
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError


def single_moves(made, placement):
    """Yield every placement with one copy moved, added or dropped."""
    for table, here in placement.items():
        for source in (None, *here):
            for target in (None, *(s.name for s in made.stores if s.name not in here)):
                after = sorted({*here, target} - {source, None})
                if after and after != sorted(here):
                    yield {**placement, table: tuple(after)}


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_greedy_ends_where_no_single_move_gains(objective):
    ended = 0
    for seed in range(60):
        made = random_problem(random.Random(seed), tables=(3, 5), queries=(2, 5))
        limited = replace(made.constraints, together=(), max_money=None)
        made = replace(made, objective=objective, constraints=limited)
        try:
            plan = Greedy()(made)
        except InfeasibleError:
            continue
        if not plan.feasible:
            continue
        ended += 1
        for placement in single_moves(made, plan.placement):
            try:
                other = plan_for(made, "other", placement)
            except InfeasibleError:
                continue
            assert other.violations or other.predicted_s >= plan.predicted_s * (1 - 1e-8)
    assert ended > 30


def test_greedy_is_no_worse_than_the_packing_it_starts_from():
    for seed in range(40):
        made = random_problem(random.Random(seed), tables=(4, 8), queries=(3, 8))
        try:
            start = Naive()(made)
        except InfeasibleError:
            continue
        if start.feasible and not made.current:
            assert Greedy()(made).predicted_s <= start.predicted_s * (1 + 1e-9)


def test_greedy_starts_from_the_current_placement_and_stays_where_no_move_alone_gains():
    asked = [query("q", ("t", "u"), joins=[("t", "u")])]
    made = problem(
        {"t": 100, "u": 100},
        [store("a"), store("b", speed=1.1)],
        asked,
        current={"t": ("a",), "u": ("a",)},
        horizon=1e9,
    )
    assert Greedy()(made).placement == {"t": ("a",), "u": ("a",)}
    assert Greedy()(replace(made, current={})).placement == {"t": ("b",), "u": ("b",)}


def two_facts_and_a_budget():
    """A large table gains most, two small ones gain more together, and there is room for either."""
    return problem(
        {"large": 100, "small": 50, "tiny": 50},
        [store("slow"), store("fast", 100, speed=7.0)],
        [
            query("q1", ("large",), executions=12.0, whole=False),
            query("q2", ("small",), executions=10.0, whole=False),
            query("q3", ("tiny",), executions=10.0, whole=False),
        ],
        pin=dict.fromkeys(("large", "small", "tiny"), ("slow",)),
        max_copies=2,
    )


def test_gain_per_byte_finds_two_small_copies_where_gain_takes_the_large_one():
    made = two_facts_and_a_budget()
    by_gain, by_byte = Greedy(rules=("gain",))(made), Greedy(rules=("gain_per_byte",))(made)
    assert by_gain.placement["large"] == ("fast", "slow")
    assert by_byte.placement["small"] == by_byte.placement["tiny"] == ("fast", "slow")
    assert by_byte.predicted_s < by_gain.predicted_s
    assert Greedy()(made).placement == by_byte.placement
