"""The strategy `throughput`: several clients on machines that stores and engine share."""

import random
import time
from dataclasses import replace
from functools import cache

import pytest

from placement.demands import mean_query, queries_per_s
from placement.limits.check import check
from placement.machines import DISKS, Machines, Place
from placement.plan import Outcome
from placement.routing.routing import plan_for
from placement.stores import Capability
from placement.strategies import make
from placement.strategies.optimal import Optimal
from placement.strategies.throughput import (
    BOUND,
    CLIENTS,
    OF_OPTIMAL,
    PREDICTED,
    SAME,
    Throughput,
)
from tests.unit.placement.brute_force_throughput import most_throughput
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from tests.unit.placement.test_strategies_all import permuted
from tests.unit.placement.test_time_limit import crowded
from workloads.errors import InfeasibleError

SEEDS = range(40)
ONE_BY_ONE = Throughput(most_options=0)
"""Places by one plane at a time, as it does large problems."""


def on_machines(made, *, clients=4, engine="engine", cores=1, **of_store):
    """Return the problem with its stores on machines of so many cores, each its own unless said."""
    of_store = {each.name: of_store.get(each.name, each.name) for each in made.stores}
    names = {engine, *of_store.values()}
    machines = Machines(of_store=of_store, engine=engine, cores=dict.fromkeys(names, cores))
    return replace(made, machines=machines, clients=clients)


def two_alike(**options):
    """Two tables, each with a query of its own, that are read faster in one of two stores."""
    return problem(
        {"t": 100, "u": 100},
        [store("fast", speed=1.3), store("slow")],
        [query("q", ("t",)), query("r", ("u",))],
        **options,
    )


def with_rates(made, **rates):
    """Return the problem, its stores with other rates."""
    return replace(
        made,
        stores=tuple(
            replace(each, strength=replace(each.strength, **rates.get(each.name, {})))
            for each in made.stores
        ),
    )


@cache
def drawn(seed):
    """Return a random problem on random machines, without a budget, and the most throughput."""
    rng = random.Random(seed)
    made = random_problem(rng, tables=(2, 3), queries=(1, 2), sources=(1, 3))
    disks = {
        each.name: {
            "kept_bytes": rng.choice((None, 40.0, 150.0)),
            "missed_bytes_per_s": rng.choice((300.0, 3000.0)),
        }
        for each in made.stores
    }
    made = with_rates(made, **disks)
    names = ("this", "that", "another")
    machines = Machines(
        of_store={each.name: rng.choice(names) for each in made.stores},
        engine="this",
        cores={name: rng.choice((1, 2, 4)) for name in names if rng.randint(0, 4)},
        busy_cores={each.name: rng.choice((1.0, 1.5, 3.0)) for each in made.stores},
        handing_cores={
            each.name: rng.choice((1.0, 1.8, 3.0)) for each in made.stores if rng.randint(0, 1)
        },
    )
    made = replace(
        made,
        machines=machines,
        clients=rng.choice((1, 2, 4, 9)),
        constraints=replace(made.constraints, max_money=None),
    )
    return made, most_throughput(made)


def test_four_clients_are_served_better_by_two_stores_than_by_the_faster_one():
    made = on_machines(two_alike())
    optimal, plan = Optimal()(made), Throughput()(made)
    assert optimal.placement == {"t": ("fast",), "u": ("fast",)}
    assert sorted(plan.placement.values()) == [("fast",), ("slow",)]
    assert check(made, plan) == ()
    assert queries_per_s(made, plan) > 1.2 * queries_per_s(made, optimal)
    assert plan.predicted_s > optimal.predicted_s
    assert plan.settings[CLIENTS] == 4
    assert plan.settings[PREDICTED] == pytest.approx(queries_per_s(made, plan))
    assert plan.settings[OF_OPTIMAL] == pytest.approx(queries_per_s(made, optimal))
    assert plan.settings[BOUND] == pytest.approx(plan.settings[PREDICTED])
    assert (plan.outcome, plan.bound_s, plan.cut) == (Outcome.FEASIBLE, None, None)


