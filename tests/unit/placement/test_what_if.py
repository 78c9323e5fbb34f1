import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.limits.check import check
from placement.plan import Outcome
from placement.problem import Constraints
from placement.reasons.variations import (
    ENGINE,
    ENGINE_RATES,
    STORE_RATES,
    rate_of,
    with_capacity,
    with_max_copies,
    with_price,
    with_rate,
    with_store,
    without_store,
)
from placement.reasons.what_if import what_if
from placement.routing.routing import plan_for
from placement.stores import Prices
from placement.strategies.optimal import Optimal
from tests.unit.placement.brute_force import cheapest
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

TWO = problem(
    {"t": 60, "u": 40},
    [store("a", 100, speed=3.0), store("b", 100)],
    [query("q", ("t",)), query("r", ("t", "u"))],
    current={"t": ("a",), "u": ("b",)},
)


def rest(made, *changed):
    """What of a problem is to be as it was."""
    names = ("table_bytes", "stores", "queries", "constraints", "costs", "graph", "current")
    return [getattr(made, name) for name in names if name not in changed]


def test_without_a_store_its_rules_and_what_it_holds_now_are_gone_too():
    made = problem(
        {"t": 1, "u": 1},
        [store("a"), store("b")],
        pin={"t": ("a", "b"), "u": ("a",)},
        exclude={"t": ("b",), "u": ("b",)},
        max_copies=2,
        current={"t": ("a", "b"), "u": ("a",)},
    )
    left = without_store(made, "a")
    assert [each.name for each in left.stores] == ["b"]
    assert left.constraints == Constraints(
        pin={"t": frozenset("b")},
        exclude={"t": frozenset("b"), "u": frozenset("b")},
        max_copies=2,
    )
    assert left.current == {"t": ("b",), "u": ()}
    assert left.is_move("u", "b")


def test_a_store_more_is_the_last():
    more = with_store(TWO, store("c", 5))
    assert more.stores == (*TWO.stores, store("c", 5))
    assert rest(more, "stores") == rest(TWO, "stores")


def test_a_store_more_does_not_get_what_it_cannot_hold_and_takes_the_reason_with_it():
    more = with_store(TWO, store("c", 5), {"t": "column 'x' has NaN"})
    assert more.constraints.exclude["t"] == frozenset("c")
    assert more.constraints.unheld == {"t": {"c": "column 'x' has NaN"}}
    assert without_store(more, "c") == TWO


@pytest.mark.parametrize("capacity_bytes", [70, None])
def test_another_capacity_is_that_stores_alone(capacity_bytes):
    changed = with_capacity(TWO, "b", capacity_bytes)
    assert [each.capacity_bytes for each in changed.stores] == [100, capacity_bytes]
    assert rest(changed, "stores") == rest(TWO, "stores")


def test_another_price_leaves_the_other_price():
    once = with_price(TWO, "a", "storage_gb_month", 0.2)
    twice = with_price(once, "a", "transfer_gb", 0.1)
    assert twice.store("a").prices == Prices(storage_gb_month=0.2, transfer_gb=0.1)
    assert twice.store("b").prices == Prices()


@pytest.mark.parametrize("rate", STORE_RATES)
def test_every_rate_of_a_store_can_be_another(rate):
    changed = with_rate(TWO, "b", rate, 12.5)
    assert rate_of(changed, "b", rate) == 12.5
    assert changed.store("a") == TWO.store("a")
    assert rate_of(with_rate(changed, "b", rate, rate_of(TWO, "b", rate)), "b", rate) == rate_of(
        TWO, "b", rate
    )


@pytest.mark.parametrize("rate", ENGINE_RATES)
def test_every_rate_of_the_engine_can_be_another(rate):
    changed = with_rate(TWO, ENGINE, rate, 12.5)
    assert rate_of(changed, ENGINE, rate) == 12.5
    assert changed.stores == TWO.stores
    assert changed.costs.upkeep_s_per_byte == TWO.costs.upkeep_s_per_byte


def test_more_copies_may_be_allowed():
    assert with_max_copies(TWO, 2).constraints == Constraints(max_copies=2)


