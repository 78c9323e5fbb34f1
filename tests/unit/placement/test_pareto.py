"""The frontier, compared with every placement and routing of small problems."""

import random
from dataclasses import replace
from itertools import combinations, product

import pytest

from placement.costs import GIGABYTE
from placement.frontier.objectives import OBJECTIVES, objectives
from placement.frontier.pareto import knee, pareto
from placement.limits.check import check
from placement.plan import Outcome
from placement.pricing import options, routed
from placement.problem import LIMIT_TOLERANCE
from placement.routing.routing import plan_for
from placement.stores import Prices
from placement.strategies.single_store import SingleStore
from tests.unit.placement.problems import SCANS, problem, query, store
from workloads.progress import Silent

NEARLY_PASSED = 1 + 0.9 * LIMIT_TOLERANCE


def drawn(rng):
    """A random problem with prices and a current placement."""
    tables = {f"t{i}": rng.randint(1, 9) * 10 for i in range(rng.randint(2, 3))}
    stores = [
        replace(
            store(f"s{i}", rng.choice((50, 100)) if i else None, speed=rng.choice((0.5, 1.0, 5.0))),
            prices=Prices(
                storage_gb_month=rng.choice((0, 1e5, 1e6)), transfer_gb=rng.choice((0, 1e3, 1e5))
            ),
        )
        for i in range(rng.randint(2, 3))
    ]
    queries = [
        query(
            f"q{i}",
            rng.sample(sorted(tables), 2),
            executions=rng.choice((1.0, 30.0)),
            scan_rows=rng.choice((5.0, 200.0)),
            whole=rng.random() < 0.7,
        )
        for i in range(2)
    ]
    return replace(
        problem(tables, stores, queries, max_copies=2, upkeep=1e-3),
        current={table: (rng.choice(stores).name,) for table in tables},
    )


def covers(query, available):
    """Every exact cover of the query's sources by the options."""

    def extend(left, chosen):
        if not left:
            yield chosen
            return
        for option in available:
            sources = set(option.fragment.sources)
            if left[0] in sources and sources <= set(left):
                yield from extend([s for s in left if s not in sources], [*chosen, option])

    yield from extend(list(query.sources), [])


def everything(asked):
    """Every feasible plan: all placements, all routings."""
    names = [each.name for each in asked.stores]
    most = asked.constraints.max_copies
    held = [c for n in range(1, most + 1) for c in combinations(sorted(names), n)]
    for choice in product(held, repeat=len(asked.table_bytes)):
        placement = dict(zip(asked.table_bytes, choice, strict=True))
        ways = [list(covers(q, options(asked, q, placement))) for q in asked.queries]
        for routes in product(*ways):
            routing = {
                q.name: routed(asked, q, chosen)
                for q, chosen in zip(asked.queries, routes, strict=True)
            }
            made = plan_for(asked, "any", placement, routing)
            if made.feasible:
                yield made


@pytest.mark.parametrize("seed", range(12))
def test_every_point_is_the_fastest_plan_within_its_bound(seed):
    asked = drawn(random.Random(seed))
    known = [objectives(asked, made) for made in everything(asked)]
    found = pareto(asked, Silent(), points=5)
    of = {each.name: each.value for each in OBJECTIVES}
    for point in found.points:
        assert check(asked, point.plan) == ()
        own = objectives(asked, point.plan)
        assert own == point.objectives
        value, bound = of.get(point.bounded, lambda _: 0.0), point.bound or 0.0
        assert value(own) <= bound * (1 + LIMIT_TOLERANCE) + 1e-9
        within = [each.predicted_s for each in known if value(each) <= bound * NEARLY_PASSED]
        assert point.outcome is Outcome.OPTIMAL, point.plan.strategy
        assert own.predicted_s <= min(within, default=own.predicted_s) * (1 + 1e-5)
    for name, value in of.items():
        least = min(value(each) for each in known)
        reached = min(value(point.objectives) for point in found.points)
        assert reached == pytest.approx(least, rel=1e-5, abs=1e-6), name


@pytest.mark.parametrize("seed", range(6))
def test_no_point_beats_another(seed):
    found = pareto(drawn(random.Random(100 + seed)), Silent(), points=4)
    values = [point.objectives.values() for point in found.points]
    for one, other in product(values, repeat=2):
        if one is not other:
            assert any(a > b for a, b in zip(one, other, strict=True))


def fast_or_free(**constraints):
    """One query; the fast store costs money for what it keeps, the slow one nothing."""
    fast = replace(store("fast", speed=10.0), prices=Prices(storage_gb_month=1e9))
    asked = problem({"a": 10}, [fast, store("free")], [query("q", ["a"])])
    return replace(asked, constraints=replace(asked.constraints, **constraints))


