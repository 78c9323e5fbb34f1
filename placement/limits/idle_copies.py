"""Copies that no query reads, taken out of a placement where nothing else needs them."""

from collections.abc import Mapping

from placement.constraints.balance import Balance
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem


def without_idle_copies(
    problem: PlacementProblem,
    placement: Mapping[str, tuple[str, ...]],
    routing: Mapping[str, tuple[RoutedFragment, ...]],
) -> Mapping[str, tuple[str, ...]]:
    """Return the placement without the copies that `routing` does not read.

    Pinned copies stay, and so does the cheapest copy of a table that is in no store otherwise.
    Tables that belong together leave a store together. No limit is broken by it that was not.
    """
    read = {
        (table, routed.store)
        for fragments in routing.values()
        for routed in fragments
        for table in routed.fragment.tables
    }
    kept = {table: set(stores) for table, stores in placement.items()}
    balance = Balance()
    balanced = not list(balance.broken(problem, placement, routing))
    for group in groups(problem):
        for store in _dearest_first(problem, group, kept):
            if any((t, store) in read or store in _pinned(problem, t) for t in group):
                continue
            if any(kept[table] == {store} for table in group):
                continue
            without = {table: kept[table] - {store} for table in group}
            after = _sorted({**kept, **without})
            if not balanced or not list(balance.broken(problem, after, routing)):
                kept.update(without)
    return _sorted(kept)


def groups(problem: PlacementProblem) -> tuple[tuple[str, ...], ...]:
    """Return the tables in groups that belong together, in the problem's order."""
    group_of: dict[str, tuple[str, ...]] = {table: (table,) for table in problem.table_bytes}
    for tables in problem.constraints.together:
        joined = {other for table in tables for other in group_of[table]}
        merged = tuple(table for table in problem.table_bytes if table in joined)
        group_of.update(dict.fromkeys(merged, merged))
    return tuple(dict.fromkeys(group_of.values()))


def _pinned(problem: PlacementProblem, table: str) -> frozenset[str]:
    return problem.constraints.pin.get(table, frozenset())


def _dearest_first(
    problem: PlacementProblem, group: tuple[str, ...], kept: Mapping[str, set[str]]
) -> list[str]:
    """Return the stores that hold a table of the group; the last of equals goes first."""
    stores = [s for s in reversed(problem.stores) if any(s.name in kept[t] for t in group)]
    return [
        store.name
        for store in sorted(
            stores, key=lambda store: -sum(problem.copy_s(table, store) for table in group)
        )
    ]


def _sorted(kept: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {table: tuple(sorted(stores)) for table, stores in kept.items()}
