"""Indexes chosen with the placement, against every choice and placement of random problems."""

import random
from dataclasses import replace
from itertools import chain, combinations

import pytest

from placement.advising.gains import by_store, worthwhile
from placement.corrections import Corrections
from placement.demands import queries_per_s
from placement.limits.check import check
from placement.machines import Machines
from placement.plan import Outcome
from placement.pricing import options
from placement.routing.routing import plan_for
from placement.strategies import candidates as plans_of
from placement.strategies.optimal import Optimal
from placement.strategies.throughput import BOUND
from tests.unit.placement.problems import problem
from tests.unit.placement.test_advised_indexes import (
    ON_C,
    ON_D,
    ON_U,
    best,
    indexing,
    read,
    reading,
)
from workloads.errors import InfeasibleError


def test_the_choice_is_the_best_of_all_choices_on_random_problems():
    rng, chosen = random.Random(7), 0
    for _ in range(25):
        made = _random(rng)
        plan = best(made)
        cheapest_s = min(_all_choices(made))
        assert plan.predicted_s == pytest.approx(cheapest_s, rel=1e-6)
        assert plan.outcome is Outcome.OPTIMAL
        chosen += bool(plan.indexes)
    assert chosen > 10


@pytest.mark.parametrize("kind", ["max_copy_bytes", "balance"])
def test_the_choice_keeps_bytes_with_indexes_within_limits_on_random_problems(kind):
    rng, chosen, turned = random.Random(11), 0, 0
    for _ in range(40):
        made = _random(rng)
        plain = made.with_indexes({})
        smallest = min(made.table_bytes.values())
        near = {"max_copy_bytes": smallest + rng.randint(0, 20), "balance": rng.uniform(0.05, 0.5)}
        most = near[kind]
        limits = replace(made.constraints, max_copies=2, **{kind: most})
        made = replace(made, constraints=limits)
        try:
            Optimal()(replace(plain, constraints=limits))
        except InfeasibleError:
            # Tables alone have to keep the balance.
            continue
        plan = best(made)
        if kind == "balance":
            made = replace(made, candidates=_worthwhile(made))
        assert plan.predicted_s == pytest.approx(min(_all_choices(made)), rel=1e-6)
        assert plan.outcome is Outcome.OPTIMAL
        chosen += bool(plan.indexes)
        without = replace(limits, balance=None, max_copy_bytes=None)
        turned += best(replace(made, constraints=without)).indexes != plan.indexes
    assert chosen > 5
    assert turned > 1


def test_the_choice_is_the_best_at_corrected_prices_on_random_problems():
    rng, chosen, turned = random.Random(13), 0, 0
    for _ in range(25):
        made = _random(rng)
        of_query = {"q0": rng.choice((0.01, 0.2, 5.0))}
        factors = Corrections(
            stores={"a": rng.uniform(0.1, 4.0), "b": rng.uniform(0.1, 4.0)},
            queries={"a": of_query},
            rest=rng.uniform(0.5, 2.0),
        )
        measured = replace(made, costs=replace(made.costs, corrections=factors))
        plan = best(measured)
        assert plan.predicted_s == pytest.approx(min(_all_choices(measured)), rel=1e-6)
        assert plan.outcome is Outcome.OPTIMAL
        chosen += bool(plan.indexes)
        turned += best(made).indexes != plan.indexes
    assert chosen > 10
    assert turned > 2


def test_throughput_with_indexes_is_at_least_that_of_optimal_and_its_bound_is_of_all_choices():
    rng, better = random.Random(17), 0
    of_store = {"a": "one", "b": "two"}
    for _ in range(15):
        cores = {"one": 1, "two": rng.randint(1, 2), "three": 2}
        busy = {"a": rng.choice((1.0, 1.5)), "b": 1.0}
        machines = Machines(engine="three", of_store=of_store, cores=cores, busy_cores=busy)
        made = replace(_random(rng), machines=machines, clients=6)
        optimal, plan = plans_of(made, ("optimal", "throughput"))
        assert check(made, plan) == ()
        least, found = queries_per_s(made, optimal), queries_per_s(made, plan)
        assert found >= least * (1 - 1e-9)
        better += found > least * (1 + 1e-6)
        bound = float(plan.settings[BOUND])
        for fixed, each in _every_plan(made):
            assert queries_per_s(fixed, each) <= bound * (1 + 1e-6)
    assert better


def _worthwhile(made):
    run = {each.name: options(made, each) for each in made.queries}
    return by_store(worthwhile(made, run))


def _random(rng):
    tables = {"t": rng.randint(5, 30) * 10, "u": rng.randint(5, 30) * 10}
    indexes = {ON_C: "t", ON_D: "t", ON_U: "u"}
    room = rng.choice((None, sum(tables.values()), sum(tables.values()) + 60))
    stores = [indexing("a", room), indexing("b", rng.choice((None, 200)), start_s=0.02)]
    queries = []
    for number in range(rng.randint(1, 3)):
        reads = [
            read(index, rng.randint(20, 95), rng.randint(1, 20), source=f"b.{table}")
            for index, table in indexes.items()
            if rng.randint(0, 2)
        ]
        which = rng.choice((("t",), ("t", "u")))
        queries.append(reading(*reads, name=f"q{number}", tables=which, executions=rng.random()))
    return problem(
        tables,
        stores,
        queries,
        candidates={"a": frozenset(indexes), "b": frozenset({ON_C, ON_U})},
        index_bytes={index: rng.randint(1, 5) * 10 for index in indexes},
        upkeep=rng.choice((1e-12, 1e-4)),
        max_copies=rng.randint(1, 2),
        **({"max_index_bytes": 60} if rng.randint(0, 1) else {}),
    )


def _all_choices(made):
    """Yield what every placement with every choice of indexes costs that keeps all limits."""
    return (plan.predicted_s for _, plan in _every_plan(made))


def _every_plan(made):
    """Yield each placement within all limits with each choice of indexes, after its problem."""
    offered = [(index, s) for s, indexes in made.candidates.items() for index in indexes]
    names = [each.name for each in made.stores]
    held = [
        each for n in range(1, made.constraints.max_copies + 1) for each in combinations(names, n)
    ]
    every = chain.from_iterable(combinations(offered, n) for n in range(len(offered) + 1))
    for some in every:
        indexes = {s: [index for index, where in some if where == s] for s in names}
        fixed = made.with_indexes(indexes)
        for of_t in held:
            for of_u in held:
                placement = {"t": of_t, "u": of_u}
                try:
                    plan = plan_for(fixed, "x", placement)
                except InfeasibleError:
                    continue
                if plan.feasible:
                    yield fixed, plan
