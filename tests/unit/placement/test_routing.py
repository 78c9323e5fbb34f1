import random
import time
from dataclasses import replace
from itertools import combinations, islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.limits.check import check
from placement.limits.limits import limits
from placement.problem import QueryProblem
from placement.routing import cover, overlap, routing
from tests.unit.placement.brute_force import placement_cost, placements
from tests.unit.placement.problems import fragment, problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(min_value=0, max_value=10**9))
def test_the_routing_of_any_placement_is_the_cheapest_there_is(seed):
    rng = random.Random(seed)
    made = random_problem(rng, sources=(1, 5), queries=(1, 2))
    placed = list(islice(placements(made), 50))
    if not placed or (best := placement_cost(made, placement := rng.choice(placed))) is None:
        return
    routed = routing.route(made, placement)
    assert limits(made, placement, routed) == ()
    assert routing.predicted_s(made, placement, routed) == pytest.approx(best, rel=1e-6)


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
    started = time.process_time()
    routing.route(made, placement)
    assert time.process_time() - started < 8


def test_what_the_search_gives_up_the_solver_covers_at_the_same_cost(monkeypatch):
    made = star(8, seed=2)
    placement = {table: ("a",) if table < "d4" else ("b",) for table in made.table_bytes}
    searched = routing.route(made, placement)
    monkeypatch.setattr(cover, "MOST_STATES", 0)
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


def two_copies(seed):
    """A star of which every table is in two stores, the slower one first, under "latency"."""
    made = replace(star(8, seed), objective="latency")
    return replace(made, stores=(store("a", speed=0.7), store("b")))


def test_fragments_in_different_stores_run_at_the_same_time():
    made = problem(
        {"t": 1, "u": 1},
        [store("a"), store("b")],
        [query("q", ("t", "u"), whole=False)],
        max_copies=2,
        objective="latency",
    )
    plan = routing.plan_for(made, "x", dict.fromkeys("tu", ("a", "b")))
    assert {routed.store for routed in plan.routing["q"]} == {"a", "b"}
    one, other = plan.routing["q"]
    slowest_s = max(each.predicted_s - each.engine_s for each in (one, other))
    assert plan.query_s("q") == pytest.approx(slowest_s + one.engine_s + other.engine_s)
    assert plan.query_s("q") < one.predicted_s + other.predicted_s
    assert check(made, plan) == ()


def test_what_the_search_for_the_fastest_gives_up_the_solver_covers_as_fast(monkeypatch):
    made = two_copies(seed=3)
    placement = dict.fromkeys(made.table_bytes, ("a", "b"))
    searched = routing.route(made, placement)
    monkeypatch.setattr(overlap, "MOST_LABELS", 0)
    solved = routing.route(made, placement)
    assert routing.predicted_s(made, placement, solved) == pytest.approx(
        routing.predicted_s(made, placement, searched), rel=1e-6
    )


def test_the_fastest_way_is_found_at_once_among_thousands_of_fragments():
    made = replace(star(12, seed=1), objective="latency")
    started = time.process_time()
    routing.route(made, dict.fromkeys(made.table_bytes, ("a", "b")))
    assert time.process_time() - started < 30


def dear_or_slow(max_money):
    """Two queries that each are faster out of the dear store; money is enough for one of them."""
    return problem(
        {"t": 1, "u": 1},
        [store("dear", speed=4.0, transfer=1.0), store("slow")],
        [
            query("q", ("t",), whole=False),
            query("r", ("u",), whole=False, executions=5.0, scan_rows=20.0),
        ],
        max_copies=2,
        max_money=max_money,
    )


def test_a_budget_is_spent_where_it_saves_most():
    everywhere = dict.fromkeys("tu", ("dear", "slow"))

    def stores(max_money):
        made = dear_or_slow(max_money)
        plan = routing.plan_for(made, "x", everywhere)
        assert check(made, plan) == ()
        return [plan.routing[name][0].store for name in "qr"]

    assert stores(None) == ["dear", "dear"]
    assert stores(800.0) == ["dear", "dear"]
    assert stores(799.0) == ["slow", "dear"]
    assert stores(399.0) == ["slow", "slow"]


def test_where_no_routing_is_within_the_budget_the_best_is_kept_as_a_reference():
    made = dear_or_slow(1.0)
    plan = routing.plan_for(made, "x", dict.fromkeys("tu", ("dear",)))
    assert "over the 1 allowed" in plan.violations[0]
    assert check(made, plan) == plan.violations


def test_a_dearer_routing_keeps_ceilings_that_the_budget_leaves_room_for():
    made = dear_or_slow(799.0)
    ceiling_s = routing.plan_for(dear_or_slow(None), "x", dict.fromkeys("tu", ("dear", "slow")))
    limited = replace(
        made, constraints=replace(made.constraints, latency_s={"q": ceiling_s.query_s("q")})
    )
    plan = routing.plan_for(limited, "x", dict.fromkeys("tu", ("dear", "slow")))
    assert [plan.routing[name][0].store for name in "qr"] == ["dear", "slow"]
    assert plan.violations == ()