def test_money_buys_seconds():
    found = pareto(fast_or_free(), Silent(), points=3)
    assert [point.plan.placement["a"] for point in found.points] == [("fast",), ("free",)]
    assert [point.objectives.money for point in found.points] == [10.0, 0.0]
    assert [point.bounded for point in found.points] == [None, "money"]
    assert found.varying == found.trading == ("money",)


@pytest.mark.parametrize(
    ("passed", "is_kept"),
    [(NEARLY_PASSED, True), (2 - NEARLY_PASSED, True), (1 + 1.1 * LIMIT_TOLERANCE, False)],
)
def test_a_bound_is_passed_by_as_much_as_the_check_lets_a_limit_be(passed, is_kept):
    """Of three bounds on money the middle one is 10.0."""
    stores = [
        replace(store(name, speed=speed), prices=Prices(storage_gb_month=money * GIGABYTE / 10))
        for name, speed, money in (
            ("fast", 10.0, 20.0),
            ("good", 5.0, 10.0 * passed),
            ("free", 1.0, 0.0),
        )
    ]
    found = pareto(problem({"a": 10}, stores, [query("q", ["a"])]), Silent(), points=3)
    placed = [point.plan.placement["a"] for point in found.points]
    assert (("good",) in placed) is is_kept
    assert all(point.outcome is Outcome.OPTIMAL for point in found.points)


def test_a_limit_on_money_holds_for_every_point():
    found = pareto(fast_or_free(max_money=5.0), Silent(), points=3)
    assert [point.plan.placement["a"] for point in found.points] == [("free",)]


def test_bytes_under_a_limit_on_money_are_weighed_and_say_that_they_are():
    rows = [query(f"q{i}", ["a", "b"], scan_rows=4.0, joins=[("a", "b")]) for i in range(2)]
    stores = [store("left", 10), store("right", 10, speed=50.0), store("wide", speed=0.01)]
    asked = problem({"a": 10, "b": 10}, stores, rows)
    limited = replace(asked, constraints=replace(asked.constraints, max_money=1e9))
    free, held = (pareto(each, Silent(), points=4) for each in (asked, limited))
    assert len(free.points) > 1
    assert not any(point.supported for point in free.points)
    assert any(point.supported for point in held.points)
    assert all(point.gap is None for point in held.points if point.supported)


def test_staying_is_the_end_of_the_frontier_over_migration():
    asked = problem({"a": 10}, [store("fast", speed=10.0), store("slow")], [query("q", ["a"])])
    found = pareto(replace(asked, current={"a": ("slow",)}, horizon=100.0), Silent(), points=3)
    assert [point.objectives.migration_bytes for point in found.points] == [10, 0]


def test_a_baseline_that_nothing_beats_is_on_the_frontier():
    asked = fast_or_free()
    alone = SingleStore(store="free")(asked)
    found = pareto(asked, Silent(), points=2, baselines=[alone])
    assert [point.plan for point in found.baselines] == [alone]
    assert len(found.points) == 2


def test_the_knee_is_the_point_closest_to_the_best_of_all():
    found = pareto(fast_or_free(), Silent(), points=3)
    one, other = found.points
    between = replace(
        one, objectives=replace(one.objectives, predicted_s=one.objectives.predicted_s, money=0.1)
    )
    assert knee([one, between, other]) is between
    assert knee([one]) is one


def test_bytes_are_those_that_all_executions_hand_out():
    asked = problem({"a": 10}, [store("s")], [query("q", ["a"], executions=7.0)])
    (point,) = pareto(asked, Silent(), points=2).points
    assert point.objectives.moved_bytes == 7 * 1.0 * 4.0
    assert point.objectives.moved_bytes / GIGABYTE == pytest.approx(28e-9)


def test_no_plan_of_the_frontier_breaks_a_querys_ceiling():
    fast = store("fast", speed=50.0, storage=0.3, transfer=0.01, capabilities=SCANS)
    slow = store("free", speed=0.2)
    made = problem({"a": 10}, [fast, slow], [query("q", ["a"])], latency_s={"q": 0.5})
    found = pareto(made, Silent(), points=3)
    assert all(check(made, each.plan) == () for each in found.points)


def test_rounding_makes_no_budget_below_nothing():
    fast = replace(store("fast", speed=5.0), prices=Prices(storage_gb_month=0.2))
    made = problem({"a": 1_000_009_000}, [fast, store("free")], [query("q", ["a"])], upkeep=1e-12)
    found = pareto(made, Silent(), points=8)
    assert min(OBJECTIVES[1].value(each.objectives) for each in found.points) == 0
