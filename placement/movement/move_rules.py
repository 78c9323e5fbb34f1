"""Rules for one move of a migration, with tables and stores as numbers.

A state holds for each table the stores that have a verified copy of it, as bits.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from placement.movement.copy_indexes import CopyIndexes, Placement, total_bytes
from placement.pricing import able
from placement.problem import PlacementProblem

State = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A copy of table `table` enters store `store`, or leaves it."""

    table: int
    store: int
    enters: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRules:
    """From which state to which, and the moves that are allowed on the way.

    `size_bytes` a table and store: a copy there with the chosen indexes that it has while tables
    move.
    `capacity_bytes` a store. By table, as bits of stores: `admitted`, into
    which it may be copied; `pinned`, which it never leaves; `reading`, of which one has to hold
    it, since the others cannot read all that queries read of it. `apart`: by table, those that
    may not come into its store.
    """

    start: State
    goal: State
    size_bytes: tuple[tuple[int, ...], ...]
    capacity_bytes: tuple[int | None, ...]
    admitted: tuple[int, ...]
    pinned: tuple[int, ...]
    reading: tuple[int, ...]
    apart: tuple[tuple[int, ...], ...]

    def held_bytes(self, state: State) -> list[int]:
        """Return the bytes in each store."""
        held = [0] * len(self.capacity_bytes)
        for table, stores in enumerate(state):
            for store in bits(stores):
                held[store] += self.size_bytes[table][store]
        return held

    def missing_bytes(self, state: State) -> int:
        """Return the bytes of the goal's copies that are not there: what is copied at least."""
        return sum(
            self.size_bytes[table][store]
            for table, stores in enumerate(state)
            for store in bits(self.goal[table] & ~stores)
        )

    def over_bytes(self, store: int, held_bytes: int) -> int:
        """Return by how much a store that holds so many bytes is over its capacity."""
        capacity = self.capacity_bytes[store]
        return 0 if capacity is None else max(0, held_bytes - capacity)

    def may_enter(self, state: State, table: int, store: int) -> bool:
        """Whether a new copy is allowed there, room apart."""
        bit = 1 << store
        return bool(
            self.admitted[table] & bit
            and not state[table] & bit
            and not any(state[other] & bit for other in self.apart[table])
        )

    def may_leave(self, state: State, table: int, store: int) -> bool:
        """Whether the copy may be dropped: one that can be read stays, and pins are kept."""
        bit = 1 << store
        left = state[table] & ~bit
        return bool(state[table] & bit and not self.pinned[table] & bit) and bool(
            left & self.reading[table]
        )

    def with_more_room(self, store: int, room_bytes: int) -> "MoveRules":
        """Return the same rules with a larger capacity of `store`."""
        capacities = list(self.capacity_bytes)
        capacities[store] = None if (old := capacities[store]) is None else old + room_bytes
        return replace(self, capacity_bytes=tuple(capacities))


def move_rules(
    problem: PlacementProblem, start: Placement, goal: Placement, indexes: CopyIndexes
) -> MoveRules:
    """Return the rules for going from `start` to `goal`.

    Exclusions, pins and tables that are to be apart hold at every step. What says where a
    placement comes to rest (the number and bytes of copies, together, balance, moves, money,
    latency) does not: a table that moves is in two stores for a while.
    """
    names = [store.name for store in problem.stores]
    tables = list(problem.table_bytes)
    constraints = problem.constraints
    everywhere = (1 << len(names)) - 1

    def mask(stores: Collection[str]) -> int:
        return sum(1 << number for number, name in enumerate(names) if name in stores)

    def others(table: str) -> tuple[int, ...]:
        apart = {other for group in constraints.apart if table in group for other in group}
        return tuple(i for i, other in enumerate(tables) if other in apart and other != table)

    def sizes(table: str) -> tuple[int, ...]:
        size = problem.table_bytes[table]
        return tuple(size + total_bytes(problem, indexes.moving((table, store))) for store in names)

    reading = _reading(problem)
    return MoveRules(
        start=tuple(mask(start[table]) for table in tables),
        goal=tuple(mask(goal[table]) for table in tables),
        size_bytes=tuple(map(sizes, tables)),
        capacity_bytes=tuple(store.capacity_bytes for store in problem.stores),
        admitted=tuple(everywhere & ~mask(constraints.exclude.get(t, ())) for t in tables),
        pinned=tuple(mask(constraints.pin.get(t, ())) for t in tables),
        reading=tuple(mask(reading[table]) for table in tables),
        apart=tuple(others(table) for table in tables),
    )


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the ones, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _reading(problem: PlacementProblem) -> dict[str, set[str]]:
    """Return table → the stores from which alone every source of it can be read."""
    reading = {table: {store.name for store in problem.stores} for table in problem.table_bytes}
    for query in problem.queries:
        for fragment in query.fragments:
            if len(fragment.sources) == 1 and len(fragment.tables) == 1:
                (table,) = fragment.tables
                source = fragment.sources[0]
                # A larger fragment may be able to read what a scan alone is not.
                covering = [f for f in query.fragments if source in f.sources]
                reading[table] &= {
                    store.name
                    for store in problem.stores
                    if any(able(store, each) for each in covering)
                }
    return reading
