"""The reasons why a table is where it is."""

import re

import pytest
from hypothesis import given, settings

from placement.reasons.alternatives import with_others_free
from placement.reasons.explain import explain_table, explain_tables
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from tests.unit.placement.planned import RANDOM, planned, seeds
from tests.unit.placement.problems import FAST_AND_SLOW, problem, query, store


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


def test_the_overview_has_every_table_and_solves_nothing(monkeypatch):
    made = problem({"t": 10, "u": 20}, FAST_AND_SLOW, [query("q", ("t", "u"))])
    plan = Optimal()(made)
    monkeypatch.setattr(Optimal, "__call__", None)
    found = explain_tables(made, plan)
    assert [(each.table, each.queries, each.size_bytes) for each in found] == [
        *(("t", 1, 10), ("u", 1, 20))
    ]


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
