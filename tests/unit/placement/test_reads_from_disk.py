"""Reads by indexes in a store whose memory does not hold its tables: which are taken together."""

import random
from dataclasses import replace
from itertools import combinations
from time import process_time

import pytest

from placement.access_paths import CHOOSING_RATES
from placement.advising.gains import gains
from placement.exact.model import Scope, solve
from placement.limits.check import check
from placement.limits.own_prices import fragment_s
from placement.plan import Outcome
from placement.pricing import options
from placement.problem import PlacementProblem
from placement.reasons.parameters import Parameter
from placement.routing.routing import plan_for
from placement.strategies import with_indexes
from placement.strategies.optimal import Optimal
from tests.unit.placement.problems import changed, fragment, problem, query, store
from tests.unit.placement.test_advised_indexes import indexing, read, reading
from workloads.indexes import NamedIndex

OF_T = tuple(NamedIndex("t", (name,)) for name in "abc")
OF_U = tuple(NamedIndex("u", (name,)) for name in "ab")
SETS = tuple(
    frozenset(chosen)
    for number in range(len(OF_T + OF_U) + 1)
    for chosen in combinations(OF_T + OF_U, number)
)


def drawn(rng: random.Random) -> PlacementProblem:
    """A query of two tables, each of which has several indexes that spare more or less."""
    reads = [
        replace(
            read(
                index, rng.uniform(0, 100), rows=10 ** rng.uniform(0, 2), source=f"b.{index.table}"
            ),
            touched_bytes=rng.uniform(0, 100),
            fetched_pages=10 ** rng.uniform(0, 3),
            table_bytes=rng.choice((0.0, 75.0, 100.0)),
        )
        for index in OF_T + OF_U
    ]
    # An index that all copies have: the others may spare fewer bytes than it does.
    reads += [replace(each, index=None) for each in reads if rng.random() < 0.2]
    whole = changed(
        reading(*reads, tables=("t", "u")).fragments[-1],
        scan_bytes=rng.choice((200.0, 260.0)),
        tables_bytes=rng.choice((150.0, 200.0)),
        readings=rng.choice((1.0, 2.0)),
        read_row_bytes=rng.choice((0.5, 10.0)),
        read_row_values=rng.choice((0.0, 5.0)),
    )
    where = indexing(
        "a",
        scan_rows_per_s=rng.choice((50.0, 1000.0)),
        scan_values_per_s=rng.choice((200.0, 5000.0)),
        kept_bytes=rng.choice((None, rng.uniform(1, 220))),
        missed_bytes_per_s=rng.choice((50.0, 300.0, 5000.0)),
        pool_bytes=rng.choice((None, rng.uniform(1, 220))),
        missed_pages_per_s=rng.choice((50.0, 300.0, 5000.0)),
    )
    asked = replace(query("q", ("t", "u")), fragments=(whole,))
    return problem(
        {"t": 100, "u": 100}, [where], [asked], index_bytes=dict.fromkeys(OF_T + OF_U, 1)
    )


def priced(made: PlacementProblem, chosen: frozenset[NamedIndex]) -> float:
    """Return the seconds with these indexes, which the check computes as the model does."""
    there = made.with_indexes({"a": chosen})
    (asked,) = there.queries
    (option,) = options(there, asked)
    store_s, engine_s = fragment_s(there, option.fragment, there.stores[0], len(asked.sources))
    assert store_s + engine_s == pytest.approx(option.cost_s, rel=1e-12)
    return option.cost_s


@pytest.mark.parametrize("seed", range(150))
def test_one_index_more_never_makes_a_fragment_dearer(seed: int) -> None:
    made = drawn(random.Random(seed))
    seconds = {chosen: priced(made, chosen) for chosen in SETS}
    for chosen, cost_s in seconds.items():
        for other in SETS:
            if chosen < other and len(other) == len(chosen) + 1:
                assert seconds[other] <= cost_s * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(150))
