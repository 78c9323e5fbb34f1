"""Stores that no cheapest plan needs are left out, and the bound still holds for all of them."""

import random
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.exact.model import Scope, solve
from placement.limits.canonical_order import in_order
from placement.limits.check import check
from placement.search.needed_stores import in_few_stores, most_used
from placement.strategies.optimal import Optimal
from tests.unit.placement.brute_force import placement_cost
from tests.unit.placement.brute_force_limits import placement_limits
from tests.unit.placement.problems import SCANS, problem, query, store
from workloads.errors import InfeasibleError

NAMES = ("a", "b", "c")


def many_stores(rng, room=(0.5, 1.1)):
    """A random problem of three tables in four stores of different speeds and abilities."""
    tables = {name: rng.randint(1, 40) * 10 for name in NAMES}
    total = sum(tables.values())
    stores = [
        store(
            f"s{number}",
            rng.choice((None, *[int(total * rng.uniform(*room))] * 7)),
            speed=rng.choice((0.5, 1.0, 1.0, 2.0, 3.0)),
            **({"capabilities": SCANS} if rng.randint(0, 5) == 0 else {}),
        )
        for number in range(4)
    ]
    queries = [
        query(
            f"q{number}",
            read := rng.sample(NAMES, rng.randint(1, 3)),
            executions=float(rng.randint(1, 9)),
            joins=[rng.sample(read, 2)] if len(read) > 2 else (),
        )
        for number in range(3)
    ]
    return problem(tables, stores, queries, max_copies=rng.choice((1, 1, 2)), upkeep=1e-5)


def cheapest(made):
    """Return the least cost of any placement; None if none fits."""
    names = sorted(each.name for each in made.stores)
    sizes = range(1, made.constraints.max_copies + 1)
    copies = [chosen for size in sizes for chosen in combinations(names, size)]
    limits = placement_limits(made)
    placements = (dict(zip(NAMES, each, strict=True)) for each in product(copies, repeat=3))
    fitting = (each for each in placements if all(kept(made, each) for _, kept in limits))
    costs = [placement_cost(made, {t: each[t] for t in made.table_bytes}) for each in fitting]
    return min((cost for cost in costs if cost is not None), default=None)


@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck])
@given(st.integers(0, 10**9))
def test_no_plan_in_all_stores_is_cheaper_than_the_bound_in_few(seed):
    made = in_order(many_stores(random.Random(seed)))
    few = in_few_stores(made)
    best = cheapest(made)
    if few is None or best is None:
        return
    found = solve(few.problem, time_limit_s=60.0, scope=Scope(offered=few.offered))
    assert found.proven
    assert found.bound_s <= best * (1 + 1e-6)


def test_a_plan_made_in_few_stores_keeps_every_limit_and_its_bound_holds():
    made_there = 0
    for seed in range(12):
        made = in_order(many_stores(random.Random(seed)))
        few, best = in_few_stores(made), cheapest(made)
        if few is None or best is None:
            continue
        plan = Optimal(most_options=few.options)(replace(made, work_limit=2))
        assert check(made, plan) == ()
        assert plan.bound_s <= best * (1 + 1e-6)
        assert best * (1 - 1e-6) <= plan.predicted_s
        made_there += 1
    assert made_there > 3


def test_the_bound_in_few_stores_is_mostly_the_optimum():
    counted, met = 0, 0
    for seed in range(40):
        made = in_order(many_stores(random.Random(seed)))
        few, best = in_few_stores(made), cheapest(made)
        if few is None or best is None:
            continue
        found = solve(few.problem, time_limit_s=60.0, scope=Scope(offered=few.offered))
        counted += 1
        met += found.bound_s > 0.9 * best
    assert counted > 15
    assert met > 0.6 * counted


def test_stores_of_one_kind_cost_nothing_to_leave_out():
    tables = {"a": 60, "b": 50, "c": 40}
    stores = [store(f"s{number}", 80, speed=1.0 + number / 10) for number in range(6)]
    made = in_order(problem(tables, stores, [query("q", ["a", "b"]), query("r", ["b", "c"])]))
    few = in_few_stores(made)
    assert [each.name for each in few.problem.stores] == ["s5", "s4", "s3"]
    found = solve(few.problem, time_limit_s=60.0, scope=Scope(offered=few.offered))
    assert found.bound_s == pytest.approx(Optimal()(made).predicted_s, rel=1e-6)


def test_as_many_stores_are_used_as_hold_more_two_by_two_than_the_first_can_take():
    assert most_used([30] * 20, 100) == 6  # 6 of 16 bytes: each two hold 32
    assert most_used([30] * 20, 92) == 5  # 6 of 15.33 would be needed
    assert most_used([100, 10, 10], 100) == 1
    assert most_used([100, 10, 10], 101) == 2
    assert most_used([50] * 3, 1000) == 3


@pytest.mark.parametrize(
    "limit",
    [
        {"pin": {"a": ("s3",)}},
        {"exclude": {"a": ("s0",)}},
        {"apart": [("a", "b")]},
        {"balance": 0.9},
        {"current": dict.fromkeys(NAMES, ("s3",))},
        {"latency_s": {"q": 10.0}},
        {"objective": "latency"},
    ],
)
def test_a_limit_that_tells_stores_apart_needs_all_of_them(limit):
    tables = dict.fromkeys(NAMES, 10)
    stores = [store(f"s{number}", 40) for number in range(4)]
    assert in_few_stores(problem(tables, stores, [query("q", ["a"])])) is not None
    assert in_few_stores(problem(tables, stores, [query("q", ["a"])], **limit)) is None


def test_where_nothing_fits_the_error_is_of_all_stores():
    stores = [store(f"s{number}", 25) for number in range(5)]
    tables = dict.fromkeys(NAMES, 20) | {"d": 30}
    made = problem(tables, stores, [query("q", ["a", "b"])])
    with pytest.raises(InfeasibleError, match="Table 'd' has 30 B"):
        Optimal(most_options=0)(made)
