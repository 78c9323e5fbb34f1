"""What a store can hold beside a table, scenarios of where tables are, and dives into one."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.placement_instances import Shape, instance
from placement.arrays.compiled import Ragged, placement_of
from placement.arrays.compiling import compile_problem
from placement.arrays.evaluator import Evaluator
from placement.arrays.sums import Sums
from placement.limits.limits import limits
from placement.search.bound import Relaxation
from placement.search.dive import dives
from placement.search.pivots import Pivots
from placement.search.room import Room, room
from placement.search.scenarios import Scenario, _parts, split
from placement.strategies.optimal import Optimal
from tests.unit.placement import brute_force
from tests.unit.placement.problems import problem, query, store


def crowded(rng):
    """A random problem with a copy or two of each table, in stores that hold about half of them."""
    names = [f"t{number}" for number in range(4)]
    tables = {name: rng.randint(1, 100) for name in names}
    total = sum(tables.values())
    stores = [
        store(f"s{n}", int(total * rng.uniform(0.35, 0.9)), speed=rng.choice((1.0, 1.0, 3.0)))
        for n in range(rng.choice((2, 3)))
    ]
    queries = []
    for number in range(4):
        read = rng.sample(names, rng.randint(2, 4))
        joins = [rng.sample(read, rng.randint(2, len(read))) for _ in range(rng.randint(1, 3))]
        queries.append(
            query(f"q{number}", read, executions=float(rng.randint(1, 9)), joins=joins[:2])
        )
    return problem(tables, stores, queries, max_copies=rng.choice((1, 1, 2)))


def shared_dimension(max_copies=1):
    """Two stores, each with room for half of the facts and the dimension that all join."""
    facts = [f"f{number}" for number in range(4)]
    tables = {"dimension": 10, **dict.fromkeys(facts, 100)}
    queries = [query(f"q_{fact}", [fact, "dimension"], scan_rows=500.0) for fact in facts]
    stores = [store("one", 210), store("two", 210)]
    return problem(tables, stores, queries, max_copies=max_copies, upkeep=0.0)


def relaxed(each, steps=150):
    relaxation = Relaxation(compile_problem(each))
    where = room(relaxation.compiled)
    bound = relaxation.ascend(where, prices=relaxation.start(), steps=steps)
    return relaxation, Scenario(where=where, bound=bound)


def test_random_problems_have_pivots():
    found = [Relaxation(compile_problem(crowded(random.Random(seed)))) for seed in range(12)]
    assert sum(len(each.pivots) > 0 for each in found) > 6


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**9))
def test_no_bound_of_pivots_or_scenarios_is_above_the_optimum(seed):
    each = crowded(random.Random(seed))
    optimum = brute_force.cheapest(each)
    if optimum is None:
        return
    relaxation, root = relaxed(each, steps=40)
    assert root.bound.value_s <= optimum * (1 + 1e-9)
    last, *_ = split(relaxation, root, most=6, goal_s=np.inf, ends=np.inf)
    assert root.bound.value_s <= last.bound.value_s <= optimum * (1 + 1e-9)


def test_what_does_not_fit_beside_a_shared_dimension_raises_the_bound(monkeypatch):
    each = shared_dimension()
    optimum = brute_force.cheapest(each)
    _, with_pivots = relaxed(each, steps=400)
    monkeypatch.setattr(Pivots, "__len__", lambda _: 0)
    monkeypatch.setattr("placement.search.pivots.HEAVY", 2.0)
    _, without = relaxed(each, steps=400)
    assert without.bound.value_s < 0.7 * optimum
    assert with_pivots.bound.value_s > 0.95 * optimum


def test_scenarios_close_the_gap_that_shares_leave():
    each = instance(Shape(tables=20, stores=3, queries=30))
    best_s = Optimal()(each).predicted_s
    relaxation, root = relaxed(each, steps=200)
    last, *_ = split(relaxation, root, most=25, goal_s=best_s, ends=np.inf)
    assert last.bound.value_s <= best_s * (1 + 1e-6)
    assert best_s - last.bound.value_s < 0.6 * (best_s - root.bound.value_s)


@pytest.mark.parametrize("seed", range(10))
def test_every_placement_is_in_one_part(seed):
    rng = np.random.default_rng(seed)
    leaning = rng.random((3, 3)) / 3
    where = Room(allowed=rng.random((3, 3)) < 0.8, required=np.zeros((3, 3), dtype=bool))
    where.allowed[:, 0] = True
    _, root = relaxed(shared_dimension())
    scenario = replace(root, where=where, bound=replace(root.bound, leaning=leaning))
    parts = _parts(scenario, np.ones(3))
    rows = [row for row in product((False, True), repeat=3) if any(row)]
    for held in map(np.array, product(rows, repeat=3)):
        inside = [not (held & ~p.allowed).any() and not (p.required & ~held).any() for p in parts]
        if parts and not (held & ~where.allowed).any():
            assert sum(inside) == 1
        else:
            assert not any(inside)


def test_tables_that_may_be_everywhere_have_no_pivots():
    assert len(Relaxation(compile_problem(shared_dimension())).pivots) > 0
    assert len(Relaxation(compile_problem(shared_dimension(max_copies=2))).pivots) == 0


def test_a_dive_ends_near_the_best_placement_within_the_limits():
    each = instance(Shape(tables=40, stores=3, queries=80))
    relaxation, root = relaxed(each, steps=200)
    scenarios = split(relaxation, root, most=10, goal_s=np.inf, ends=np.inf)
    placement = placement_of(relaxation.compiled, dives(relaxation, scenarios, ends=np.inf))
    assert limits(each, placement) == ()
    best_s = Optimal()(each).predicted_s
    assert best_s * (1 - 1e-6) <= Evaluator(each).cost_s([placement])[0] <= 1.15 * best_s


def test_sums_of_lists_are_those_of_each_list():
    rows = np.random.default_rng(0).random((9, 4))
    lists = [[0, 3, 8], [], [5], [1, 1], [2, 4, 6, 7], [5, 0]]
    found = Sums(Ragged.of(lists)).of(rows)
    assert np.allclose(found, [rows[each].sum(axis=0) for each in lists])
