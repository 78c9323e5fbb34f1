import random
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.limits.check import check
from placement.plan import Outcome
from placement.reasons.alternatives import Change, changes, with_others_fixed, with_others_free
from placement.reasons.explain import explain_table, explain_tables
from placement.reasons.explain_query import explain_query
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from tests.unit.placement.brute_force import placement_cost, placements
from tests.unit.placement.problems import SCANS, fragment, problem, query, random_problem, store
from workloads.errors import InfeasibleError

RANDOM = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
seeds = st.integers(min_value=0, max_value=10**9)


def planned(seed, **sizes):
    """A random problem with its optimum; None where nothing fits."""
    made = random_problem(random.Random(seed), **sizes)
    try:
        return made, Optimal()(made)
    except InfeasibleError:
        return made, None


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


FAST_AND_SLOW = (store("fast", 100, speed=5.0), store("slow", 100))


@pytest.mark.parametrize(
    ("limits", "held_by", "said"),
    [
        ({"pin": {"t": ("fast",)}}, "pin", "pinned to fast"),
        ({"exclude": {"t": ("slow",)}}, "exclusion", "excluded from slow"),
        (
            {
                "exclude": {"t": ("slow",), "u": ("slow",)},
                "tags": {"pii": frozenset("tu"), "hot": frozenset("t")},
            },
            "tag",
            "by the rule for 'pii'",
        ),
        (
            {"pin": {"t": frozenset({"fast"})}, "staying": {"t": {"fast": "it is live there"}}},
            "live",
            "It stays in fast, as it is live there.",
        ),
        (
            {"exclude": {"t": ("slow",)}, "unheld": {"t": {"slow": "it is only read"}}},
            "store",
            "Store 'slow' cannot hold it: it is only read.",
        ),
        ({}, "cost", "at least"),
    ],
)
def test_what_holds_a_table_is_named(limits, held_by, said):
    made = problem(
        {"t": 10, "u": 10}, FAST_AND_SLOW, [query("q", ("t",)), query("r", ("u",))], **limits
    )
    found = explain_table(made, Optimal()(made), "t", free=False)
    assert found.held_by == held_by
    assert said in found.because


def test_a_live_table_with_a_copy_is_held_where_it_is_live():
    made = problem(
        {"t": 10},
        [store("live"), store("copies", speed=0.1), store("other")],
        [query("q", ("t",))],
        max_copies=2,
        pin={"t": frozenset({"live"})},
        staying={"t": {"live": "it is live there and not movable"}},
        exclude={"t": frozenset({"other"})},
        unheld={"t": {"other": "its tables are live, so that it is only read"}},
    )
    plan = plan_for(made, "copied", {"t": ("copies", "live")})
    found = explain_table(made, plan, "t", free=False)
    assert found.held_by == "live"
    assert found.because == (
        "It stays in live, as it is live there and not movable. Store 'other' cannot hold it: its "
        "tables are live, so that it is only read."
    )


def test_an_exclusion_beside_what_a_store_cannot_hold_is_one_of_the_user():
    made = problem(
        {"t": 10},
        [store("a"), store("b"), store("c")],
        [query("q", ("t",))],
        exclude={"t": frozenset({"b", "c"})},
        unheld={"t": {"b": "it has no such type"}},
    )
    found = explain_table(made, Optimal()(made), "t", free=False)
    assert found.held_by == "exclusion"
    assert "Store 'b' cannot hold it: it has no such type." in found.because


def test_a_table_whose_better_store_is_full_is_held_by_its_capacity():
    made = problem(
        {"t": 80, "u": 80},
        FAST_AND_SLOW,
        [query("q", ("t",), executions=9.0), query("r", ("u",))],
    )
    found = explain_table(made, Optimal()(made), "u", free=False)
    assert found.held_by == "capacity"
    assert found.because.startswith("Store 'fast' would hold 160 B, 60 B over")
    assert found.fixed[0].delta_s < 0
    assert found.fixed[0].violations == (found.because,)


def test_a_table_that_no_query_reads_is_held_by_nothing_but_a_tie():
    made = problem({"t": 10, "idle": 10}, [store("a"), store("b")], [query("q", ("t",))])
    assert explain_table(made, Optimal()(made), "idle").held_by == "tie"


def test_a_plan_that_is_not_the_best_is_told_of_a_better_place():
    made = problem({"t": 10}, FAST_AND_SLOW, [query("q", ("t",))])
    plan = plan_for(made, "naive", {"t": ("slow",)})
    found = explain_table(made, plan, "t")
    assert found.held_by == "nothing"
    assert found.cheapest.change.enters == "fast"
    assert found.cheapest.delta_s == found.free[0].delta_s < 0


