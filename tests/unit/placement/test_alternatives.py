"""The seconds that another place of a copy is said to cost are those that it costs."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from placement.limits.check import check
from placement.plan import Outcome
from placement.reasons.alternatives import Change, changes, with_others_fixed, with_others_free
from placement.strategies.optimal import Optimal
from tests.unit.placement.brute_force import placement_cost, placements
from tests.unit.placement.planned import RANDOM, planned, seeds
from tests.unit.placement.problems import FAST_AND_SLOW, problem, query, store


def every_change(made, plan):
    return [each for table in made.table_bytes for each in changes(made, plan.placement, table)]


def applied(plan, change):
    """The placement after a change, by the words that say it."""
    held = set(plan.placement[change.table])
    if change.leaves:
        held.remove(change.leaves)
    if change.enters:
        held.add(change.enters)
    return {**plan.placement, change.table: tuple(sorted(held))}


def obeys(placement, plan, change):
    held = set(placement[change.table])
    if change.kind == "add" and not held.issuperset(plan.placement[change.table]):
        return False
    return change.leaves not in held and (change.enters is None or change.enters in held)


@pytest.mark.usefixtures("unexplained")
@settings(RANDOM, max_examples=150)
@given(seeds)
def test_making_a_change_alone_costs_exactly_what_it_is_said_to(seed):
    made, plan = planned(seed)
    if plan is None:
        return
    loose = replace(made, constraints=replace(made.constraints, latency_s={}))
    for change in every_change(made, plan):
        found = with_others_fixed(made, plan, change)
        placement = applied(plan, change)
        if found.plan is None:
            assert (
                placement_cost(replace(loose, constraints=type(made.constraints)()), placement)
                is None
            )
            continue
        assert found.placement == placement
        assert check(made, found.plan) == found.violations
        cost = placement_cost(loose, placement)
        if cost is not None:  # a budget may leave no routing at all
            assert plan.predicted_s + found.delta_s == pytest.approx(cost, rel=1e-6)


@settings(RANDOM, max_examples=60)
@given(seeds)
def test_making_a_change_with_all_else_free_costs_exactly_what_it_is_said_to(seed):
    made, plan = planned(seed, tables=(2, 3), queries=(1, 2), sources=(1, 3))
    if plan is None:
        return
    for change in every_change(made, plan):
        found = with_others_free(made, plan, change)
        costs = [
            cost
            for placement in placements(made)
            if obeys(placement, plan, change)
            and (cost := placement_cost(made, placement)) is not None
        ]
        assert (found.plan is None) == (not costs)
        if found.plan is None:
            assert found.reason.endswith(".")
            continue
        assert check(made, found.plan) == ()
        assert plan.predicted_s + found.delta_s == pytest.approx(min(costs), rel=2e-6)
        assert found.bound_s <= min(costs) * (1 + 1e-9)


@pytest.mark.usefixtures("unexplained")
@settings(RANDOM, max_examples=60)
@given(seeds)
def test_what_queries_and_copies_gain_and_lose_adds_up_largest_first(seed):
    made, plan = planned(seed)
    if plan is None:
        return
    for change in every_change(made, plan):
        found = with_others_fixed(made, plan, change)
        if found.plan is None:
            continue
        copies_s = sum(
            made.copy_s(change.table, made.store(name))
            * (1 if name in found.placement[change.table] else -1)
            for name in {change.leaves, change.enters} - {None}
        )
        assert found.copies_delta_s == pytest.approx(copies_s, abs=1e-8 * plan.predicted_s)
        sizes = [abs(each.delta_s) for each in found.queries]
        assert sizes == sorted(sizes, reverse=True)


def test_every_other_place_of_a_copy_is_looked_at():
    made = problem({"t": 1}, [store("a"), store("b"), store("c")], max_copies=3)
    assert changes(made, {"t": ("a",)}, "t") == (
        Change(table="t", leaves="a", enters="b"),
        Change(table="t", leaves="a", enters="c"),
        Change(table="t", enters="b"),
        Change(table="t", enters="c"),
    )
    assert [each.kind for each in changes(made, {"t": ("a", "b")}, "t")] == [
        *("move", "move", "drop", "drop", "add")
    ]


def test_no_copy_is_added_beyond_those_allowed():
    made = problem({"t": 1}, [store("a"), store("b")], max_copies=1)
    assert [each.kind for each in changes(made, {"t": ("a",)}, "t")] == ["move"]


def test_a_plan_with_a_change_claims_no_bound_of_its_own():
    made = problem({"t": 1}, [store("a", speed=2.0), store("b")], [query("q", ("t",))])
    found = with_others_free(made, Optimal()(made), Change(table="t", leaves="a", enters="b"))
    assert found.plan.outcome is Outcome.FEASIBLE
    assert found.plan.bound_s is None
    assert found.bound_s == pytest.approx(found.plan.predicted_s)


def test_a_rule_that_forbids_a_change_is_said_before_anything_is_solved(monkeypatch):
    made = problem({"t": 10}, FAST_AND_SLOW, [query("q", ("t",))], pin={"t": ("fast",)})
    plan = Optimal()(made)
    monkeypatch.setattr(Optimal, "__call__", None)
    found = with_others_free(made, plan, Change(table="t", leaves="fast", enters="slow"))
    assert found.plan is None
    assert found.reason == "Table 't' is pinned to store 'fast'."