def test_gains_by_source_are_at_least_what_indexes_save_together(seed: int) -> None:
    made = drawn(random.Random(seed))
    for had in SETS:
        there = made.with_indexes({"a": had})
        (option,) = options(there, there.queries[0])
        more = frozenset(OF_T + OF_U) - had
        most = {"b.t": 0.0, "b.u": 0.0}
        for each in gains(there, option, more):
            most[each.source] = max(most[each.source], each.seconds)
        saved_s = priced(made, had) - priced(made, had | more)
        assert sum(most.values()) >= saved_s * (1 - 1e-9) - 1e-12


@pytest.mark.parametrize("rate", sorted(CHOOSING_RATES))
@pytest.mark.parametrize("seed", range(40))
def test_what_a_fragment_takes_is_concave_in_the_work_that_a_rate_prices(
    seed: int, rate: str
) -> None:
    """Proofs between two factors of a rate rest on it."""
    rng = random.Random(seed)
    made = drawn(rng).with_indexes({"a": frozenset(OF_T + OF_U)})
    parameter = Parameter(owner="a", key=rate, value=getattr(made.stores[0].strength, rate))

    def cost_s(times: float) -> float:
        scaled = parameter.scaled(made, times)
        (option,) = options(scaled, scaled.queries[0])
        return option.cost_s

    for _ in range(20):
        low, high = sorted(10 ** rng.uniform(-1.5, 1.5) for _ in range(2))
        share = rng.random()
        chord_s = share * cost_s(low) + (1 - share) * cost_s(high)
        assert cost_s(share * low + (1 - share) * high) >= chord_s * (1 - 1e-12)


@pytest.mark.parametrize("objective", ["work", "latency"])
@pytest.mark.parametrize("missed_bytes_per_s", [10.0, 100.0, 1000.0])
@pytest.mark.parametrize("elsewhere_s", [0.0075, 0.05, 0.3])
def test_a_proven_plan_is_the_cheapest_of_all_sets_of_indexes(
    objective: str, missed_bytes_per_s: float, elsewhere_s: float
) -> None:
    """Of two indexes the one that saves more in memory leaves bytes to read from the disk."""
    some, whole = OF_T[0], OF_T[1]
    asked = reading(read(some, 95.0), read(whole, 100.0, rows=7.0))
    scanned = (changed(each, scan_bytes=100.0, tables_bytes=100.0) for each in asked.fragments)
    where = indexing("a", kept_bytes=1.0, missed_bytes_per_s=missed_bytes_per_s)
    other = indexing("b", scan_bytes_per_s=100.0 / elsewhere_s)
    made = problem(
        {"t": 100},
        [where, other],
        [replace(asked, fragments=tuple(scanned))],
        candidates={"a": frozenset({some, whole})},
        index_bytes={some: 10, whole: 10},
        objective=objective,
    )
    plan = Optimal()(made)
    assert check(made, plan) == ()
    every = [
        plan_for(made.with_indexes({"a": chosen}), "x", {"t": (held,)}).predicted_s
        for chosen in ((), (some,), (whole,), (some, whole))
        for held in ("a", "b")
    ]
    assert plan.predicted_s == pytest.approx(min(every))
    assert plan.bound_s is not None
    assert plan.bound_s <= min(every) * (1 + 1e-9)
    # The bound of the other objective takes indexes for nothing.
    assert plan.outcome is Outcome.OPTIMAL or objective == "latency"


@pytest.mark.parametrize(
    ("kept_bytes", "spared"),
    [
        (20.0, ((100.0, 20.0, 50.0), (60.0, 50.0, 97.0))),
        (5.0, ((100.0, 20.0, 80.0), (100.0, 90.0, 99.9))),
        (None, ((95.0, 1.0, 50.0), (70.0, 1.0, 95.0))),
    ],
)
def test_a_shorter_index_that_saves_as_much_in_sum_does_not_stand_for_a_longer_one(
    kept_bytes: float | None, spared: tuple[tuple[float, float, float], ...]
) -> None:
    """Each query's bytes and rows of the shorter index, and bytes of the longer for one row."""
    short, long = NamedIndex("t", ("a",)), NamedIndex("t", ("a", "b"))
    asked = []
    for number, (short_bytes, short_rows, long_bytes) in enumerate(spared):
        ways = read(short, short_bytes, rows=short_rows), read(long, long_bytes)
        plain = reading(*ways, name=f"q{number}")
        whole = (changed(each, scan_bytes=100.0, tables_bytes=100.0) for each in plain.fragments)
        asked.append(replace(plain, fragments=tuple(whole)))
    where = indexing("a", kept_bytes=kept_bytes, missed_bytes_per_s=100.0)
    made = problem(
        {"t": 100},
        [where],
        asked,
        candidates={"a": frozenset({short, long})},
        index_bytes={short: 10, long: 20},
    )
    plan = Optimal()(made)
    least_s = min(
        plan_for(made.with_indexes({"a": chosen}), "x", {"t": ("a",)}).predicted_s
        for chosen in ((), (short,), (long,), (short, long))
    )
    assert plan.predicted_s == pytest.approx(least_s)
    assert check(made, plan) == ()


