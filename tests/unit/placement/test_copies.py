import time

import pytest

from placement.reasons.copies import copy_gains
from placement.routing.routing import plan_for
from placement.stores import Capability
from tests.unit.placement.problems import problem, query, store

TABLES = {"orders": 900, "lines": 900, "date": 40}
QUERIES = (
    query("q1", ("orders", "date"), executions=5.0),
    query("q2", ("lines", "date"), executions=2.0),
)
COPIED = {"orders": ("pg",), "lines": ("maria",), "date": ("maria", "pg")}


def asked(objective="work", **changes):
    stores = changes.pop("stores", (store("pg"), store("maria")))
    return problem(TABLES, stores, QUERIES, max_copies=2, objective=objective, **changes)


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_a_copy_of_date_gains_what_the_plan_without_it_costs_more(objective):
    problem_ = asked(objective)
    plan = plan_for(problem_, "copied", COPIED)
    (gain,) = copy_gains(problem_, plan)
    assert (gain.table, gain.stores, gain.copy_bytes) == ("date", ("maria", "pg"), 40)
    assert gain.best == "pg"  # q1 is run more often
    without = plan_for(problem_, "single", {**COPIED, "date": ("pg",)})
    assert gain.gain_s == pytest.approx(without.predicted_s - plan.predicted_s)
    assert gain.gain_s > 0


def test_copies_gain_the_same_where_queries_have_too_many_states_for_arrays(monkeypatch):
    problem_ = asked()
    plan = plan_for(problem_, "copied", COPIED)
    compiled = copy_gains(problem_, plan)
    monkeypatch.setattr("placement.reasons.copies.FEW_STATES", 0)
    monkeypatch.setattr("placement.reasons.copies.Evaluator", None)
    (routed,) = copy_gains(problem_, plan)
    assert routed.gain_s == pytest.approx(compiled[0].gain_s)
    assert (routed.table, routed.best) == (compiled[0].table, compiled[0].best)


def test_gains_that_take_longer_than_placing_may_are_not_told(monkeypatch):
    problem_ = asked("latency", time_limit_s=3.0)
    plan = plan_for(problem_, "copied", COPIED)
    assert copy_gains(problem_, plan)
    now = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))
    assert copy_gains(problem_, plan) is None


def test_a_copy_that_no_query_needs_loses_its_upkeep():
    problem_ = asked(upkeep=1e-3)
    placement = {"orders": ("maria", "pg"), "lines": ("pg",), "date": ("pg",)}
    (gain,) = copy_gains(problem_, plan_for(problem_, "useless", placement))
    assert gain.gain_s == pytest.approx(-900 * 1e-3)


def test_a_copy_without_which_a_query_cannot_be_run_has_no_seconds():
    scans = frozenset({Capability.SCAN})
    stores = (
        store("pg", capabilities=frozenset({Capability.JOIN})),
        store("maria", capabilities=scans),
    )
    problem_ = problem(
        {"orders": 900, "date": 40},
        stores,
        (
            query("q1", ("orders", "date"), joins=[("orders", "date")], whole=False),
            query("q2", ("date",), whole=False),
        ),
        max_copies=2,
    )
    plan = plan_for(problem_, "copied", {"orders": ("pg",), "date": ("maria", "pg")})
    (gain,) = copy_gains(problem_, plan)
    assert gain.gain_s is None


def test_a_plan_without_copies_has_no_gains():
    problem_ = asked()
    plan = plan_for(problem_, "single", dict.fromkeys(TABLES, ("pg",)))
    assert copy_gains(problem_, plan) == ()


def test_the_largest_gain_comes_first():
    problem_ = asked()
    placement = {"orders": ("maria", "pg"), "lines": ("maria",), "date": ("maria", "pg")}
    gains = [each.gain_s for each in copy_gains(problem_, plan_for(problem_, "p", placement))]
    assert gains == sorted(gains, reverse=True)
    assert len(gains) == 2


def test_what_may_not_leave_a_store_gains_by_the_copy_beside_it():
    problem_ = asked(pin={"date": ("maria",)})
    plan = plan_for(problem_, "copied", COPIED)
    (gain,) = copy_gains(problem_, plan)
    assert gain.best == "maria"  # though it is cheaper alone in pg
    without = plan_for(problem_, "single", {**COPIED, "date": ("maria",)})
    assert gain.gain_s == pytest.approx(without.predicted_s - plan.predicted_s)


def test_what_is_pinned_to_all_its_stores_gains_by_the_pin():
    problem_ = asked(pin={"date": ("maria", "pg")})
    (gain,) = copy_gains(problem_, plan_for(problem_, "copied", COPIED))
    assert gain.best == "pg"
    assert gain.gain_s > 0


def test_the_bytes_of_further_copies_are_those_beyond_the_stores_that_it_stays_in():
    stores = (store("pg"), store("maria"), store("duck"))
    problem_ = problem(
        TABLES, stores, QUERIES, max_copies=3, pin={"date": frozenset({"maria", "pg"})}
    )
    placement = {**COPIED, "date": ("duck", "maria", "pg")}
    (gain,) = copy_gains(problem_, plan_for(problem_, "copied", placement))
    assert (gain.best, gain.copy_bytes) == ("maria, pg", 40)
