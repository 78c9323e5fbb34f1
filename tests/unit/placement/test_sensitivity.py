import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.access_paths import CHOOSING_RATES
from placement.reasons.parameters import Parameter, costliest, executions, rates
from placement.reasons.parametric import MOST_SOLVES, REGRET_FACTORS, Study
from placement.reasons.sensitivity import capacity_worths, sensitivities
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from tests.unit.placement.brute_force import cheapest, placement_cost
from tests.unit.placement.problems import NO_JOINS, changed, problem, query, store, strength
from tests.unit.placement.random_problems import random_problem
from tests.unit.placement.test_advised_indexes import indexing, read, reading
from workloads.errors import InfeasibleError

NOTICED = 1e-3


def scan_rate(made, name):
    found = [each for each in rates(made) if each.name == f"{name}.scan_bytes_per_s"]
    return found[0]


def two_stores(slower=2.0, **limits):
    """One table, in the faster of two stores."""
    return problem(
        {"t": 100}, [store("a"), store("b", speed=1 / slower)], [query("q", ("t",))], **limits
    )


def direction(made, parameter, widest, noticed=NOTICED, placement=None):
    best = Optimal()(made)
    study = Study(
        problem=made,
        placement=placement or best.placement,
        parameter=parameter,
        best=best,
        noticed=noticed,
        widest=widest,
    )
    return study.direction()


def test_the_factor_is_where_the_other_store_begins_to_be_better():
    made = two_stores()
    found = direction(made, scan_rate(made, "a"), 1 / 16)
    in_a, in_b = (placement_cost(made, {"t": (name,)}) for name in "ab")
    scan_s = 100 / 1000.0
    # cost in a with the rate times f is in_a + scan_s (1/f - 1): noticed where over in_b
    expected = 1 / (1 + ((1 + NOTICED) * in_b - in_a) / scan_s)
    assert found.factor == pytest.approx(expected, rel=1e-6)
    assert found.exact
    assert found.moves == ("t",)
    assert found.before_s <= NOTICED * in_b * (1 + 1e-6)


def test_what_keeping_the_placement_costs_is_told_at_factors_beyond_it():
    made = two_stores(slower=1.2)
    found = direction(made, scan_rate(made, "a"), 1 / 16)
    assert found.factor > 0.5
    for factor, regret_s in found.regret_s.items():
        slower = scan_rate(made, "a").scaled(made, 1 / factor)
        lost_s = placement_cost(slower, {"t": ("a",)}) - cheapest(slower)
        assert regret_s == pytest.approx(lost_s, rel=1e-6)
    assert list(found.regret_s) == [1 / factor for factor in REGRET_FACTORS]


def test_a_rate_that_matters_nowhere_else_never_changes_the_plan():
    made = two_stores(slower=100.0)
    faster = direction(made, scan_rate(made, "a"), 16)
    assert (faster.factor, faster.regret_s) == (None, {})
    assert faster.before_s == pytest.approx(0.0, abs=1e-9)


def test_where_work_can_only_take_longer_elsewhere_nothing_is_solved():
    made = two_stores(slower=100.0)
    found = direction(made, scan_rate(made, "b"), 1 / 16)
    assert (found.factor, found.solves) == (None, 0)


def test_a_placement_that_is_not_the_best_changes_at_once():
    made = two_stores()
    found = direction(made, scan_rate(made, "a"), 16, placement={"t": ("b",)})
    assert found.factor == 1.0
    assert set(found.regret_s) == {2.0, 4.0}


def test_the_rates_are_those_that_some_plan_depends_on():
    made = two_stores()
    keys = {each.key for each in rates(made) if each.owner == "a"}
    assert "scan_bytes_per_s" in keys
    assert not keys & {"round_trip_s", "write_start_s", "write_rows_per_s", "load_bytes_per_s"}
    written = replace(made, graph=replace(NO_JOINS, writes={"t": 3.0}))
    assert {"write_start_s", "write_rows_per_s"} <= {each.key for each in rates(written)}
    loaded = replace(made, current={"t": ("a",)})
    assert "b.load_bytes_per_s" in {each.name for each in rates(loaded)}


