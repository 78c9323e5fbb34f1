"""Why no placement fits: a smallest set of limits that conflict, and the ways out."""

import time
from collections.abc import Collection, Iterator
from math import inf

from placement.conflicts.conflicts import Conflict, least_excess, smallest_conflict
from placement.conflicts.known_conflicts import named, special
from placement.conflicts.limit_names import names
from placement.constraints import OF_KIND
from placement.constraints.capacity import Capacity
from placement.constraints.constraint import Bounded
from placement.constraints.exclusions import Exclusions
from placement.constraints.max_copies import MaxCopies
from placement.constraints.pins import Pins
from placement.problem import PlacementProblem
from placement.programs.variables import Limit
from placement.time_limit import OutOfTimeError, left_s

MOST_S, LEAST_S = 10.0, 1.0
"""Seconds that the search for a conflict may take, of what is left of the problem's time."""


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
    sentence = special(problem, conflict.limits) or _general(problem, conflict, ends)
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
        sentence += f" (the largest tables are {named(problem, problem.table_bytes)})"
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
