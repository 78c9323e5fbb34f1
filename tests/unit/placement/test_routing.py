import random
import time
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement import routing
from placement.problem import QueryProblem
from tests.unit.placement.brute_force import placement_cost, placements
from tests.unit.placement.problems import fragment, problem, query, random_problem, store
from workloads.errors import InfeasibleError


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(min_value=0, max_value=10**9))
def test_the_routing_of_any_placement_is_the_cheapest_there_is(seed):
    rng = random.Random(seed)
    made = random_problem(rng, sources=(1, 6), queries=(1, 2))
    placement = next(placements(made), None)
    if placement is None or placement_cost(made, placement) is None:
        return
    routed = routing.route(made, placement)
    found = routing.predicted_s(made, placement, routed)
    assert found == pytest.approx(placement_cost(made, placement), rel=1e-9)


def star(sources, seed):
    """A query over one fact and its dimensions, with every connected set as a fragment."""
    rng = random.Random(seed)
    aliases = ["fact", *(f"d{i}" for i in range(1, sources))]
    table_of = {alias: alias for alias in aliases}
    sets = [(alias,) for alias in aliases]
    for size in range(1, sources):
        sets += [("fact", *dimensions) for dimensions in combinations(aliases[1:], size)]
    fragments = tuple(fragment("q", each, table_of, rows=rng.randint(1, 1000)) for each in sets)
    names = tuple(f"b.{alias}" for alias in aliases)
    made = QueryProblem(name="q", executions=1.0, sources=names, fragments=fragments)
    return problem(dict.fromkeys(aliases, 10), [store("a"), store("b")], [made])


def test_a_query_with_thousands_of_fragments_is_routed_at_once():
    made = star(12, seed=1)
    placement = {
        table: ("a", "b") if table == "fact" else ("a" if index % 2 else "b",)
        for index, table in enumerate(made.table_bytes)
    }
    started = time.perf_counter()
    routing.route(made, placement)
    assert time.perf_counter() - started < 2.0


def test_what_the_search_gives_up_the_solver_covers_at_the_same_cost(monkeypatch):
    made = star(8, seed=2)
    placement = {table: ("a",) if table < "d4" else ("b",) for table in made.table_bytes}
    searched = routing.route(made, placement)
    monkeypatch.setattr(routing, "MOST_STATES", 0)
    solved = routing.route(made, placement)
    assert routing.predicted_s(made, placement, solved) == pytest.approx(
        routing.predicted_s(made, placement, searched), rel=1e-9
    )


def test_ties_go_to_the_first_store_of_the_problem():
    made = problem({"t": 1}, [store("b"), store("a")], [query("q", ("t",))], max_copies=2)
    (routed,) = routing.route(made, {"t": ("a", "b")})["q"]
    assert routed.store == "b"


def test_a_query_whose_table_is_missing_cannot_be_routed():
    made = problem({"t": 1, "u": 1}, [store("a")], [query("q", ("t", "u"))])
    with pytest.raises(InfeasibleError, match=r"Query 'q' cannot be run .* tables of b\.u "):
        routing.route(made, {"t": ("a",)})


def test_the_cost_counts_executions_and_the_upkeep_of_every_copy():
    made = problem(
        {"t": 1000}, [store("a"), store("b")], [query("q", ("t",), executions=3.0)], upkeep=0.5
    )
    routed = routing.route(made, {"t": ("a", "b")})
    cost = routed["q"][0].predicted_s
    assert routing.predicted_s(made, {"t": ("a", "b")}, routed) == pytest.approx(3 * cost + 1000)


def test_a_query_without_sources_needs_no_fragments():
    made = problem({"t": 1}, [store("a")], [query("q", (), whole=False)])
    assert routing.route(made, {"t": ("a",)}) == {"q": ()}