@pytest.mark.usefixtures("unexplained")
@settings(RANDOM, max_examples=40)
@given(seeds)
def test_what_is_not_solved_twice_is_what_solving_it_would_give(seed):
    made, plan = planned(seed, tables=(2, 3), sources=(1, 3))
    if plan is None:
        return
    for table in made.table_bytes:
        found = explain_table(made, plan, table)
        assert [each.change for each in found.free] == [each.change for each in found.fixed]
        for each in found.free:
            alone = with_others_free(made, plan, each.change)
            assert each.delta_s == pytest.approx(alone.delta_s, abs=2e-6 * plan.predicted_s)
            assert (each.plan is None) == (alone.plan is None)


def test_a_rule_that_forbids_a_change_is_said_before_anything_is_solved(monkeypatch):
    made = problem({"t": 10}, FAST_AND_SLOW, [query("q", ("t",))], pin={"t": ("fast",)})
    plan = Optimal()(made)
    monkeypatch.setattr(Optimal, "__call__", None)
    found = with_others_free(made, plan, Change(table="t", leaves="fast", enters="slow"))
    assert found.plan is None
    assert found.reason == "Table 't' is pinned to store 'fast'."


def test_the_overview_has_every_table_and_solves_nothing(monkeypatch):
    made = problem({"t": 10, "u": 20}, FAST_AND_SLOW, [query("q", ("t", "u"))])
    plan = Optimal()(made)
    monkeypatch.setattr(Optimal, "__call__", None)
    found = explain_tables(made, plan)
    assert [(each.table, each.queries, each.size_bytes) for each in found] == [
        *(("t", 1, 10), ("u", 1, 20))
    ]


def test_a_query_says_what_keeps_it_from_being_one_fragment():
    made = problem(
        {"t": 80, "u": 80},
        [
            store("a", 100),
            store("b", 200, lacks=("rollup",), kind="mysql"),
            store("c", 100, capabilities=SCANS),
        ],
        [query("q", ("t", "u"), features=("rollup",), executions=3.0)],
    )
    plan = plan_for(made, "spread", {"t": ("a",), "u": ("b",)})
    found = explain_query(made, plan, "q")
    assert [(routed.store, cost.total_s) for routed, cost in found.fragments] == [
        (routed.store, routed.predicted_s) for routed in plan.routing["q"]
    ]
    assert sum(cost.total_s for _, cost in found.fragments) == pytest.approx(found.predicted_s)
    in_a, in_b, in_c = found.stores
    assert in_a.obstacle == "u (80 B) not there; room for only 20 B more."
    assert in_a.predicted_s < found.predicted_s
    assert (in_b.missing, in_b.fragments) == (("t",), 2)
    assert in_b.obstacle == "A store of kind 'mysql' does not run rollup."
    assert in_c.obstacle == "A store of kind 'postgresql' runs no whole query."


def test_a_query_that_is_one_fragment_has_no_obstacle_there_and_a_cost_elsewhere():
    made = problem(
        {"t": 10}, [store("a"), store("b", speed=0.1)], [query("q", ("t",))], max_copies=2
    )
    found = explain_query(made, plan_for(made, "both", {"t": ("a", "b")}), "q")
    assert found.stores[0].obstacle == ""
    assert found.stores[1].obstacle == f"It would cost {found.stores[1].predicted_s:.3g} s there."


def test_a_query_that_a_store_cannot_read_has_no_cost_there():
    lone = replace(query("q", ("t",)), fragments=(fragment("q", ("t",), {"t": "t"}),))
    made = problem({"t": 10}, [store("a"), store("b", capabilities=frozenset())], [lone])
    found = explain_query(made, plan_for(made, "a", {"t": ("a",)}), "q")
    assert found.stores[1].predicted_s is None
    assert found.stores[1].obstacle == "It has no fragment that is the whole query."


@pytest.mark.usefixtures("unexplained")
@settings(RANDOM, max_examples=60)
@given(seeds)
def test_no_other_place_costs_less_than_the_sentence_says(seed):
    made, plan = planned(seed)
    if plan is None:
        return
    for table in made.table_bytes:
        found = explain_table(made, plan, table)
        if found.held_by != "cost":
            continue
        assert ", all else fixed." in found.because
        said = re.search(r"With all else placed anew, at least ([0-9.e+-]+) s", found.because)
        elsewhere = [a.delta_s for a in found.free if a.plan is not None and a.change.kind != "add"]
        if said is not None:
            assert min(elsewhere) >= float(said[1]) * (1 - 5e-3)
