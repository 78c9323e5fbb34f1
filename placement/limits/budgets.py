"""The money and the seconds that a plan takes beyond what is allowed, without a solver."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from placement.plan import RoutedFragment
from placement.problem import LIMIT_TOLERANCE, PlacementProblem, QueryProblem

Routing = Mapping[str, tuple[RoutedFragment, ...]]


def over_budget(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]], routing: Routing
) -> Iterator[str]:
    """Storage and transfer cost no more money a month than allowed."""
    most = problem.constraints.max_money
    if most is None:
        return
    storage, transfer = money(problem, placement, routing)
    if storage + transfer > most * (1 + LIMIT_TOLERANCE):
        yield (
            f"The plan costs {storage + transfer:.6g} a month ({storage:.6g} of storage, "
            f"{transfer:.6g} of transfer), {storage + transfer - most:.6g} over the {most:.6g} "
            f"allowed: drop copies, use cheaper stores, or raise [constraints].max_money."
        )


def over_ceilings(problem: PlacementProblem, routing: Routing) -> Iterator[str]:
    """One execution of a query takes no more seconds than allowed."""
    for query in problem.queries:
        most_s = problem.constraints.latency_s.get(query.name)
        if most_s is None or query.name not in routing:
            continue
        took_s = query_seconds(problem, query, routing[query.name])
        if took_s > most_s * (1 + LIMIT_TOLERANCE):
            yield (
                f"Query '{query.name}' takes {took_s:.6g} s, {took_s - most_s:.6g} s over the "
                f"{most_s:.6g} s allowed: let its tables share a store, or raise "
                f"[constraints].latency_s of '{query.name}'."
            )


def money(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]], routing: Routing
) -> tuple[float, float]:
    """Return what storage and what transfer costs a month."""
    stores = {store.name: store for store in problem.stores}
    storage = sum(
        problem.costs.storage_money(size, stores[store])
        for table, size in problem.table_bytes.items()
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
            cost = problem.costs.fragment(each.fragment, stores[each.store], len(query.sources))
            in_store[each.store] += cost.total_s - cost.engine_s
            engine_s += cost.engine_s
    if problem.objective == "latency":
        return engine_s + max(in_store.values(), default=0.0)
    return engine_s + sum(in_store.values())
