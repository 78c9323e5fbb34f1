"""The bound from prices, and problems that are solved in parts."""

import random
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.placement_instances import Shape, instance
from placement.arrays.compiled import placement_of
from placement.arrays.compiling import compile_problem
from placement.arrays.evaluator import Evaluator
from placement.limits.check import check
from placement.limits.limits import limits
from placement.plan import Outcome
from placement.search import neighbourhoods
from placement.search.bound import Relaxation
from placement.search.outline import outline
from placement.search.room import room
from placement.search.settling import settled
from placement.strategies.optimal import Optimal
from tests.unit.placement import brute_force
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from tests.unit.placement.test_compiled import plain
from workloads.errors import InfeasibleError

IN_PARTS = Optimal(most_options=0)


def bound(problem_, steps=200):
    relaxation = Relaxation(compile_problem(problem_))
    return relaxation.ascend(room(relaxation.compiled), prices=relaxation.start(), steps=steps)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 10**9))
def test_the_bound_from_prices_is_never_above_the_optimum(seed):
    each = plain(random.Random(seed))
    optimum = brute_force.cheapest(each)
    if optimum is not None:
        assert bound(each, steps=60).value_s <= optimum * (1 + 1e-9)


def test_the_bound_is_the_optimum_where_nothing_conflicts():
    queries = [query(f"q{i}", [f"t{i}", f"u{i}"], executions=i + 1.0) for i in range(4)]
    tables = {name: 100 for i in range(4) for name in (f"t{i}", f"u{i}")}
    each = problem(tables, [store("slow"), store("fast", speed=4.0)], queries, upkeep=0.0)
    plan = Optimal()(each)
    assert bound(each).value_s == pytest.approx(plan.predicted_s, rel=1e-3)


def test_a_full_store_has_a_price_that_raises_the_bound():
    queries = [query(f"q{i}", [f"t{i}"]) for i in range(6)]
    tables = {f"t{i}": 100 for i in range(6)}
    free = problem(tables, [store("slow"), store("fast", speed=9.0)], queries, upkeep=0.0)
    full = problem(tables, [store("slow"), store("fast", 300, speed=9.0)], queries, upkeep=0.0)
    # Prices of equal queries swing together: where whole ones cost a little more, 200 steps gain
    # nothing yet.
    assert bound(full, 400).value_s > 1.2 * bound(free, 400).value_s
    assert bound(full, 400).prices.capacity[1] > 0


def test_tables_lean_to_where_they_are_cheapest():
    each = problem({"t": 100}, [store("slow"), store("fast", speed=9.0)], [query("q", ["t"])])
    assert bound(each).leaning[0].argmax() == 1


@pytest.mark.usefixtures("unexplained")
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_a_plan_made_of_parts_keeps_every_limit_and_its_bound_holds(seed):
    each = replace(random_problem(random.Random(seed)), work_limit=6)
    optimum = brute_force.cheapest(each)
    if optimum is None:
        with pytest.raises(InfeasibleError):
            IN_PARTS(each)
        return
    plan = IN_PARTS(each)
    assert check(each, plan) == ()
    assert plan.outcome is not Outcome.INFEASIBLE
    assert plan.predicted_s >= optimum * (1 - 1e-9)
    assert plan.bound_s <= optimum * (1 + 1e-6)


def test_equal_seeds_and_work_limits_give_equal_plans():
    each = replace(
        instance(Shape(tables=40, stores=3, queries=80, max_copies=2)), work_limit=3, seed=5
    )
    first, second = IN_PARTS(each), IN_PARTS(each)
    assert first == second
    assert check(each, first) == ()


@cache
def solved():
    """A problem that is solved whole in seconds, with its optimum."""
    each = instance(Shape(tables=40, stores=3, queries=80, max_copies=3))
    return each, Optimal()(each)


def test_parts_better_the_first_placement():
    each, whole = solved()
    plan = IN_PARTS(replace(each, work_limit=25))
    assert plan.predicted_s <= whole.predicted_s * 1.02
    assert plan.bound_s <= whole.predicted_s * (1 + 1e-6)