@pytest.mark.parametrize("key", ["scan_bytes_per_s", "start_s"])
def test_twice_the_work_is_half_the_rate_or_twice_the_seconds(key):
    made = two_stores()
    parameter = next(each for each in rates(made) if each.name == f"a.{key}")
    costs = [
        placement_cost(parameter.scaled(made, times), {"t": ("a",)}) for times in (1.0, 2.0, 3.0)
    ]
    assert costs[1] - costs[0] == pytest.approx(costs[2] - costs[1])
    assert costs[1] > costs[0]


def test_executions_are_scaled_as_they_are():
    made = problem(
        {"t": 1, "u": 1},
        [store("a"), store("b")],
        [query("q", ("t",), executions=2.0), query("r", ("t", "u"), executions=9.0)],
    )
    plan = plan_for(made, "x", {"t": ("a",), "u": ("a",)})
    assert costliest(made, plan, 1) == ("r",)
    (parameter,) = executions(made, ["q"])
    assert parameter == Parameter(owner="q", key="executions", value=2.0)
    assert [q.executions for q in parameter.scaled(made, 3.0).queries] == [6.0, 9.0]


def test_figures_that_matter_soonest_come_first():
    made = two_stores(slower=1.2)
    best = Optimal()(made)
    found = sensitivities(made, best, best, rates(made))
    assert [each.tightest for each in found] == sorted(each.tightest for each in found)
    assert found[0].tightest < 16
    assert all(each.tightest > 1 for each in found)


def test_more_room_is_worth_what_the_larger_store_saves():
    made = problem(
        {"t": 60, "u": 50},
        [store("a", 105, speed=9.0), store("b", 200)],
        [query("q", ("t",)), query("r", ("u",))],
    )
    best = Optimal()(made)
    in_a, in_b = capacity_worths(made, best)
    both = placement_cost(made, {"t": ("a",), "u": ("a",)})
    assert (in_a.store, in_a.extra_bytes) == ("a", 10)
    assert in_a.gain_s == pytest.approx(best.predicted_s - both)
    assert in_a.per_gb_s == pytest.approx(in_a.gain_s / 10 * 1e9)
    assert len(in_a.moves) == 1
    assert (in_b.gain_s, in_b.moves) == (pytest.approx(0.0, abs=1e-9), ())


def test_capacity_that_gains_nothing_moves_nothing():
    # nobody reads u and v: that they are elsewhere in another optimum says nothing
    made = problem(
        {"t": 50, "u": 40, "v": 40},
        [store("a", 90, speed=2.0), store("b", 90)],
        [query("q", ("t",))],
    )
    for each in capacity_worths(made, Optimal()(made)):
        assert (each.gain_s, each.moves) == (pytest.approx(0.0, abs=1e-9), ())


def test_nothing_is_proven_in_between_where_seconds_overlap():
    made = two_stores(objective="latency")
    found = direction(made, scan_rate(made, "a"), 1 / 16)
    assert found.before_s is None
    assert found.factor is not None


def test_a_ceiling_that_nothing_keeps_any_more_ends_the_range():
    made = two_stores(latency_s={"q": 1.0})
    found = direction(made, scan_rate(made, "a"), 1 / 16)
    assert found.factor is not None
    assert found.before_s is None


def by_trying_everything(made, parameter, factor, placement):
    """What keeping a placement costs where a figure is `factor` times as large; V and regret."""
    scaled = parameter.scaled(made, parameter.times(factor))
    best = cheapest(scaled)
    return best, placement_cost(scaled, placement) - best


