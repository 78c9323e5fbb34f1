import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from placement.limits.check import check
from placement.plan import Outcome
from placement.strategies import candidates
from tests.unit.placement.brute_force import cheapest
from tests.unit.placement.problems import joined, problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

SEARCHES = ["greedy"]
SEEDS = range(200)


def plan_of(made, name):
    (plan,) = candidates(made, [name])
    return plan


@cache
def tried(seed):
    """Return a random problem with its optimum by trying everything."""
    made = random_problem(random.Random(seed), tables=(2, 3), sources=(1, 3))
    return made, cheapest(made)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_strategy_is_never_better_than_trying_everything_and_seldom_misses_limits(name):
    found = Counter()
    for seed in SEEDS:
        made, optimum_s = tried(seed)
        try:
            plan = plan_of(made, name)
        except InfeasibleError:
            found[False] += optimum_s is not None
            continue
        assert plan.strategy == name
        assert check(made, plan) == plan.violations
        assert (plan.outcome is Outcome.INFEASIBLE) == bool(plan.violations)
        if plan.feasible:
            assert plan.predicted_s >= optimum_s * (1 - 1e-9)
        if optimum_s is not None:
            found[plan.feasible] += 1
    assert found[True] > len(SEEDS) / 2
    assert found[False] <= 2


@pytest.mark.parametrize("name", SEARCHES)
def test_a_strategy_keeps_limits_that_are_easy_to_keep(name):
    missed = [seed for seed in SEEDS if easily_kept(name, seed).violations]
    assert not missed


def easily_kept(name, seed):
    rng = random.Random(seed)
    sizes = {f"t{i}": rng.randint(0, 40) for i in range(6)}
    made = problem(
        sizes,
        [store(each, sum(sizes.values()) * 2 // 3 + 40, speed=1 + rng.random()) for each in "abc"],
        [query(f"q{i}", rng.sample(sorted(sizes), 3)) for i in range(4)],
        pin={"t0": ("b",)},
        exclude={"t1": ("a",)},
        together=[("t2", "t3")],
        apart=[("t4", "t5")],
        max_copies=2,
        max_copy_bytes=30,
        current=dict.fromkeys(("t0", "t1", "t2", "t3", "t4"), ("b",)) | {"t5": ("c",)},
        max_moves=3,
        max_move_bytes=60,
    )
    return plan_of(made, name)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("objective", ["work", "latency"])
def test_equal_problems_have_equal_plans(name, objective):
    made = random_problem(random.Random(5), tables=(8, 8), stores=(3, 3), queries=(8, 8))
    made = replace(made, objective=objective)
    assert plan_of(made, name) == plan_of(made, name)


EDGES = {
    "one table": problem({"t": 5}, [store("a"), store("b")], [query("q", ("t",))]),
    "one store": problem({"t": 5, "u": 6}, [store("a")], [query("q", ("t", "u"))]),
    "no queries": problem({"t": 5, "u": 6}, [store("a", 6), store("b", 6)]),
    "no joins": problem({"t": 5, "u": 6}, [store("a"), store("b")], [query("q", ("t",))]),
    "more stores than tables": problem(
        {"t": 5}, [store(each, 10) for each in "abcdefg"], [query("q", ("t",))]
    ),
    "everything pinned": problem(
        {"t": 5, "u": 6},
        [store("a"), store("b")],
        [query("q", ("t", "u"))],
        pin={"t": ("a", "b"), "u": ("b",)},
        max_copies=2,
    ),
    "no bytes": problem({"t": 0, "u": 0}, [store("a", 0), store("b", 0)], [query("q", ("t", "u"))]),
    "a store without room": problem(
        {"t": 5, "u": 6}, [store("a", 0), store("b", 20)], [query("q", ("t", "u"))]
    ),
    "no executions": problem(
        {"t": 5, "u": 6}, [store("a"), store("b")], [query("q", ("t", "u"), executions=0.0)]
    ),
    "tables together": problem(
        {"t": 5, "u": 6, "v": 1},
        [store("a", 11), store("b", 11)],
        [query("q", ("t", "v"))],
        together=[("t", "u"), ("u", "v")][:1],
    ),
    "huge": problem(
        {"t": 10**15, "u": 10**15 + 1},
        [store("a", 10**15 + 1), store("b", 10**15)],
        [query("q", ("t", "u"))],
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("case", EDGES)
def test_the_smallest_problems_have_feasible_plans(name, case):
    made = EDGES[case]
    plan = plan_of(made, name)
    assert check(made, plan) == ()


@pytest.mark.parametrize("name", SEARCHES)
def test_tables_that_fit_nowhere_make_a_reference_that_says_so(name):
    plan = plan_of(problem({"t": 9, "u": 8}, [store("a", 8), store("b", 8)]), name)
    assert plan.outcome is Outcome.INFEASIBLE
    assert "over its capacity" in plan.violations[0]


@pytest.mark.parametrize("name", SEARCHES)
def test_libraries_write_nothing_to_standard_output(name, capfd):
    for seed in range(30):
        made = random_problem(random.Random(seed), tables=(1, 7), stores=(1, 5), queries=(1, 6))
        try:
            plan_of(made, name)
        except InfeasibleError:
            continue
    assert capfd.readouterr() == ("", "")


def permuted(made, rng):
    """Return the problem with its tables, stores and queries in another order."""

    def drawn(parts):
        return rng.sample(list(parts), len(parts))

    return replace(
        made,
        table_bytes=dict(drawn(made.table_bytes.items())),
        stores=tuple(drawn(made.stores)),
        queries=tuple(drawn(made.queries)),
        graph=replace(made.graph, joins=dict(drawn(made.graph.joins.items()))),
    )


def found(made, name):
    """Return what each plan of a strategy is called, breaks and costs; or why there is none."""
    try:
        plans = candidates(made, [name])
    except InfeasibleError as reason:
        return str(reason)
    assert all(check(made, plan) == plan.violations for plan in plans)
    return sorted(
        (plan.strategy, plan.predicted_s, len(plan.violations), sorted(plan.placement.items()))
        for plan in plans
    )


@pytest.mark.parametrize(
    "name",
    ["single_store", "naive", "proximity", "proximity_by_strength", *SEARCHES, "optimal"],
)
def test_the_order_of_tables_stores_and_queries_changes_nothing(name):
    for seed in range(12):
        rng = random.Random(seed)
        made = random_problem(rng, tables=(4, 6), stores=(3, 4), queries=(3, 6))
        if seed % 2:  # ties: tables of one size in stores of one kind
            made = replace(
                made,
                table_bytes=dict.fromkeys(made.table_bytes, 100),
                stores=tuple(store(each.name, 300) for each in made.stores),
            )
        tables = sorted(made.table_bytes)
        joins = [(f"{tables[i]}.c{i}", f"{tables[i - 1]}.k") for i in range(1, len(tables))]
        made = replace(made, graph=joined(*joins))
        assert found(permuted(made, rng), name) == found(made, name)