def test_a_store_that_is_left_out_leaves_no_placement_to_keep():
    plan = Optimal()(TWO)
    found = what_if(TWO, plan, without_store(TWO, "a"))
    assert found.kept is None
    assert found.kept_reason == "Table 't' is in store 'a', which is gone."
    assert found.moves["t"] == (("a",), ("b",))
    assert found.after.predicted_s > plan.predicted_s


def test_a_capacity_that_no_longer_fits_marks_the_placement_that_is_kept():
    plan = Optimal()(TWO)
    found = what_if(TWO, plan, with_capacity(TWO, "a", 50))
    assert found.kept.outcome is Outcome.INFEASIBLE
    assert found.kept.predicted_s == pytest.approx(plan.predicted_s)
    assert found.kept.violations[0].startswith("Store 'a' would hold")


def test_a_faster_store_is_told_from_moving_there():
    plan = Optimal()(TWO)
    assert plan.placement["t"] == ("a",)
    found = what_if(TWO, plan, with_rate(TWO, "b", "scan_bytes_per_s", 1e9))
    assert found.after.predicted_s <= found.kept.predicted_s <= plan.predicted_s
    by_queries = sum(each.delta_s for each in found.queries)
    copies_s = sum(
        TWO.copy_s(table, TWO.store(store)) * sign
        for held, sign in ((found.after.placement, 1), (plan.placement, -1))
        for table, stores in held.items()
        for store in stores
    )
    difference_s = found.after.predicted_s - plan.predicted_s
    assert difference_s == pytest.approx(by_queries + copies_s)


def test_queries_that_come_and_go_are_counted_whole():
    more = problem(
        TWO.table_bytes, TWO.stores, [query("r", ("t", "u")), query("s", ("u",), executions=5.0)]
    )
    found = what_if(TWO, Optimal()(TWO), more)
    changes = {each.query: each for each in found.queries}
    assert changes["q"].after_executions == 0
    assert changes["q"].delta_s == pytest.approx(-changes["q"].before_s)
    assert changes["s"].before_executions == 0
    assert changes["s"].delta_s == pytest.approx(5 * changes["s"].after_s)


def test_money_is_that_of_storage_and_transfer():
    plan = Optimal()(TWO)
    priced = with_price(TWO, "a", "storage_gb_month", 1e9)
    found = what_if(TWO, plan, priced)
    assert found.before_money == 0
    held = sum(b for t, b in TWO.table_bytes.items() if "a" in found.after.placement[t])
    assert found.after_money == pytest.approx(held)


@pytest.mark.usefixtures("unexplained")
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(min_value=0, max_value=10**9))
def test_what_is_said_of_a_changed_problem_is_its_optimum_and_passes_the_check(seed):
    rng = random.Random(seed)
    made = random_problem(rng)
    name = rng.choice(made.stores).name
    changed = rng.choice(
        [
            with_capacity(made, name, None),
            with_rate(made, name, "scan_bytes_per_s", 3e3),
            with_max_copies(made, 3),
            without_store(made, name) if len(made.stores) > 2 else with_max_copies(made, 2),
            with_store(made, store("more", 100)),
        ]
    )
    try:
        plan = Optimal()(made)
    except InfeasibleError:
        return
    best = cheapest(changed)
    if best is None:
        with pytest.raises(InfeasibleError):
            what_if(made, plan, changed)
        return
    found = what_if(made, plan, changed)
    assert check(changed, found.after) == ()
    assert found.after.predicted_s == pytest.approx(best, rel=2e-6)
    if found.kept is not None:
        assert check(changed, found.kept) == found.kept.violations
    if found.kept is not None and found.kept.feasible:
        assert found.after.predicted_s <= found.kept.predicted_s * (1 + 1e-6)


def test_of_two_placements_that_cost_the_same_the_one_that_there_is_stays():
    made = problem(
        {"t": 60, "u": 40},
        [store("a"), store("b")],
        [query("q", ("t", "u")), query("r", ("t",))],
    )
    for start in ("a", "b"):
        plan = plan_for(made, "start", {"t": (start,), "u": (start,)})
        changed = with_capacity(made, "a", 1000)
        found = what_if(made, plan, changed)
        assert found.moves == {}
        assert found.after.placement == plan.placement
        assert found.after.outcome is Outcome.OPTIMAL
        assert check(changed, found.after) == ()