def test_prices_are_never_negative_and_shares_stay_shares():
    found = bound(plain(random.Random(3)))
    assert (found.prices.source >= 0).all()
    assert (found.prices.capacity >= 0).all()
    assert np.all((found.leaning >= 0) & (found.leaning <= 1 + 1e-9))


def test_tables_settle_within_capacities_where_there_is_room():
    for seed in range(5):
        each = instance(Shape(tables=40, stores=4, queries=60, max_copies=4, seed=seed))
        relaxation = Relaxation(compile_problem(each))
        where = room(relaxation.compiled)
        found = relaxation.ascend(where, prices=relaxation.start(), steps=100)
        held = settled(relaxation, found, where, ends=float("inf"))
        assert limits(each, placement_of(relaxation.compiled, held)) == ()


def test_room_at_its_price_leaves_some_for_what_is_joined():
    each = instance(Shape(tables=150, stores=5, queries=300, max_copies=5))
    relaxation = Relaxation(compile_problem(each))
    where = room(relaxation.compiled)
    found = relaxation.ascend(where, prices=relaxation.start(), steps=300)
    free = replace(
        found, prices=replace(found.prices, capacity=np.zeros_like(found.prices.capacity))
    )
    priced, unpriced = (
        Evaluator(each).cost_s(
            [placement_of(relaxation.compiled, settled(relaxation, b, where, ends=float("inf")))]
        )[0]
        for b in (found, free)
    )
    assert priced < unpriced
    assert found.value_s <= priced


def test_an_outline_is_a_placement_within_the_limits_near_the_best():
    each, whole = solved()
    relaxation = Relaxation(compile_problem(each))
    where = room(relaxation.compiled)
    found = relaxation.ascend(where, prices=relaxation.start(), steps=400)
    held = outline(relaxation, found, where, ends=time.monotonic() + 60)
    placement = placement_of(relaxation.compiled, held)
    assert limits(each, placement) == ()
    best_s = whole.predicted_s
    assert best_s * (1 - 1e-6) <= Evaluator(each).cost_s([placement])[0] <= 1.05 * best_s


def test_a_part_leaves_out_tables_that_too_many_queries_read(monkeypatch):
    each = instance(Shape(tables=40, stores=3, queries=80))
    compiled = compile_problem(each)
    monkeypatch.setattr(neighbourhoods, "MOST_QUERIES", 20)
    leaning = np.full((40, 3), 1 / 3)
    drawn = neighbourhoods.Neighbourhoods(compiled, np.random.default_rng(0), leaning)
    held = compiled.held([dict.fromkeys(each.table_bytes, ("mysql1",))])[:, :, 0]
    for _ in range(20):
        for part in (drawn.draw(drawn.regret_s(held), 12), drawn.disputed(held, 12)):
            assert len(part) >= 1
            assert len(part) == 1 or len(drawn.readers(part)) <= 20


def test_parts_are_drawn_where_queries_cost_above_their_least():
    tables = {"a": 100, "b": 100, "c": 100, "d": 100}
    queries = [query("apart", ["a", "b"], executions=50.0), query("fine", ["c", "d"])]
    each = problem(tables, [store("s"), store("t")], queries)
    compiled = compile_problem(each)
    drawn = neighbourhoods.Neighbourhoods(compiled, np.random.default_rng(0), np.full((4, 2), 0.5))
    split = compiled.held([{"a": ("s",), "b": ("t",), "c": ("s",), "d": ("s",)}])[:, :, 0]
    regret_s = drawn.regret_s(split)
    assert regret_s[0] > 0
    assert regret_s[1] == pytest.approx(0.0)
    parts = [set(drawn.draw(regret_s, 2).tolist()) for _ in range(50)]
    assert sum(part == {0, 1} for part in parts) >= 45


def test_prices_of_a_problem_without_a_placement_rise_to_an_end():
    tables = {"a": 60, "b": 60, "c": 60}
    full = problem(tables, [store("s", 60), store("t", 60)], [query("q", ["a", "b"])])
    found = bound(full, steps=5000)
    assert found.steps < 5000
    with pytest.raises(InfeasibleError):
        IN_PARTS(full)
