"""What each of the searching and partitioning strategies claims for itself."""

import random
from dataclasses import replace
from itertools import combinations

import pytest

from placement.limits.limits import limits
from placement.routing.routing import plan_for
from placement.strategies.beam_search import BeamSearch
from placement.strategies.graph_partition import GraphPartition
from placement.strategies.greedy import Greedy
from placement.strategies.hypergraph_partition import HypergraphPartition
from placement.strategies.naive import Naive
from placement.strategies.optimal import Optimal
from tests.unit.placement.problems import problem, query, random_problem, store
from workloads.errors import InfeasibleError


def single_moves(made, placement):
    """Yield every placement with one copy moved, added or dropped."""
    for table, here in placement.items():
        for source in (None, *here):
            for target in (None, *(s.name for s in made.stores if s.name not in here)):
                after = sorted({*here, target} - {source, None})
                if after and after != sorted(here):
                    yield {**placement, table: tuple(after)}


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_greedy_ends_where_no_single_move_gains(objective):
    ended = 0
    for seed in range(60):
        made = random_problem(random.Random(seed), tables=(3, 5), queries=(2, 5))
        limited = replace(made.constraints, together=(), max_money=None)
        made = replace(made, objective=objective, constraints=limited)
        try:
            plan = Greedy()(made)
        except InfeasibleError:
            continue
        if not plan.feasible:
            continue
        ended += 1
        for placement in single_moves(made, plan.placement):
            try:
                other = plan_for(made, "other", placement)
            except InfeasibleError:
                continue
            assert other.violations or other.predicted_s >= plan.predicted_s * (1 - 1e-8)
    assert ended > 30


def test_greedy_is_no_worse_than_the_packing_it_starts_from():
    for seed in range(40):
        made = random_problem(random.Random(seed), tables=(4, 8), queries=(3, 8))
        try:
            start = Naive()(made)
        except InfeasibleError:
            continue
        if start.feasible and not made.current:
            assert Greedy()(made).predicted_s <= start.predicted_s * (1 + 1e-9)


def test_greedy_starts_from_the_current_placement_and_stays_where_no_move_alone_gains():
    asked = [query("q", ("t", "u"), joins=[("t", "u")])]
    made = problem(
        {"t": 100, "u": 100},
        [store("a"), store("b", speed=1.1)],
        asked,
        current={"t": ("a",), "u": ("a",)},
        horizon=1e9,
    )
    assert Greedy()(made).placement == {"t": ("a",), "u": ("a",)}
    assert Greedy()(replace(made, current={})).placement == {"t": ("b",), "u": ("b",)}


def two_facts_and_a_budget():
    """A large table gains most, two small ones gain more together, and there is room for either."""
    return problem(
        {"large": 100, "small": 50, "tiny": 50},
        [store("slow"), store("fast", 100, speed=7.0)],
        [
            query("q1", ("large",), executions=12.0, whole=False),
            query("q2", ("small",), executions=10.0, whole=False),
            query("q3", ("tiny",), executions=10.0, whole=False),
        ],
        pin=dict.fromkeys(("large", "small", "tiny"), ("slow",)),
        max_copies=2,
    )


def test_gain_per_byte_finds_two_small_copies_where_gain_takes_the_large_one():
    made = two_facts_and_a_budget()
    by_gain, by_byte = Greedy(rules=("gain",))(made), Greedy(rules=("gain_per_byte",))(made)
    assert by_gain.placement["large"] == ("fast", "slow")
    assert by_byte.placement["small"] == by_byte.placement["tiny"] == ("fast", "slow")
    assert by_byte.predicted_s < by_gain.predicted_s
    assert Greedy()(made).placement == by_byte.placement


def cliques(executions=(1.0, 1.0), capacity=300):
    """Two sets of three tables: a query joins those of a set, and one query a pair across."""
    left, right = ("a", "b", "c"), ("d", "e", "f")
    asked = [
        query(f"q{i}", tables, executions=often, joins=list(combinations(tables, 2)))
        for i, (tables, often) in enumerate(zip((left, right), executions, strict=True))
    ]
    asked.append(query("across", ("c", "d"), executions=0.01))
    sizes = dict.fromkeys("adbecf", 100)
    return problem(sizes, [store("x", capacity), store("y", capacity)], asked)


@pytest.mark.parametrize("strategy", [GraphPartition(), HypergraphPartition(), BeamSearch()])
def test_tables_that_a_query_joins_are_in_one_store(strategy):
    plan = strategy(cliques())
    for tables in ("abc", "def"):
        assert len({plan.placement[table] for table in tables}) == 1
    assert plan.placement["a"] != plan.placement["d"]
    assert plan.predicted_s == pytest.approx(Optimal()(cliques()).predicted_s)


