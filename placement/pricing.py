"""Allowed pairs of fragment and store with the cost of one execution; a routing's total prices.

The formulas behind the prices are `placement.costs.CostModel`'s. This module only applies them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from placement.access_paths import chosen_reads
from placement.fragment import Fragment, members
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.stores import Capability, Store
from workloads.indexes import NamedIndex

Routing = Mapping[str, tuple[RoutedFragment, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A fragment in a store that is able to run it, and the seconds of one execution.

    `engine_s` is the part of `cost_s` that the engine takes, `start_s` the part before its store
    begins, `disk_s` the part that it waits for its disk, `rows_s` that in which it hands over rows.
    """

    fragment: Fragment
    store: str
    cost_s: float
    engine_s: float = 0.0
    start_s: float = 0.0
    disk_s: float = 0.0
    rows_s: float = 0.0


def able(store: Store, fragment: Fragment) -> bool:
    """Whether `store` can run `fragment` if it holds the tables."""
    if fragment.reduction.reducers and Capability.KEYS not in store.capabilities:
        return False
    tables = fragment.reduction.key_tables
    if tables and Capability.KEY_TABLES not in store.capabilities:
        return False
    if any(each.keys > store.most_tabled for each in tables):
        return False
    if fragment.reduction.preaggregated and Capability.BLOCK not in store.capabilities:
        return False
    if fragment.reduction.one_scan and Capability.ONE_SCAN not in store.capabilities:
        return False
    return fragment.kind in store.capabilities and not fragment.work.features & store.lacks


def options(
    problem: PlacementProblem,
    query: QueryProblem,
    placement: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Option, ...]:
    """Return the query's options, by fragment and then by store, in the problem's order.

    With a `placement`, only those whose tables all have a copy in the store.
    """
    return tuple(
        priced(problem, query, fragment, store)
        for fragment in query.offered
        for store in _stores(problem, fragment, placement)
    )


def priced(
    problem: PlacementProblem, query: QueryProblem, fragment: Fragment, store: Store
) -> Option:
    """Return the option to run one of the query's fragments in `store`."""
    cost = problem.costs.fragment(fragment, store, len(query.sources))
    return Option(
        fragment=fragment,
        store=store.name,
        cost_s=cost.total_s,
        engine_s=cost.engine_s,
        start_s=cost.start_s,
        disk_s=cost.disk_s,
        rows_s=cost.rows_s,
    )


def routed(
    problem: PlacementProblem, query: QueryProblem, chosen: Iterable[Option]
) -> tuple[RoutedFragment, ...]:
    """Return options as a query's part of a plan, by the first sources of their fragments."""
    found = []
    for option in chosen:
        store = problem.store(option.store)
        read_by = chosen_reads(members(option.fragment)[0].work, store.strength)
        for fragment in members(option.fragment):
            cost = problem.costs.fragment(fragment, store, len(query.sources))
            made = RoutedFragment(
                fragment=fragment,
                store=store.name,
                predicted_s=cost.total_s,
                transfer=problem.costs.transfer(fragment, store),
                read_by=read_by,
            )
            found.append(made.at(cost))
    order = {source: index for index, source in enumerate(query.sources)}
    return tuple(sorted(found, key=lambda each: min(order[s] for s in each.fragment.sources)))


def read_by(
    problem: PlacementProblem, routed: RoutedFragment, routing: Iterable[RoutedFragment]
) -> tuple[NamedIndex, ...]:
    """Return the chosen indexes that the price of a query's fragment has.

    One that repeats the rows of another fragment of the `routing` has that one's.
    """
    repeated = routed.fragment.reduction.repeats
    read = next((each for each in routing if each.fragment.name == repeated), routed)
    return chosen_reads(read.fragment.work, problem.store(routed.store).strength)


def money(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]], routing: Routing
) -> tuple[float, float]:
    """Return what storage and what transfer costs a month."""
    stores = {store.name: store for store in problem.stores}
    storage = sum(
        problem.costs.storage_money(problem.held_bytes(table, stores[store]), stores[store])
        for table in problem.table_bytes
        for store in placement.get(table, ())
        if store in stores
    )
    transfer = sum(
        problem.costs.transfer_money(each.fragment, stores[each.store], query.executions)
        for query in problem.queries
        for each in routing.get(query.name, ())
        if each.store in stores
    )
    return storage, transfer


def query_seconds(
    problem: PlacementProblem, query: QueryProblem, routed: tuple[RoutedFragment, ...]
) -> float:
    """Return the seconds of one execution of what runs in known stores, by the cost model."""
    stores = {store.name: store for store in problem.stores}
    in_store: dict[str, float] = defaultdict(float)
    engine_s = 0.0
    for each in routed:
        if each.store in stores:
            cost = problem.costs.fetched(
                each.fragment, stores[each.store], len(query.sources), each.transfer
            )
            in_store[each.store] += cost.total_s - cost.engine_s
            engine_s += cost.engine_s
    if problem.objective == "latency":
        return engine_s + max(in_store.values(), default=0.0)
    return engine_s + sum(in_store.values())


def _stores(
    problem: PlacementProblem,
    fragment: Fragment,
    placement: Mapping[str, tuple[str, ...]] | None,
) -> Iterator[Store]:
    for store in problem.stores:
        if not able(store, fragment):
            continue
        if placement is None or all(
            store.name in placement.get(table, ()) for table in fragment.tables
        ):
            yield store