@pytest.mark.usefixtures("unexplained")
@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(min_value=0, max_value=10**9))
def test_factors_bounds_and_regrets_are_those_of_trying_everything(seed):
    rng = random.Random(seed)
    made = random_problem(rng, tables=(2, 3), stores=(2, 2), queries=(1, 3), sources=(1, 3))
    limits = replace(made.constraints, latency_s={}, max_money=None)
    made = replace(made, constraints=limits, objective="work")
    try:
        best = Optimal()(made)
    except InfeasibleError:
        return
    placement = best.placement
    parameter = rng.choice(rates(made))
    widest = rng.choice((16, 1 / 16))
    found = direction(made, parameter, widest)
    assert found.solves <= MOST_SOLVES + len(REGRET_FACTORS)
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
        factor = (found.factor or widest) ** share
        cost, lost_s = by_trying_everything(made, parameter, factor, placement)
        assert lost_s <= found.before_s + 3e-6 * cost
    for factor, regret_s in found.regret_s.items():
        cost, lost_s = by_trying_everything(made, parameter, factor, placement)
        assert regret_s == pytest.approx(lost_s, abs=3e-6 * cost)
    if found.factor is not None and found.exact:
        cost, lost_s = by_trying_everything(made, parameter, found.factor, placement)
        assert lost_s == pytest.approx(NOTICED * cost, rel=1e-2)
        beyond = found.factor * (1 + 1e-3 if widest > 1 else 1 - 1e-3)
        cost, lost_s = by_trying_everything(made, parameter, beyond, placement)
        assert lost_s > NOTICED * cost * (1 - 1e-3)


def indexed(scan_bytes_per_s, found=None, **memory):
    """One table, which an index does not quite pay for in `a`, and which `b` scans."""
    asked = reading(found or read(None, 90.0, rows=100.0))
    whole = (changed(each, scan_bytes=100.0, tables_bytes=100.0) for each in asked.fragments)
    rates_of_b = replace(strength(), scan_bytes_per_s=scan_bytes_per_s)
    elsewhere = replace(store("b"), strength=rates_of_b)
    changed_asked = replace(asked, fragments=tuple(whole))
    return problem({"t": 100}, [indexing("a", **memory), elsewhere], [changed_asked])


def test_the_rate_of_an_index_that_is_not_read_yet_may_move_the_table():
    made = indexed(1010.0)
    (rate,) = (each for each in rates(made) if each.name == "a.index_rows_per_s")
    found = direction(made, rate, 16.0)
    assert 1.0 < found.factor < 1.2
    assert Optimal()(rate.scaled(made, rate.times(1.2))).placement == {"t": ("a",)}


def drawn_reads(seed):
    """One of the rates of a store that goes from a scan to an index as it grows, and the problem.

    Its memory holds neither the table nor the pages that the index finds.
    """
    rng = random.Random(seed)
    each = replace(
        read(None, rng.uniform(50.0, 100.0), rows=10 ** rng.uniform(1.0, 2.0)),
        touched_bytes=rng.uniform(30.0, 100.0),
        fetched_pages=10 ** rng.uniform(0.0, 2.0),
        table_bytes=100.0,
    )
    memory = {
        "kept_bytes": rng.uniform(1.0, 110.0),
        "missed_bytes_per_s": 10 ** rng.uniform(2.0, 3.5),
        "pool_bytes": rng.uniform(1.0, 110.0),
        "missed_pages_per_s": 10 ** rng.uniform(2.0, 3.5),
    }
    made = indexed(10 ** rng.uniform(2.8, 3.4), each, **memory)
    every = [each for each in rates(made) if each.owner == "a" and each.key in CHOOSING_RATES]
    return made, rng.choice(every), rng.choice((16.0, 1 / 16))


@pytest.mark.parametrize("seed", range(60))
def test_costs_do_not_jump_where_a_store_goes_from_a_scan_to_an_index(seed):
    made, parameter, widest = drawn_reads(seed)
    placement = Optimal()(made).placement
    found = direction(made, parameter, widest)
    assert found.before_s is not None
    for share in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
        factor = (found.factor or widest) ** share
        cost, lost_s = by_trying_everything(made, parameter, factor, placement)
        assert lost_s <= found.before_s + 3e-6 * cost


def test_a_factor_is_found_for_some_of_these_stores_and_not_for_others():
    moved = [direction(*drawn_reads(seed)).factor is not None for seed in range(60)]
    assert 10 < sum(moved) < 50
