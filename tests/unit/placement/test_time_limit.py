"""The time that placing may take: what ends by it, what is left, and what is said of the rest."""

import random
import time
from dataclasses import replace
from math import inf

import pytest

from benchmarks.placement_instances import Shape, instance
from placement.arrays import compiling, read_costs
from placement.arrays.states import states_of
from placement.exact import exact
from placement.limits.check import check
from placement.plan import Outcome
from placement.programs.solver import Program
from placement.search import large
from placement.search.descents import improve, repair
from placement.search.moves import Position
from placement.search.terrain import Terrain
from placement.strategies import make, optimal
from placement.strategies.greedy import Greedy
from placement.strategies.optimal import Optimal
from placement.time_limit import STEPS_A_LOOK, Looks, OutOfTimeError, left_s
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


def of_many_ways(**fields):
    """A query of 41 tables, each joined to one to four earlier ones: more ways than are counted."""
    rng = random.Random(1)
    names = [f"t{i}" for i in range(41)]
    pairs = [(j, i) for i in range(1, 41) for j in rng.sample(range(i), min(i, rng.randint(1, 4)))]
    near = {i: {a + b - i for a, b in pairs if i in {a, b}} for i in range(41)}
    threes = {tuple(sorted({*pair, i})) for pair in pairs for i in near[pair[0]] - set(pair)}
    joins = [tuple(names[i] for i in joined) for joined in (*pairs, *sorted(threes))]
    stores = [store("a", 2000), store("b", 2000, speed=2.0)]
    sizes = dict.fromkeys(names, 50)
    return problem(sizes, stores, [query("q", names, joins=joins)], max_copies=2, **fields)


def test_a_query_of_many_ways_takes_no_longer_than_the_limit_by_the_real_clock():
    made = of_many_ways(time_limit_s=1.0)
    started = time.monotonic()
    found = make(made, ALL)
    assert time.monotonic() - started < 1.0 + 30.0
    assert "[place].time_limit_s" in found.unmade["greedy"]
    *_, best = found.plans
    assert best.strategy == "optimal"
    assert best.cut == "[place].time_limit_s of 1 s cut the search for a cheaper plan"
    assert best.feasible


def test_the_clock_is_looked_at_while_the_ways_of_a_query_are_counted():
    over = Looks(0.0, "sets were counted")
    made = of_many_ways()
    (asked,) = made.queries
    everything = Looks(inf, "sets were found")
    found = compiling.cheapest_sets(made, asked, everything)
    with pytest.raises(OutOfTimeError, match=r"sets were counted: raise \[place\].time_limit_s"):
        states_of([(41, [each.mask for each in found])], looks=over)
    with pytest.raises(OutOfTimeError):
        compiling.drop_dominated(hardly_cheaper(found), 0, over)
    with pytest.raises(OutOfTimeError):
        compiling.compile_problem(replace(made, ends=0.0))


def hardly_cheaper(found):
    """Let a set cost a little less than its sources do alone: all ways to replace it are tried."""
    for each in found:
        each.cost_s[0] = each.mask.bit_count() * 1.0 + 1e-3 * (each.mask.bit_count() == 1)
    return found


def test_a_descent_whose_time_is_over_amid_its_moves_stays_where_it_is(monkeypatch):
    terrain = Terrain(crowded())
    placement = dict.fromkeys(terrain.problem.table_bytes, ("c",))
    position = Position(terrain, terrain.held(placement))
    before = position.held.copy()
    terrain.steps = STEPS_A_LOOK
    clock = Clock(monkeypatch, 1.0)
    assert not improve(position, lambda moves: moves.gain_s, ends=clock.now + 4.0)
    assert (position.held == before).all()
    assert not repair(position, ends=clock.now + 4.0)
    assert (position.held == before).all()


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


def test_a_placement_that_there_is_no_time_to_route_leaves_a_baseline(monkeypatch):
    def late(*_):
        raise OutOfTimeError("No way to run a query was found in time.")

    made = crowded(time_limit_s=30.0)
    monkeypatch.setattr(exact, "routed", late)
    plan = Optimal()(made)
    assert plan.cut == "[place].time_limit_s of 30 s cut the search for a cheaper plan"
    assert check(made, plan) == ()


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
