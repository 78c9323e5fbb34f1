"""Conflicts of limits that have a sentence of their own, by the kinds of limits in them."""

from collections.abc import Callable, Iterable, Sequence

from placement.constraints.capacity import Capacity
from placement.constraints.exclusions import Exclusions
from placement.constraints.max_copies import MaxCopies
from placement.constraints.pins import Pins
from placement.constraints.queries import Queries
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.programs.variables import Limit
from placement.sizes import human_bytes

NAMED_TABLES = 5


def special(problem: PlacementProblem, limits: Sequence[Limit]) -> str | None:
    """Return a sentence of its own for a conflict that has one."""
    kinds = {limit.kind for limit in limits}
    for found, sentence in SENTENCES:
        if kinds == found:
            return sentence(problem, limits)
    return None


def _pinned_and_excluded(_: PlacementProblem, limits: Sequence[Limit]) -> str | None:
    if len({limit.subject for limit in limits}) > 1:
        return None
    table, store = limits[0].subject
    return (
        f"Table '{table}' is both pinned to and excluded from store '{store}': "
        f"take it out of [constraints].pin or of [constraints].exclude."
    )


def _excluded(problem: PlacementProblem, limits: Sequence[Limit]) -> str:
    table = limits[0].subject[0]
    unheld = problem.constraints.unheld.get(table, {})
    why = "".join(f" Store '{store}' cannot hold it: {unheld[store]}." for store in sorted(unheld))
    if unheld.keys() >= {limit.subject[1] for limit in limits}:
        return f"Table '{table}' can be in no store.{why}"
    return (
        f"Table '{table}' is excluded from every store: "
        f"take one out of [constraints].exclude, or add one to [constraints].only.{why}"
    )


def _unreachable(problem: PlacementProblem, limits: Sequence[Limit]) -> str | None:
    """Say which sources of a query nothing can read where their tables may be."""
    queries = [limit.subject[0] for limit in limits if limit.kind == Queries.kind]
    if len(queries) > 1:
        return None
    query = problem.query(queries[0])
    exclude = problem.constraints.exclude
    reachable: set[str] = set()
    for fragment in query.fragments:
        barred = frozenset[str]().union(*(exclude.get(t, frozenset()) for t in fragment.tables))
        if any(able(s, fragment) for s in problem.stores if s.name not in barred):
            reachable.update(fragment.sources)
    missing = [source for source in query.sources if source not in reachable]
    if not missing:
        return None
    return (
        f"Query '{query.name}' reads {', '.join(missing)}, which no store that may hold "
        f"the table can run: exclude it from fewer stores, or leave the query out."
    )


def _pinned_too_often(problem: PlacementProblem, limits: Sequence[Limit]) -> str | None:
    tables = {limit.subject[0] for limit in limits if limit.kind == Pins.kind}
    if len(tables) > 1:
        return None
    (table,) = tables
    stores = sorted(problem.constraints.pin[table])
    return (
        f"Table '{table}' is pinned to {len(stores)} stores ({', '.join(stores)}), more than the "
        f"{problem.constraints.max_copies} that a table may be in: raise [place].max_copies."
    )


def _overfull_pins(problem: PlacementProblem, limits: Sequence[Limit]) -> str | None:
    """Say by how much the tables pinned to a store are over its capacity."""
    stores = {limit.subject[-1] for limit in limits}
    if len(stores) > 1:
        return None
    store = problem.store(stores.pop())
    pin = problem.constraints.pin
    pinned = [table for table in problem.table_bytes if store.name in pin.get(table, frozenset())]
    capacity = store.capacity_bytes or 0
    over = sum(problem.table_bytes[table] for table in pinned) - capacity
    if over <= 0:
        return None
    return (
        f"The tables pinned to store '{store.name}' are {human_bytes(over)} over its "
        f"capacity of {human_bytes(capacity)}: "
        f"{named(problem, pinned)}. Raise [stores.{store.name}].capacity, or pin less."
    )


def _too_large(problem: PlacementProblem, limits: Sequence[Limit]) -> str | None:
    """Say which table no store that may hold it has room for, or that all are too many bytes."""
    barred = {limit.subject[0] for limit in limits if limit.kind == Exclusions.kind}
    stores = [problem.store(limit.subject[0]) for limit in limits if limit.kind == Capacity.kind]
    largest = max(stores, key=lambda store: store.capacity_bytes or 0)
    capacity = largest.capacity_bytes or 0
    table = max(barred or problem.table_bytes, key=lambda table: problem.table_bytes[table])
    size = problem.table_bytes[table]
    if len(barred) <= 1 and len(limits) == len(problem.stores) and size > capacity:
        return (
            f"Table '{table}' has {human_bytes(size)}, {human_bytes(size - capacity)} over "
            f"the capacity of {human_bytes(capacity)} of '{largest.name}', the largest store "
            f"that it may be in: raise [stores.{largest.name}].capacity."
        )
    total = sum(problem.table_bytes.values())
    room = sum(store.capacity_bytes or 0 for store in stores)
    if barred or total <= room:
        return None
    return (
        f"The tables have {human_bytes(total)}, {human_bytes(total - room)} over the "
        f"capacity of {human_bytes(room)} of all stores together: raise "
        f"{' or '.join(f'[stores.{store.name}].capacity' for store in stores)}, or "
        f"place less; the largest tables are {named(problem, problem.table_bytes)}."
    )


SENTENCES: tuple[
    tuple[frozenset[str], Callable[[PlacementProblem, Sequence[Limit]], str | None]], ...
] = (
    (frozenset({Queries.kind}), _unreachable),
    (frozenset({Queries.kind, Exclusions.kind}), _unreachable),
    (frozenset({Pins.kind, Exclusions.kind}), _pinned_and_excluded),
    (frozenset({Pins.kind, MaxCopies.kind}), _pinned_too_often),
    (frozenset({Exclusions.kind}), _excluded),
    (frozenset({Capacity.kind, Pins.kind}), _overfull_pins),
    (frozenset({Capacity.kind}), _too_large),
    (frozenset({Capacity.kind, Exclusions.kind}), _too_large),
)
"""Kinds of all limits of a conflict → what it says; None where it is another conflict of these."""


def named(problem: PlacementProblem, tables: Iterable[str]) -> str:
    """Return tables with their sizes, the largest first."""
    ordered = sorted(tables, key=lambda table: -problem.table_bytes[table])
    shown = [f"{t} ({human_bytes(problem.table_bytes[t])})" for t in ordered[:NAMED_TABLES]]
    rest = len(ordered) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