def choosing(seed: int) -> PlacementProblem:
    """Two or three queries, and two stores: one may have indexes, and room for all or some."""
    rng = random.Random(seed)
    made = [drawn(rng) for _ in range(rng.randint(2, 3))]
    queries = []
    for number, each in enumerate(made):
        asked = query(f"q{number}", ("t", "u"), executions=rng.uniform(1, 5))
        whole = changed(each.queries[0].fragments[0], query=asked.name)
        queries.append(replace(asked, fragments=(*asked.fragments[:-1], whole)))
    sizes = {index: rng.randint(1, 9) for index in OF_T + OF_U}
    return problem(
        {"t": 100, "u": 100},
        [made[0].stores[0], store("b", speed=rng.choice((0.1, 0.5, 1.0)))],
        queries,
        candidates={"a": frozenset(sizes)},
        index_bytes=sizes,
        max_index_bytes=rng.choice((None, 6, 12)),
    )


def least_s(made: PlacementProblem) -> float:
    """Return the seconds of the best of all placements and choices of indexes that are allowed."""
    plans = (
        plan_for(made.with_indexes({"a": chosen}), "x", {"t": (of_t,), "u": (of_u,)})
        for chosen in SETS
        for of_t in "ab"
        for of_u in "ab"
    )
    return min(plan.predicted_s for plan in plans if plan.feasible)


@pytest.mark.parametrize("seed", range(100))
def test_no_choice_of_indexes_is_below_the_model_s_bound(seed: int) -> None:
    made, rng = choosing(seed), random.Random(seed)
    known = [{"a": rng.choice(SETS)} for _ in range(rng.randint(0, 2))]
    solution = solve(made, time_limit_s=60.0, scope=Scope(known=known))
    assert solution.bound_s <= least_s(made) * (1 + 1e-6)
    assert solution.bound_s > 0.0


def test_bounds_are_close_where_gains_alone_are_far_more_than_what_indexes_save(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(with_indexes, "LEAST_SHARE", 0.0)
    every = [(made, Optimal()(made)) for made in map(choosing, range(60))]
    gaps = sorted(1 - (plan.bound_s or 0.0) / plan.predicted_s for _, plan in every)
    assert gaps[54] < 1e-3
    assert gaps[-1] < 0.3
    best = [plan.predicted_s < least_s(made) * (1 + 1e-6) for made, plan in every]
    assert sum(best) > 55
    assert all(check(made, plan) == () for made, plan in every)


def test_many_sources_with_several_ways_each_are_priced_in_time() -> None:
    rng = random.Random(5)
    reads = [
        read(NamedIndex("t", (f"c{way}",)), rng.uniform(20, 100), rows=10 ** rng.uniform(0, 1.5),
             source=f"b.t{source}")
        for source in range(20)
        for way in range(4)
    ]  # fmt: skip
    names = tuple(f"t{source}" for source in range(20))
    whole = changed(
        fragment("q", names, dict.fromkeys(names, "t")),
        scan_bytes=2_000.0,
        tables_bytes=2_000.0,
        index_reads=tuple(reads),
    )
    indexes = frozenset(each.index for each in reads if each.index is not None)
    where = indexing("a", kept_bytes=500.0, missed_bytes_per_s=50.0, indexes=indexes)
    made = problem({"t": 100}, [where], [])
    begun = process_time()
    cost = made.costs.fragment(whole, where, 20)
    assert sum(fragment_s(made, whole, where, 20)) == pytest.approx(cost.total_s, rel=1e-12)
    assert process_time() - begun < 20