def test_a_store_that_waits_for_its_disk_leaves_the_cores_to_others():
    """Both take as long alone, but only one of them keeps a core busy for all that time."""
    made = with_rates(
        problem(
            {"t": 100, "u": 100},
            [store("busy"), store("waits")],
            [query("q", ("t",)), query("r", ("u",))],
        ),
        busy={"scan_bytes_per_s": 1 / (0.001 + 0.02)},
        waits={"kept_bytes": 1.0, "missed_bytes_per_s": 50.0},
    )
    made = on_machines(made, busy="engine", waits="engine")
    busy, waits = (plan_for(made, "s", dict.fromkeys("tu", (name,))) for name in ("busy", "waits"))
    assert busy.predicted_s == pytest.approx(waits.predicted_s, rel=0.001)
    assert queries_per_s(made, waits) > 1.5 * queries_per_s(made, busy)
    assert mean_query(made, busy)[DISKS] == 0.0
    assert mean_query(made, waits)[DISKS] == pytest.approx(2.0, rel=0.001)
    assert sum(mean_query(made, waits).values()) == pytest.approx(waits.predicted_s / 2)
    assert Throughput()(made).placement == waits.placement
    assert check(made, waits) == ()
    (routed,) = waits.routing["q"]
    wrong = {**waits.routing, "q": (replace(routed, disk_s=9.0),)}
    (said,) = check(made, replace(waits, routing=wrong))
    assert "waits 9 s of it for a disk" in said


@pytest.mark.parametrize("memory", ["kept_bytes", "pool_bytes"])
def test_stores_of_one_machine_differ_where_one_may_wait_for_its_disk(memory):
    made = on_machines(two_alike(), fast="one", slow="one", engine="one", cores=2)
    for size, same in ((200.0, True), (199.0, False)):
        settings = Throughput()(with_rates(made, slow={memory: size})).settings
        assert ("share one machine" in settings[SAME]) is same


def test_one_client_waits_for_nobody():
    made = on_machines(two_alike(), clients=1)
    plan = Throughput()(made)
    assert plan.placement == Optimal()(made).placement
    assert plan.settings[SAME] == "no plan with more throughput was found"
    assert plan.settings[BOUND] == pytest.approx(plan.settings[PREDICTED])


def test_copies_share_queries_out_that_the_cheapest_routing_leaves_to_one_store():
    made = problem(
        {"t": 100},
        [store("fast", speed=1.3), store("slow")],
        [query(name, ("t",)) for name in "qrs"],
        max_copies=2,
    )
    made = on_machines(made)
    plan = Throughput()(made)
    assert plan.placement == {"t": ("fast", "slow")}
    assert {each.store for routed in plan.routing.values() for each in routed} == {"fast", "slow"}
    assert check(made, plan) == ()
    cheapest = plan_for(made, "cheapest", plan.placement)
    assert queries_per_s(made, plan) > queries_per_s(made, cheapest)


@pytest.mark.parametrize("strategy", [Throughput(), ONE_BY_ONE], ids=["whole", "one by one"])
def test_no_plan_is_above_the_bound_or_the_plan_below_that_of_optimal(strategy, unexplained):
    found = 0
    for seed in SEEDS:
        made, most = drawn(seed)
        try:
            plan = strategy(made)
        except InfeasibleError:
            assert most is None
            continue
        assert check(made, plan) == ()
        assert plan.settings[BOUND] >= most * (1 - 1e-6)
        assert plan.settings[PREDICTED] <= most * (1 + 1e-6)
        assert plan.settings[PREDICTED] >= queries_per_s(made, Optimal()(made)) * (1 - 1e-9)
        found += plan.settings[PREDICTED] >= most * (1 - 1e-6)
    assert found > len(SEEDS) / 2


def test_small_problems_are_proven(unexplained):
    for seed in SEEDS:
        made, most = drawn(seed)
        if most is not None:
            settings = Throughput()(made).settings
            if SAME not in settings or "machine" not in settings[SAME]:
                assert settings[PREDICTED] == pytest.approx(most, rel=1e-5)
                assert settings[BOUND] == pytest.approx(most, rel=1e-5)


def test_on_one_machine_it_is_the_plan_of_optimal():
    made = on_machines(two_alike(), fast="one", slow="one", engine="one", cores=2)
    optimal, plan = Optimal()(made), Throughput()(made)
    assert (plan.placement, plan.routing) == (optimal.placement, optimal.routing)
    assert plan.settings[SAME] == "all stores and the engine share one machine"
    assert plan.settings[BOUND] == pytest.approx(plan.settings[PREDICTED])
    assert plan.settings[PREDICTED] == pytest.approx(queries_per_s(made, optimal))