@pytest.mark.parametrize("strategy", [GraphPartition(), HypergraphPartition()])
def test_the_busier_part_goes_to_the_faster_store(strategy):
    made = cliques(executions=(1.0, 50.0))
    slow, fast = store("x", 300), store("y", 300, speed=7.0)
    for stores in ((slow, fast), (fast, slow)):
        plan = strategy(replace(made, stores=stores))
        assert plan.placement["d"] == ("y",)
        assert plan.placement["a"] == ("x",)


@pytest.mark.parametrize("strategy", [GraphPartition(), HypergraphPartition()])
@pytest.mark.parametrize("heavier", ["t", "v"])
def test_a_table_goes_with_the_one_that_it_is_joined_with_more_often(strategy, heavier):
    asked = [
        query(f"q{other}", ("u", other), executions=9.0 if other == heavier else 1.0)
        for other in ("t", "v")
    ]
    sizes = dict.fromkeys(("t", "u", "v", "w"), 10)
    made = problem(sizes, [store("x", 20), store("y", 20)], asked)
    placement = strategy(made).placement
    assert placement["u"] == placement[heavier] != placement["w"]


@pytest.mark.parametrize("strategy", [GraphPartition(), HypergraphPartition()])
def test_parts_are_as_large_as_their_stores(strategy):
    sizes = {f"t{i}": 10 for i in range(12)}
    asked = [query(f"q{i}", (f"t{i}", f"t{i + 1}")) for i in range(11)]
    made = problem(sizes, [store("x", 80), store("y", 30), store("z", 20)], asked)
    plan = strategy(made)
    assert limits(made, plan.placement) == ()


@pytest.mark.parametrize("strategy", [GraphPartition(), HypergraphPartition()])
def test_partitions_make_no_copies_but_pinned_ones(strategy):
    made = replace(cliques(capacity=600))
    made = replace(
        made,
        constraints=replace(made.constraints, max_copies=2, pin={"c": frozenset(("x", "y"))}),
    )
    placement = strategy(made).placement
    assert placement.pop("c") == ("x", "y")
    assert {len(stores) for stores in placement.values()} == {1}


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize("max_copies", [1, 2, 3])
def test_a_beam_over_one_table_is_optimal(width, max_copies):
    stores = [store("a", speed=2.0), store("b", speed=1.0), store("c", speed=3.0, lacks=["rollup"])]
    asked = [
        query("plain", ("t",), executions=5.0),
        query("rolled", ("t",), executions=3.0, features=["rollup"]),
    ]
    made = problem({"t": 10}, stores, asked, max_copies=max_copies)
    assert BeamSearch(width=width)(made).predicted_s == pytest.approx(Optimal()(made).predicted_s)


def test_a_wide_beam_over_one_cluster_tries_all_sets_of_stores():
    asked = [query("q", ("t", "u"), joins=[("t", "u")])]
    made = problem({"t": 50, "u": 50}, [store("a", 60), store("b", 60), store("c", 100)], asked)
    assert BeamSearch()(made).placement == {"t": ("c",), "u": ("c",)}


@pytest.fixture
def unrepaired(monkeypatch):
    """A beam whose end is its plan."""
    monkeypatch.setattr("placement.strategies.beam_search.repair", lambda *_, **__: True)


def test_a_beam_leaves_room_for_tables_to_come(unrepaired):
    """A second copy of `t` would gain most, and leave no room for `v`."""
    stores = [store("a", 40, speed=5.0, lacks=["rollup"]), store("b", 60)]
    asked = [
        query("plain", ("t",), executions=9.0),
        query("rolled", ("t",), executions=9.0, features=["rollup"]),
        query("then", ("v",)),
    ]
    made = problem({"t": 40, "v": 30}, stores, asked, max_copies=2)
    narrow = BeamSearch(width=1)
    assert narrow(made).violations == ()
    assert narrow(replace(made, table_bytes={"t": 40, "v": 20})).placement["t"] == ("a", "b")


def test_a_beam_places_tables_one_by_one_where_they_fit_nowhere_together(unrepaired):
    asked = [query("q", ("t", "u", "v"))]
    made = problem({"t": 50, "u": 50, "v": 10}, [store("a", 60), store("b", 60)], asked)
    plan = BeamSearch()(made)
    assert plan.violations == ()
    assert plan.predicted_s == pytest.approx(Optimal()(made).predicted_s)


def test_a_beam_out_of_work_still_places_every_table():
    made = random_problem(random.Random(1), tables=(9, 9), stores=(3, 3), queries=(9, 9))
    made = replace(made, constraints=replace(made.constraints, max_money=None, latency_s={}))
    plan = BeamSearch(most_priced=0)(made)
    assert set(plan.placement) == set(made.table_bytes)
    assert all(plan.placement.values())
