"""The time that placing may take: what ends by it, what is left, and what is said of the rest."""

import random
import time
from dataclasses import replace
from math import inf

import pytest

from benchmarks.placement_instances import Shape, instance
from placement.arrays import compiling, read_costs
from placement.limits.check import check
from placement.plan import Outcome
from placement.programs.solver import Program
from placement.search import large
from placement.strategies import make, optimal
from placement.strategies.greedy import Greedy
from placement.strategies.optimal import Optimal
from placement.time_limit import OutOfTimeError, left_s
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

ALL = ("single_store", "naive", "greedy", "proximity", "optimal")


class Clock:
    """A clock that goes on by `step_s` seconds each time that it is read."""

    def __init__(self, monkeypatch, step_s):
        self.now, self.step_s = 0.0, step_s
        monkeypatch.setattr(time, "monotonic", self.read)

    def read(self):
        self.now += self.step_s
        return self.now


def crowded(**fields):
    """Tables that do not fit the fast store together, joined by many queries."""
    rng = random.Random(3)
    sizes = {f"t{i}": rng.randint(10, 99) for i in range(8)}
    stores = [store("a", 200), store("b", 170, speed=4.0), store("c", 200, speed=2.0)]
    queries = [
        query(f"q{i}", rng.sample(sorted(sizes), 3), executions=rng.randint(1, 9))
        for i in range(12)
    ]
    return replace(problem(sizes, stores, queries, max_copies=2), **fields)


def test_all_candidates_together_take_no_longer_than_the_limit(monkeypatch):
    made = crowded(time_limit_s=60.0)
    expected = [plan.strategy for plan in make(made, ALL).plans]
    clock = Clock(monkeypatch, 1.0)
    found = make(made, ALL)
    assert clock.now < 75
    assert [plan.strategy for plan in found.plans] == expected
    assert all(check(made, plan) == plan.violations for plan in found.plans)
    *_, best = found.plans
    assert best.predicted_s == min(plan.predicted_s for plan in found.plans if plan.feasible)


def test_what_the_limit_cut_is_said_of_the_plan(monkeypatch):
    made = crowded(time_limit_s=5.0)
    assert Greedy()(made).cut is None
    Clock(monkeypatch, 1.0)
    plan = Greedy()(made)
    assert plan.cut == "[place].time_limit_s of 5 s cut its search for moves"
    assert check(made, plan) == plan.violations


def test_a_candidate_without_any_time_is_left_out_and_ours_is_made_last(monkeypatch):
    made = crowded(time_limit_s=2.0)
    Clock(monkeypatch, 1.0)
    found = make(made, ("optimal", "naive", "greedy"))
    assert [plan.strategy for plan in found.plans][:1] == ["optimal"]
    assert found.unmade["greedy"] == "[place].time_limit_s of 2 s cut it"


def test_no_time_for_any_candidate_is_an_error_that_says_so(monkeypatch):
    Clock(monkeypatch, 1.0)
    with pytest.raises(
        InfeasibleError, match=r"No candidate was made: \[place\].time_limit_s of 1"
    ):
        make(crowded(time_limit_s=1.0), ("naive",))


def test_with_a_work_limit_no_clock_is_asked(monkeypatch):
    made = crowded(work_limit=5)
    expected = make(made, ALL)
    Clock(monkeypatch, 3600.0)
    assert make(made, ALL) == expected
    assert left_s(made) == inf


def test_a_query_that_splits_in_too_many_ways_is_left_to_the_solver(monkeypatch):
    made = problem(
        dict.fromkeys("tuvwxy", 10),
        [store("a", 40), store("b", 40, speed=2.0)],
        [query("q", "tuvwxy", joins=("tu", "vw", "tuv", "wxy"))],
    )
    best = Optimal()(made)
    compiled = compiling.compile_problem
    monkeypatch.setattr(optimal, "compile_problem", lambda made, _: compiled(made, 3))
    monkeypatch.setattr(read_costs, "compile_problem", lambda made: compiled(made, 3))
    found = make(made, ("naive", "greedy", "optimal"))
    assert "more than 3 ways" in found.unmade["greedy"]
    naive, ours = found.plans
    assert (naive.strategy, ours.strategy, ours.outcome) == ("naive", "optimal", Outcome.OPTIMAL)
    assert ours.predicted_s == pytest.approx(best.predicted_s)


def test_a_cover_that_the_solver_has_no_time_for_is_no_query_that_cannot_be_run(monkeypatch):
    monkeypatch.setattr("placement.routing.cover.MOST_STATES", 0)
    stopped = replace(Program().solve(seed=0, time_limit_s=1.0), values=None)
    stopped = replace(stopped, status=type(stopped.status).STOPPED)
    monkeypatch.setattr(Program, "solve", lambda *_, **__: stopped)
    with pytest.raises(OutOfTimeError, match="time_limit_s"):
        Greedy()(replace(random_problem(random.Random(5)), objective="latency"))


def test_the_time_left_by_an_unproven_whole_goes_into_parts_of_its_plan(monkeypatch):
    shape = Shape(tables=40, stores=4, queries=60, max_copies=2, seed=1)
    made = replace(instance(shape), work_limit=1)
    both = Optimal()(made)
    assert check(made, both) == ()
    assert both.cut == "[place].work_limit of 1 steps cut the search for a cheaper plan"
    monkeypatch.setattr(
        optimal, "solve_in_parts", lambda *_, **__: large.Found(plan=None, bound_s=0)
    )
    whole = Optimal()(made)
    assert whole.cut is not None
    assert both.predicted_s < 0.9 * whole.predicted_s
    assert both.bound_s >= whole.bound_s
