import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.limits.check import check
from placement.limits.limits import limits
from placement.plan import Outcome
from placement.pricing import money
from placement.problem import LIMIT_TOLERANCE, Constraints
from placement.strategies import STRATEGIES, candidates, optimal
from placement.strategies.optimal import Optimal
from tests.unit.placement.brute_force import cheapest
from tests.unit.placement.problems import fragment, problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

OURS = [name for name in STRATEGIES if not name.startswith("paper")]


@pytest.mark.usefixtures("unexplained")
@settings(
    max_examples=1200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(min_value=0, max_value=10**9))
def test_the_optimum_is_that_of_trying_everything_and_the_check_agrees(seed):
    made = random_problem(random.Random(seed), tables=(2, 3), sources=(1, 3))
    best = cheapest(made)
    if best is None:
        with pytest.raises(InfeasibleError):
            Optimal()(made)
        return
    plan = Optimal()(made)
    assert plan.outcome is Outcome.OPTIMAL
    assert plan.predicted_s == pytest.approx(best, rel=2e-6)
    assert check(made, plan) == ()


@pytest.mark.usefixtures("unexplained")
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(min_value=0, max_value=10**9))
def test_no_strategy_beats_the_optimum_under_the_same_limits(seed):
    made = random_problem(random.Random(seed), tables=(2, 6), sources=(2, 5))
    try:
        plans = candidates(made, OURS)
    except InfeasibleError:
        return
    for plan in plans:
        assert check(made, plan) == plan.violations
    *baselines, ours = plans
    had = [plan.predicted_s for plan in baselines if plan.feasible]
    assert ours.predicted_s <= min(had, default=float("inf")) * (1 + 1e-6)


PASSED = 1 + 0.8 * LIMIT_TOLERANCE
"""As much as `check` lets a limit in seconds or money be passed, and nearly more."""


def passed_a_little(made, plan):
    """Return the limit that each plan passes by so little that `check` takes it for kept."""
    held = [
        sum(size for table, size in made.table_bytes.items() if each.name in plan.placement[table])
        for each in made.stores
    ]
    mean = sum(held) / len(held)
    return {
        "max_money": sum(money(made, plan.placement, plan.routing)) / PASSED,
        "latency_s": {each.name: plan.query_s(each.name) / PASSED for each in made.queries},
        "balance": max(abs(size - mean) / mean for size in held) - 0.8 * LIMIT_TOLERANCE,
    }


@pytest.mark.parametrize("limit", ["max_money", "latency_s", "balance"])
def test_the_solver_lets_a_limit_be_passed_by_as_much_as_the_check(limit):
    cut_off = 0
    for seed in range(60):
        made = random_problem(random.Random(seed), tables=(2, 4), sources=(1, 3))
        free = replace(made, constraints=Constraints(max_copies=made.constraints.max_copies))
        try:
            plan = Optimal()(free)
        except InfeasibleError:
            continue
        value = passed_a_little(free, plan)[limit]
        limited = replace(free, constraints=replace(free.constraints, **{limit: value}))
        assert limits(limited, plan.placement, plan.routing) == ()
        found = Optimal()(limited)
        assert check(limited, found) == ()
        assert found.predicted_s <= plan.predicted_s * PASSED
        cut_off += 1
    assert cut_off > 30


def test_equal_seeds_give_equal_plans():
    made = random_problem(random.Random(5), tables=(6, 6), stores=(3, 3), queries=(5, 5))
    assert Optimal()(made) == Optimal()(made)


def two_facts_share_a_dimension(max_copies):
    return problem(
        {"sales": 600, "clicks": 600, "dates": 10},
        [store("a", 700), store("b", 700)],
        [query("q1", ("sales", "dates")), query("q2", ("clicks", "dates"))],
        max_copies=max_copies,
    )


def test_a_copy_of_a_shared_table_removes_the_transfer():
    one = Optimal()(two_facts_share_a_dimension(1))
    two = Optimal()(two_facts_share_a_dimension(2))
    assert two.placement["dates"] == ("a", "b")
    assert two.predicted_s < one.predicted_s
    assert all(len(fragments) == 1 for fragments in two.routing.values())


def test_a_copy_that_no_query_reads_is_not_loaded():
    made = problem(
        {"t": 10, "idle": 10},
        [store("a"), store("b")],
        [query("q", ("t",))],
        max_copies=2,
        upkeep=0.0,
    )
    plan = Optimal()(made)
    assert {table: len(stores) for table, stores in plan.placement.items()} == {"t": 1, "idle": 1}


def test_a_pinned_copy_stays_even_where_no_query_reads_it():
    made = problem(
        {"t": 10},
        [store("a"), store("b", speed=0.1)],
        [query("q", ("t",))],
        pin={"t": ("b",)},
        max_copies=2,
    )
    assert Optimal()(made).placement == {"t": ("a", "b")}


def odd_cycle():
    """Three joins of two of three sources: half of each is cheapest, and cannot be run."""
    made = query("q", ("x", "y", "z"), whole=False, scan_rows=1000.0)
    table_of = {"x": "x", "y": "y", "z": "z"}
    pairs = (("x", "y"), ("y", "z"), ("x", "z"))
    joins = tuple(fragment("q", pair, table_of, rows=1.0) for pair in pairs)
    made = replace(made, fragments=made.fragments + joins)
    return problem({"x": 10, "y": 10, "z": 10}, [store("a"), store("b")], [made])


def test_fragments_in_an_odd_cycle_end_as_a_routing_that_can_be_run():
    made = odd_cycle()
    plan = Optimal()(made)
    assert plan.outcome is Outcome.OPTIMAL
    assert plan.predicted_s == pytest.approx(cheapest(made), rel=1e-6)
    assert check(made, plan) == ()


def test_shares_of_fragments_are_never_called_optimal(monkeypatch):
    from placement.exact import exact

    solve = exact.solve
    monkeypatch.setattr(exact, "solve", lambda made, **options: solve(made, time_limit_s=60))
    plan = Optimal()(odd_cycle())
    assert plan.outcome is Outcome.FEASIBLE
    assert plan.gap > 0.1


def test_without_a_placement_in_time_the_best_baseline_stands_with_the_bound(monkeypatch):
    from placement.exact import exact
    from placement.exact.model import Solution

    empty = Solution(placement=None, bound_s=0.01, proven=False, fractional=frozenset())
    monkeypatch.setattr(exact, "solve", lambda made, **options: empty)
    nothing = exact.Found(plan=None, bound_s=0.0)
    monkeypatch.setattr(optimal, "solve_in_parts", lambda *_, **__: nothing)
    made = two_facts_share_a_dimension(1)
    plan = Optimal()(made)
    assert plan.outcome is Outcome.FEASIBLE
    assert plan.bound_s == 0.01
    assert check(made, plan) == ()


def test_a_single_store_that_wins_is_the_optimum():
    made = problem(
        {"t": 10, "u": 10}, [store("fast", speed=9.0), store("slow")], [query("q", ("t", "u"))]
    )
    single, _, plan = candidates(made, ("single_store", "optimal"))
    assert plan.placement == single.placement
    assert plan.predicted_s == pytest.approx(single.predicted_s)
