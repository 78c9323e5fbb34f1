import random
from dataclasses import replace

import pytest

from placement.limits.check import check
from placement.reasons.breakdown import CostKind, breakdown
from placement.routing.routing import plan_for
from tests.unit.placement.problems import joined, problem, query, store

TABLES = {"orders": 4_000, "item": 500, "date": 100, "log": 50}
STORES = (
    store("pg", storage=0.001, transfer=0.01),
    store("maria", speed=0.5, transfer=0.002),
    store("duck", speed=4.0, storage=0.003),
)
QUERIES = (
    query("q1", ("orders", "item"), executions=3.0, joins=[("orders", "item")], whole=False),
    query("q2", ("orders", "date"), executions=10.0),
    query("q3", ("item", "date", "log"), executions=0.5, joins=[("item", "date")]),
)
WRITES = replace(joined(("orders.d", "date.d")), writes={"log": 200.0, "orders": 20.0})


def shop(**changes):
    return replace(problem(TABLES, STORES, QUERIES, graph=WRITES, max_copies=3), **changes)


def drawn(seed):
    """Return a placement with copies, drawn at random."""
    rng = random.Random(seed)
    names = sorted(each.name for each in STORES)
    return {table: tuple(sorted(rng.sample(names, rng.randint(1, 3)))) for table in TABLES}


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_the_parts_of_any_plan_add_up_to_what_the_checker_has_confirmed(objective):
    for seed in range(60):
        current = {} if seed % 3 else drawn(seed + 1000)
        asked = shop(objective=objective, current=current, horizon=1.0 + seed % 4)
        plan = plan_for(asked, "drawn", drawn(seed))
        assert check(asked, plan) == ()
        assert breakdown(asked, plan).total_s == pytest.approx(plan.predicted_s, rel=1e-12)


def test_kinds_and_stores_add_up_to_the_same():
    asked = shop(current=drawn(1))
    costs = breakdown(asked, plan_for(asked, "drawn", drawn(2)))
    assert [each.store for each in costs.stores] == ["pg", "maria", "duck"]
    assert set(costs.work_s) == set(CostKind)
    assert sum(costs.work_s.values()) == pytest.approx(sum(s.total_s for s in costs.stores))
    assert costs.overlap_s == 0


def scan(executions=1.0, **changes):
    """Return a problem of one query on one table, and its plan in store pg."""
    asked = replace(
        problem(
            {"item": 2_000},
            [store("pg", storage=0.001, transfer=0.01), store("duck")],
            [query("q", ("item",), executions=executions, whole=False)],
            upkeep=1e-3,
        ),
        **changes,
    )
    return asked, plan_for(asked, "one", {"item": ("pg",)})


def test_each_kind_is_what_the_rates_make_of_the_fragment():
    costs = breakdown(*scan(executions=2.0))
    work_s = costs.stores[0].work_s
    assert work_s[CostKind.START] == pytest.approx(2 * 0.01)
    assert work_s[CostKind.SCAN] == pytest.approx(2 * 100 / 1000)
    assert work_s[CostKind.TRANSFER] == pytest.approx(2 * (100 / 1000 + 400 / 1000))
    # one fragment, all of the query's sources, 100 rows that arrive
    assert work_s[CostKind.ENGINE] == pytest.approx(2 * (0.01 + 0.1 + 100 / 1000))
    assert work_s[CostKind.UPKEEP] == pytest.approx(2_000 * 1e-3)
    assert work_s[CostKind.JOIN] == work_s[CostKind.AGGREGATE] == work_s[CostKind.MIGRATION] == 0


def test_a_store_without_tables_costs_nothing():
    duck = breakdown(*scan()).stores[1]
    assert duck.total_s == duck.storage_money == duck.transfer_money == duck.bytes_moved == 0


def test_only_a_copy_that_is_not_there_yet_is_migrated_and_the_horizon_shares_it_out():
    there, _ = scan(current={"item": ("pg",)})
    assert breakdown(*scan(current={"item": ("pg",)})).work_s[CostKind.MIGRATION] == 0
    load_s = there.costs.load_s(2_000, there.stores[0])
    moved = breakdown(*scan(current={"item": ("duck",)}, horizon=4.0))
    assert moved.work_s[CostKind.MIGRATION] == pytest.approx(load_s / 4)


def test_money_is_of_a_month_and_bytes_are_of_a_period():
    asked, _ = scan()
    costs = breakdown(*scan(executions=2.0, costs=replace(asked.costs, period_days=10.0)))
    pg = costs.stores[0]
    assert pg.storage_money == pytest.approx(2_000 * 0.001)
    assert pg.bytes_moved == 2 * 400
    assert pg.transfer_money == pytest.approx(3 * 800 * 0.01)
    assert costs.money == pytest.approx(2 + 24)


def test_stores_that_work_at_the_same_time_save_the_faster_ones_seconds():
    asked = problem(
        {"orders": 100, "item": 100},
        [store("pg"), store("maria")],
        [query("q", ("orders", "item"), executions=5.0, whole=False)],
        objective="latency",
    )
    plan = plan_for(asked, "split", {"orders": ("pg",), "item": ("maria",)})
    costs = breakdown(asked, plan)
    pg, maria = costs.stores
    assert costs.overlap_s == pytest.approx(pg.total_s - pg.work_s[CostKind.ENGINE], rel=1e-3)
    assert pg.total_s == pytest.approx(maria.total_s)
    assert costs.total_s == pytest.approx(plan.predicted_s)
