"""Problems as arrays: prices of many placements at once, and covers with their sets."""

import random
from dataclasses import replace

import numpy as np
import pytest

from placement.arrays.compiled import offered, placement_of, routing_of
from placement.arrays.compiled_part import part
from placement.arrays.compiling import compile_problem
from placement.arrays.evaluator import Evaluator
from placement.arrays.states import states_of
from placement.problem import Constraints
from placement.routing.routing import predicted_s, route
from placement.search.room import Room, runnable
from tests.unit.placement import brute_force
from tests.unit.placement.problems import fragment, problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError


def plain(rng):
    """A random problem under the objective that arrays serve, without limits on what is routed."""
    found = random_problem(rng)
    kept = Constraints(
        pin=found.constraints.pin,
        exclude=found.constraints.exclude,
        max_copies=found.constraints.max_copies,
    )
    return replace(found, objective="work", constraints=kept)


def placements(rng, problem_, count):
    names = sorted(each.name for each in problem_.stores)
    return [
        {
            table: tuple(sorted(rng.sample(names, rng.randint(1, len(names)))))
            for table in problem_.table_bytes
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_a_batch_of_placements_costs_what_each_costs_routed_on_its_own(seed):
    rng = random.Random(seed)
    each = plain(rng)
    tried = placements(rng, each, 8)
    for placement, cost in zip(tried, Evaluator(each).cost_s(tried), strict=True):
        try:
            expected = predicted_s(each, placement, route(each, placement))
        except InfeasibleError:
            expected = float("inf")
        assert cost == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_the_routing_of_a_placement_is_the_cheapest_there_is(seed):
    rng = random.Random(1000 + seed)
    each = plain(rng)
    compiled = compile_problem(each)
    for placement in placements(rng, each, 3):
        held = compiled.held([placement])[:, :, 0]
        assert placement_of(compiled, held) == placement
        expected = brute_force.placement_cost(each, placement)
        if expected is None:
            with pytest.raises(InfeasibleError, match="cannot be run"):
                routing_of(compiled, held)
            continue
        routing = routing_of(compiled, held)
        assert predicted_s(each, placement, routing) == pytest.approx(expected, rel=1e-12)
        assert routing == route(each, placement) or predicted_s(
            each, placement, route(each, placement)
        ) == pytest.approx(expected, rel=1e-12)


def test_a_join_that_costs_more_than_its_parts_in_the_same_store_is_left_out():
    # the join hands over as many rows as the two scans, and joins them as well
    table_of = {"a": "a", "b": "b"}
    dear = fragment("q", ("a", "b"), table_of, rows=10_000.0)
    both = query("q", ["a", "b"], whole=False)
    both = type(both)(
        name="q", executions=1.0, sources=both.sources, fragments=(*both.fragments, dear)
    )
    compiled = compile_problem(problem({"a": 10, "b": 10}, [store("pg")], [both]))
    joined = np.diff(compiled.set_sources.starts) == 2
    assert not np.isfinite(compiled.cost_s[joined]).any()


def test_an_option_whose_tables_do_not_fit_together_is_not_offered():
    both = query("q", ["a", "b"], joins=[("a", "b")])
    each = problem({"a": 60, "b": 60}, [store("small", 100), store("large")], [both])
    compiled = compile_problem(each)
    free = np.ones((2, 2), dtype=bool)
    able = runnable(compiled, Room(allowed=free, required=~free))
    stores = {
        (option.store, len(option.fragment.sources)) for option in offered(compiled, able)["q"]
    }
    assert stores == {("small", 1), ("large", 1), ("large", 2)}


def test_what_must_be_in_a_store_takes_room_from_options():
    one = query("q", ["a"])
    each = problem({"a": 60, "pinned": 60}, [store("small", 100), store("large")], [one])
    compiled = compile_problem(each)
    free = np.ones((2, 2), dtype=bool)
    required = np.array([[False, False], [True, False]])
    able = runnable(compiled, Room(allowed=free, required=required))
    assert {option.store for option in offered(compiled, able)["q"]} == {"large"}


def test_a_query_that_is_never_executed_costs_nothing_unless_it_cannot_be_run():
    idle = query("q", ["a"], executions=0.0)
    each = problem({"a": 10}, [store("pg"), store("dumb", capabilities=frozenset())], [idle])
    fine, broken = Evaluator(each).cost_s([{"a": ("pg",)}, {"a": ("dumb",)}])
    assert fine == pytest.approx(1e-5)
    assert broken == float("inf")


@pytest.mark.parametrize("seed", range(20))
def test_some_of_the_queries_cost_what_they_cost_among_all(seed):
    rng = random.Random(seed)
    each = plain(rng)
    compiled = compile_problem(each)
    held = compiled.held(placements(rng, each, 5))
    some = np.array(sorted(rng.sample(range(len(each.queries)), rng.randint(1, len(each.queries)))))
    assert np.array_equal(part(compiled, some).query_s(held), compiled.query_s(held)[some])


def covers(sources, masks):
    """Every exact cover of `sources` sources by masks, as sets of positions."""
    full = (1 << sources) - 1
    found = []

    def extend(done, chosen):
        if done == full:
            found.append(frozenset(chosen))
            return
        first = next(s for s in range(sources) if not done >> s & 1)
        for number, mask in enumerate(masks):
            if mask >> first & 1 and not mask & done:
                extend(done | mask, [*chosen, number])

    extend(0, [])
    return found


@pytest.mark.parametrize("seed", range(40))
def test_states_find_the_cheapest_cover_and_what_each_set_costs_above_it(seed):
    rng = random.Random(seed)
    queries = []
    for _ in range(3):
        sources = rng.randint(1, 5)
        queries.append((sources, rng.sample(range(1, 1 << sources), rng.randint(1, sources))))
    states = states_of(queries)
    cost = np.array([rng.uniform(1, 9) for _, masks in queries for _ in masks])
    found, chosen = states.covers(cost)
    regret = states.regret_s(cost)
    first, expected = 0, []
    for number, (sources, masks) in enumerate(queries):
        own = range(first, first + len(masks))
        priced = {each: sum(cost[first + n] for n in each) for each in covers(sources, masks)}
        least = min(priced.values(), default=float("inf"))
        assert found[number] == pytest.approx(least)
        if priced:
            expected += [first + n for n in min(priced, key=priced.__getitem__)]
        for n in own:
            using = [value for each, value in priced.items() if n - first in each]
            above = min(using, default=float("inf")) - (least if priced else 0.0)
            assert regret[n] == pytest.approx(above, abs=1e-9)
        first += len(masks)
    assert sorted(chosen.tolist()) == sorted(expected)
