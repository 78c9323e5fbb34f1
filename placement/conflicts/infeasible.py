"""Why no placement fits: a smallest set of limits that conflict, and the ways out."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from math import inf

from placement.conflicts.conflicts import Conflict, least_excess, smallest_conflict
from placement.conflicts.limit_names import names
from placement.constraints import OF_KIND
from placement.constraints.capacity import Capacity
from placement.constraints.constraint import Bounded
from placement.constraints.exclusions import Exclusions
from placement.constraints.max_copies import MaxCopies
from placement.constraints.pins import Pins
from placement.constraints.queries import Queries
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.programs.variables import Limit
from placement.sizes import human_bytes
from placement.time_limit import OutOfTimeError, left_s

MOST_S, LEAST_S = 10.0, 1.0
"""Seconds that the search for a conflict may take, of what is left of the problem's time."""
NAMED_TABLES = 5


def reason(problem: PlacementProblem) -> str:
    """Say which limits of an infeasible problem conflict, and by how much to raise which."""
    most_s = inf if problem.work_limit is not None else _most_s(left_s(problem))
    ends = time.monotonic() + most_s
    known = min(evident(problem), key=len, default=())
    try:
        conflict = smallest_conflict(problem, ends, known)
    except OutOfTimeError:
        conflict = Conflict(limits=known, fewest=())
    if not conflict.limits:
        return (
            "No placement respects the stores' capacities and [constraints] together, and which "
            f"of them conflict was not found out within {_bound(problem, most_s)}, "
            "raise capacities, or constrain less."
        )
    sentence = _special(problem, conflict.limits) or _general(problem, conflict, ends)
    if len(conflict.fewest) > 1:
        sentence += (
            f" There are other conflicts: relaxing {names(problem, conflict.fewest)} is the least "
            f"that makes a placement possible."
        )
    return sentence


def _most_s(left: float) -> float:
    return min(MOST_S, max(LEAST_S, left))


def _bound(problem: PlacementProblem, most_s: float) -> str:
    """Write what bounded the search, and what to raise."""
    if problem.work_limit is not None:
        return f"{problem.work_limit} steps: raise [place].work_limit"
    return f"{most_s:.3g} s: raise [place].time_limit_s"


def evident(problem: PlacementProblem) -> Iterator[tuple[Limit, ...]]:
    """Yield conflicts that show without solving: of pins, and of bytes against capacities."""
    constraints = problem.constraints
    for table, stores in constraints.pin.items():
        pins = [Pins.limit(table, store) for store in sorted(stores)]
        for pin in pins:
            if pin.subject[1] in constraints.exclude.get(table, frozenset()):
                yield (pin, Exclusions.limit(*pin.subject))
        if len(stores) > constraints.max_copies:
            yield (*pins[: constraints.max_copies + 1], MaxCopies.limit())
    for table, size in problem.table_bytes.items():
        barred = constraints.exclude.get(table, frozenset())
        if all(s.name in barred or _over(s.capacity_bytes, size) for s in problem.stores):
            yield tuple(
                Exclusions.limit(table, store.name)
                if store.name in barred
                else Capacity.limit(store.name)
                for store in problem.stores
            )
    capacities = [store.capacity_bytes for store in problem.stores]
    room = sum(each or 0 for each in capacities)
    if None not in capacities and sum(problem.table_bytes.values()) > room:
        yield tuple(Capacity.limit(s.name) for s in problem.stores)
    yield from _overfull(problem)


def _overfull(problem: PlacementProblem) -> Iterator[tuple[Limit, ...]]:
    """Yield the fewest pins that fill a store beyond its capacity, with that."""
    for store in problem.stores:
        pin = problem.constraints.pin
        pinned = [t for t in problem.table_bytes if store.name in pin.get(t, frozenset())]
        held = 0
        taken: list[Limit] = []
        for table in sorted(pinned, key=lambda table: -problem.table_bytes[table]):
            held += problem.table_bytes[table]
            taken.append(Pins.limit(table, store.name))
            if _over(store.capacity_bytes, held):
                yield (Capacity.limit(store.name), *taken)
                break


def _over(capacity_bytes: int | None, size_bytes: int) -> bool:
    return capacity_bytes is not None and size_bytes > capacity_bytes


def _special(problem: PlacementProblem, limits: Sequence[Limit]) -> str | None:
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
        f"{_named(problem, pinned)}. Raise [stores.{store.name}].capacity, or pin less."
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
        f"place less; the largest tables are {_named(problem, problem.table_bytes)}."
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


def _general(problem: PlacementProblem, conflict: Conflict, ends: float) -> str:
    """Name the limits, those that raising helps with the value that is enough."""
    limits = conflict.limits
    ways = [
        way for limit in limits if (way := _way_out(problem, limit, conflict, ends)) is not None
    ]
    if any(not isinstance(OF_KIND[limit.kind], Bounded) for limit in limits):
        ways.append("take one of the others out" if ways else "take one of them out")
    otherwise = "relax one of them" if len(limits) > 1 else "raise it"
    sentence = f"No placement respects {names(problem, limits)}"
    sentence += " together" if len(limits) > 1 else ""
    if any(limit.kind == Capacity.kind for limit in limits):
        sentence += f" (the largest tables are {_named(problem, problem.table_bytes)})"
    return f"{sentence}: {', or '.join(ways) or otherwise}."


def _way_out(
    problem: PlacementProblem, limit: Limit, conflict: Conflict, ends: float
) -> str | None:
    """Say what to raise a limit to, with all others kept; None where that helps nothing.

    Where there are other conflicts, the others are those of this conflict alone.
    """
    constraint = OF_KIND[limit.kind]
    if not isinstance(constraint, Bounded):
        return None
    hard: Collection[Limit] | None = None
    if len(conflict.fewest) != 1:
        hard = [each for each in conflict.limits if each != limit]
    try:
        excess = least_excess(problem, limit, hard, ends)
    except OutOfTimeError:
        return None
    return None if excess is None else constraint.raised(problem, limit, excess)


def _named(problem: PlacementProblem, tables: Iterable[str]) -> str:
    ordered = sorted(tables, key=lambda table: -problem.table_bytes[table])
    named = [f"{t} ({human_bytes(problem.table_bytes[t])})" for t in ordered[:NAMED_TABLES]]
    rest = len(ordered) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest else "")
