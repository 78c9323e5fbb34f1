"""Why no placement fits: which tables, how much over, and the way out."""

from collections.abc import Iterable, Iterator, Mapping

from placement.pricing import able
from placement.problem import PlacementProblem
from placement.sizes import human_bytes
from placement.stores import Store

NAMED_TABLES = 5


def contradictions(problem: PlacementProblem) -> Iterator[str]:
    """Yield what no placement can respect, as far as it shows without solving."""
    yield from _pins(problem)
    yield from _homeless(problem)
    yield from _overfull_pins(problem)
    yield from _too_much(problem)
    yield from _unreachable(problem)


def overflow(problem: PlacementProblem, over_bytes: Mapping[str, int]) -> str:
    """Say by how much the best packing, which was solved for, is over the stores' capacities."""
    parts = []
    for store, over in over_bytes.items():
        needed = (problem.store(store).capacity_bytes or 0) + over
        parts.append(
            f"store '{store}' is {human_bytes(over)} over its capacity: raise "
            f"[stores.{store}].capacity to {human_bytes(needed)}"
        )
    largest = _named(problem, problem.table_bytes)
    if not parts:
        return (
            f"No placement fits the stores' capacities together with [constraints]: raise a "
            f"capacity or pin and exclude less; the largest tables are {largest}."
        )
    return (
        f"No placement fits the stores' capacities. In the one that is least over, "
        f"{'; '.join(parts)}, or move less: the largest tables are {largest}."
    )


def _pins(problem: PlacementProblem) -> Iterator[str]:
    """Pins agree with exclusions and with the number of copies."""
    constraints = problem.constraints
    for table, stores in constraints.pin.items():
        both = sorted(stores & constraints.exclude.get(table, frozenset()))
        if both:
            yield (
                f"Table '{table}' is both pinned to and excluded from store '{both[0]}': "
                f"take it out of [constraints].pin or of [constraints].exclude."
            )
        if len(stores) > constraints.max_copies:
            yield (
                f"Table '{table}' is pinned to {len(stores)} stores "
                f"({', '.join(sorted(stores))}), more than the {constraints.max_copies} that a "
                f"table may be in: raise [place].max_copies."
            )


def _homeless(problem: PlacementProblem) -> Iterator[str]:
    """Every table has a store that it may be in and that is large enough for it alone."""
    exclude = problem.constraints.exclude
    for table, size in problem.table_bytes.items():
        allowed = [s for s in problem.stores if s.name not in exclude.get(table, frozenset())]
        if not allowed:
            yield (
                f"Table '{table}' is excluded from every store: "
                f"take one out of [constraints].exclude."
            )
        elif all(_free(store, ()) < size for store in allowed):
            largest = max(allowed, key=lambda store: store.capacity_bytes or 0)
            capacity = largest.capacity_bytes or 0
            yield (
                f"Table '{table}' has {human_bytes(size)}, {human_bytes(size - capacity)} over "
                f"the capacity of {human_bytes(capacity)} of '{largest.name}', the largest store "
                f"that it may be in: raise [stores.{largest.name}].capacity."
            )


def _overfull_pins(problem: PlacementProblem) -> Iterator[str]:
    """What is pinned to a store fits it."""
    for store in problem.stores:
        pinned = [
            table
            for table in problem.table_bytes
            if store.name in problem.constraints.pin.get(table, frozenset())
        ]
        free = _free(store, (problem.table_bytes[table] for table in pinned))
        if pinned and free < 0:
            yield (
                f"The tables pinned to store '{store.name}' are {human_bytes(-free)} over its "
                f"capacity of {human_bytes(store.capacity_bytes or 0)}: "
                f"{_named(problem, pinned)}. Raise [stores.{store.name}].capacity, or pin less."
            )


def _too_much(problem: PlacementProblem) -> Iterator[str]:
    """One copy of every table fits all stores together."""
    capacities = [store.capacity_bytes for store in problem.stores]
    total = sum(problem.table_bytes.values())
    room = sum(capacity for capacity in capacities if capacity is not None)
    if None not in capacities and total > room:
        yield (
            f"The tables have {human_bytes(total)}, {human_bytes(total - room)} over the "
            f"capacity of {human_bytes(room)} of all stores together: raise "
            f"{' or '.join(f'[stores.{store.name}].capacity' for store in problem.stores)}, or "
            f"place less; the largest tables are {_named(problem, problem.table_bytes)}."
        )


def _unreachable(problem: PlacementProblem) -> Iterator[str]:
    """Every source of every query is in a fragment that some store may run."""
    exclude = problem.constraints.exclude
    for query in problem.queries:
        reachable: set[str] = set()
        for fragment in query.fragments:
            barred = frozenset[str]().union(
                *(exclude.get(table, frozenset()) for table in fragment.tables)
            )
            if any(able(s, fragment) for s in problem.stores if s.name not in barred):
                reachable.update(fragment.sources)
        missing = [source for source in query.sources if source not in reachable]
        if missing:
            yield (
                f"Query '{query.name}' reads {', '.join(missing)}, which no store that may hold "
                f"the table can run: exclude it from fewer stores, or leave the query out."
            )


def _free(store: Store, sizes: Iterable[int]) -> float:
    if store.capacity_bytes is None:
        return float("inf")
    return store.capacity_bytes - sum(sizes)


def _named(problem: PlacementProblem, tables: Iterable[str]) -> str:
    ordered = sorted(tables, key=lambda table: -problem.table_bytes[table])
    named = [f"{t} ({human_bytes(problem.table_bytes[t])})" for t in ordered[:NAMED_TABLES]]
    rest = len(ordered) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest else "")
