"""The hard limits that a plan breaks: one function and one sentence each, without a solver."""

from collections.abc import Callable, Iterator, Mapping

from placement.limits.budgets import Routing, over_budget, over_ceilings
from placement.problem import LIMIT_TOLERANCE, PlacementProblem
from placement.sizes import human_bytes

Placement = Mapping[str, tuple[str, ...]]
NAMED_TABLES = 3


def names(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """Every table is in a store, and all tables and stores are known."""
    known = {store.name for store in problem.stores}
    for table in problem.table_bytes:
        if not placement.get(table):
            yield f"Table '{table}' is in no store: place it in one of {', '.join(sorted(known))}."
    for table, stores in placement.items():
        if table not in problem.table_bytes:
            yield f"Table '{table}' is placed and is none of the problem's tables."
        for store in stores:
            if store not in known:
                yield (
                    f"Table '{table}' is placed in store '{store}', which is none of "
                    f"{', '.join(sorted(known))}."
                )
        if list(stores) != sorted(set(stores)):
            yield f"Table '{table}' lists its stores unsorted or twice: {', '.join(stores)}."


def pins(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """A pinned table is in the stores that must hold it."""
    for table, stores in problem.constraints.pin.items():
        for store in sorted(stores.difference(placement.get(table, ()))):
            yield (
                f"Table '{table}' is not in store '{store}', to which it is pinned: "
                f"place it there, or take it out of [constraints].pin."
            )


def exclusions(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """An excluded table is in none of the stores that must not hold it."""
    for table, stores in problem.constraints.exclude.items():
        unheld = problem.constraints.unheld.get(table, {})
        for store in sorted(stores.intersection(placement.get(table, ()))):
            yield (
                f"Table '{table}' is in store '{store}', which cannot hold it: {unheld[store]}."
                if store in unheld
                else f"Table '{table}' is in store '{store}', from which it is excluded: "
                f"move it, or take it out of [constraints].exclude."
            )


def copies(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """A table is in no more stores than allowed."""
    most = problem.constraints.max_copies
    for table, stores in placement.items():
        if len(stores) > most:
            yield (
                f"Table '{table}' is in {len(stores)} stores ({', '.join(stores)}), more than the "
                f"{most} allowed: drop a copy, or raise [place].max_copies."
            )


def capacities(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """The tables in a store fit its capacity."""
    for store in problem.stores:
        tables = [t for t in problem.table_bytes if store.name in placement.get(t, ())]
        held = sum(problem.table_bytes[table] for table in tables)
        if store.capacity_bytes is None or held <= store.capacity_bytes:
            continue
        pin = problem.constraints.pin
        free = [t for t in tables if store.name not in pin.get(t, frozenset())]
        largest = sorted(free or tables, key=lambda table: -problem.table_bytes[table])
        move = ", ".join(largest[:NAMED_TABLES])
        over = human_bytes(held - store.capacity_bytes)
        yield (
            f"Store '{store.name}' would hold {human_bytes(held)}, {over} over its capacity of "
            f"{human_bytes(store.capacity_bytes)}: raise [stores.{store.name}].capacity, or let "
            f"{'one of ' if len(largest) > 1 else ''}{move} move."
        )


def together(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """Tables that belong together are in the same stores."""
    for tables in problem.constraints.together:
        first, *others = _ordered(problem, tables)
        for other in others:
            here, there = placement.get(first, ()), placement.get(other, ())
            if set(here) != set(there):
                yield (
                    f"Tables '{first}' and '{other}' belong together, and are in "
                    f"{', '.join(here) or 'none'} and in {', '.join(there) or 'none'}: place both "
                    f"in the same stores, or take one out of [constraints].together."
                )


def apart(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """Of tables that belong apart no two share a store."""
    for tables in problem.constraints.apart:
        for store in problem.stores:
            inside = [t for t in _ordered(problem, tables) if store.name in placement.get(t, ())]
            if len(inside) > 1:
                yield (
                    f"Tables {', '.join(inside)} belong apart, and are all in store "
                    f"'{store.name}': let all but one move, or take some out of "
                    f"[constraints].apart."
                )


def balance(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """The bytes in a store differ from the mean over all stores by no more than allowed."""
    most = problem.constraints.balance
    held = _held(problem, placement)
    total = sum(held.values())
    if most is None or not total:
        return
    mean = total / len(held)
    for store, size in held.items():
        share = abs(size - mean) / mean
        if share > most + LIMIT_TOLERANCE:
            side = "above" if size > mean else "below"
            yield (
                f"Store '{store}' would hold {human_bytes(size)}, {share:.1%} {side} the mean of "
                f"{human_bytes(mean)}, more than the {most:.1%} allowed: raise "
                f"[constraints].balance, or let tables move {'out of' if size > mean else 'to'} it."
            )


def copy_bytes(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """The copies beyond the first of each table fit their budget in bytes."""
    most = problem.constraints.max_copy_bytes
    extra = sum(
        size * max(0, len(placement.get(table, ())) - 1)
        for table, size in problem.table_bytes.items()
    )
    if most is not None and extra > most:
        yield (
            f"The copies beyond the first of each table have {human_bytes(extra)}, "
            f"{human_bytes(extra - most)} over the {human_bytes(most)} allowed: drop copies, or "
            f"raise [constraints].max_copy_bytes."
        )


def moves(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """No more copies than allowed are new to the current placement."""
    most = problem.constraints.max_moves
    moved = _moves(problem, placement)
    if most is not None and len(moved) > most:
        counted = "1 copy is" if len(moved) == 1 else f"{len(moved)} copies are"
        yield (
            f"{counted} new to the current placement "
            f"({_some([f'{table} in {store}' for table, store in moved])}), more than the {most} "
            f"allowed: leave some where they are, or raise [constraints].max_moves."
        )


def move_bytes(problem: PlacementProblem, placement: Placement) -> Iterator[str]:
    """The copies that are new to the current placement fit their budget in bytes."""
    most = problem.constraints.max_move_bytes
    moved = sum(problem.table_bytes[table] for table, _ in _moves(problem, placement))
    if most is not None and moved > most:
        yield (
            f"The copies that are new to the current placement have {human_bytes(moved)}, "
            f"{human_bytes(moved - most)} over the {human_bytes(most)} allowed: leave some where "
            f"they are, or raise [constraints].max_move_bytes."
        )


PLACEMENT_LIMITS: tuple[Callable[[PlacementProblem, Placement], Iterator[str]], ...] = (
    names,
    pins,
    exclusions,
    copies,
    capacities,
    together,
    apart,
    balance,
    copy_bytes,
    moves,
    move_bytes,
)


def limits(
    problem: PlacementProblem,
    placement: Placement,
    routing: Routing | None = None,
) -> tuple[str, ...]:
    """Return, in sentences, the hard limits that a placement and its routing break.

    Without a routing there are no seconds of queries, and money is that of storage alone.
    """
    return (
        *(sentence for limit in PLACEMENT_LIMITS for sentence in limit(problem, placement)),
        *over_budget(problem, placement, routing or {}),
        *over_ceilings(problem, routing or {}),
    )


def _ordered(problem: PlacementProblem, tables: frozenset[str]) -> list[str]:
    return [table for table in problem.table_bytes if table in tables]


def _held(problem: PlacementProblem, placement: Placement) -> dict[str, int]:
    """Return store → bytes of the tables in it."""
    sizes = problem.table_bytes.items()
    return {
        store.name: sum(size for table, size in sizes if store.name in placement.get(table, ()))
        for store in problem.stores
    }


def _moves(problem: PlacementProblem, placement: Placement) -> list[tuple[str, str]]:
    """Return the (table, store) that the current placement lacks."""
    return [
        (table, store)
        for table in problem.table_bytes
        for store in placement.get(table, ())
        if problem.is_move(table, store)
    ]


def _some(words: list[str]) -> str:
    rest = len(words) - NAMED_TABLES
    return ", ".join(words[:NAMED_TABLES]) + (f" and {rest} more" if rest > 0 else "")