def test_on_one_machine_a_store_that_keeps_one_core_busy_serves_more_clients():
    made = on_machines(two_alike(), fast="one", slow="one", engine="one", cores=2)
    made = replace(made, machines=replace(made.machines, busy_cores={"fast": 2.0, "slow": 1.0}))
    optimal, plan = Optimal()(made), Throughput()(made)
    assert set(optimal.placement.values()) == {("fast",)}
    assert ("slow",) in plan.placement.values()
    assert queries_per_s(made, plan) > 1.1 * queries_per_s(made, optimal)
    assert plan.settings[BOUND] == pytest.approx(plan.settings[PREDICTED])


def test_where_nobody_told_any_cores_it_is_the_plan_of_optimal():
    made = replace(two_alike(), machines=Machines(of_store={}, engine="engine"))
    plan = Throughput()(made)
    assert plan.placement == Optimal()(made).placement
    assert plan.settings[SAME] == "nobody told the cores of any machine"
    assert plan.settings[BOUND] == pytest.approx(plan.settings[PREDICTED])


def test_without_machines_or_queries_nothing_is_predicted():
    plan = Throughput()(two_alike())
    assert dict(plan.settings) == {CLIENTS: 4, SAME: "which machines there are is not known"}
    idle = on_machines(problem({"t": 5}, [store("a"), store("b")]))
    assert dict(Throughput()(idle).settings) == {CLIENTS: 4, SAME: "nobody asks"}


def test_the_order_of_tables_stores_and_queries_changes_nothing(unexplained):
    for seed in range(12):
        rng = random.Random(seed)
        made = random_problem(rng, tables=(4, 5), stores=(3, 3), queries=(3, 4))
        made = on_machines(made, s0="one", clients=rng.choice((2, 8)))
        try:
            plan = Throughput()(made)
        except InfeasibleError:
            continue
        other = Throughput()(permuted(made, rng))
        assert check(made, plan) == ()
        assert (other.placement, other.predicted_s) == (plan.placement, plan.predicted_s)
        assert other.settings == plan.settings


def test_ceilings_on_queries_are_kept_whatever_the_weights():
    def ceiled(ceiling_s):
        return on_machines(two_alike(latency_s={"q": ceiling_s, "r": ceiling_s}))

    (fast_s,) = {round(Optimal()(ceiled(99.0)).query_s(name), 9) for name in "qr"}
    for strategy in (Throughput(), ONE_BY_ONE):
        plan = strategy(ceiled(1.01 * fast_s))
        assert plan.placement == {"t": ("fast",), "u": ("fast",)}
        assert check(ceiled(1.01 * fast_s), plan) == ()


def test_a_search_that_the_time_ends_keeps_to_it_and_says_so():
    made = on_machines(crowded(time_limit_s=0.4))
    started = time.monotonic()
    plan = Throughput()(made)
    assert time.monotonic() - started < 0.4 + 30.0
    assert plan.feasible
    assert plan.settings[BOUND] >= plan.settings[PREDICTED]
    closed = plan.settings[BOUND] <= plan.settings[PREDICTED] * (1 + 1e-6)
    assert closed or "cut the search for more throughput" in (plan.cut or "")


def test_equal_work_limits_give_equal_plans_and_bounds():
    made = on_machines(crowded(work_limit=1))
    assert Throughput()(made) == Throughput()(made)


def test_both_strategies_are_made_in_one_run_and_share_the_time():
    made = make(on_machines(two_alike()), ["throughput", "naive", "optimal"])
    assert [plan.strategy for plan in made.plans] == ["throughput", "naive", "optimal"]
    assert made.plans[0].placement != made.plans[2].placement


def test_what_copies_cost_is_shared_out_over_the_queries():
    made = on_machines(two_alike(upkeep=0.01))
    free = replace(made, costs=replace(made.costs, upkeep_s_per_byte=0.0))
    plan = Throughput()(made)
    with_copies, without = (mean_query(each, plan) for each in (made, free))
    gained = {place: with_copies[place] - without[place] for place in with_copies}
    copied = {Place("store", name): 0.5 for name in ("fast", "slow")}
    assert gained == pytest.approx(dict.fromkeys(gained, 0.0) | copied)


def test_the_engine_relieves_a_store_that_is_busy_for_the_others():
    made = problem({"t": 100, "u": 100}, [store("a")], [query("q", ("t", "u"), scan_rows=1.0)])
    made = on_machines(made, clients=8)
    optimal, plan = Optimal()(made), Throughput()(made)
    kinds = [[each.fragment.kind for each in found.routing["q"]] for found in (optimal, plan)]
    assert kinds == [[Capability.QUERY], [Capability.SCAN, Capability.SCAN]]
    assert queries_per_s(made, plan) > 1.2 * queries_per_s(made, optimal)
