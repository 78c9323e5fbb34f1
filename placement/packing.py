"""A placement in the making: what each store holds so far, and which one is the emptiest."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from placement.problem import PlacementProblem
from placement.stores import Store


@dataclass(slots=True, kw_only=True)
class Packing:
    """Tables put into stores one after the other, pinned ones first.

    Fill is relative: bytes held over capacity; a store without one counts as large as all tables.
    """

    problem: PlacementProblem
    held_bytes: dict[str, int] = field(default_factory=dict)
    stores_of: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.held_bytes = {store.name: 0 for store in self.problem.stores}
        for table in self.problem.table_bytes:
            for store in self.problem.stores:
                if store.name in self.problem.constraints.pin.get(table, frozenset()):
                    self.put(table, store.name)

    @property
    def placement(self) -> dict[str, tuple[str, ...]]:
        """Return table → stores, sorted, for the tables put so far, in the problem's order."""
        return {
            table: tuple(sorted(self.stores_of[table]))
            for table in self.problem.table_bytes
            if table in self.stores_of
        }

    def put(self, table: str, store: str) -> None:
        """Put a copy of `table` into `store`, whether it fits or not."""
        self.stores_of.setdefault(table, []).append(store)
        self.held_bytes[store] += self.problem.table_bytes[table]

    def emptiest(self, tables: Collection[str]) -> str | None:
        """Return the store with the lowest fill that all of `tables` may go to and fit in."""
        allowed = [store for store in self._allowed(tables) if self._fits(store, tables)]
        if not allowed:
            return None
        return min(allowed, key=lambda store: (self._fill(store), -self._free(store))).name

    def put_by_size(self, tables: Iterable[str]) -> None:
        """Put tables that are in no store yet into the emptiest one, the largest first.

        A table that fits nowhere goes where it makes the lowest fill, over capacity.
        """
        waiting = [table for table in tables if table not in self.stores_of]
        for table in sorted(waiting, key=self._largest_first):
            store = self.emptiest((table,))
            self.put(table, store if store is not None else self._least_overfull(table))

    def put_together(self, tables: Iterable[str]) -> None:
        """Put tables that are in no store yet into one: the emptiest that they all fit in.

        Where they fit in none, the emptiest store takes what it can, the largest first, and the
        rest goes by size.
        """
        waiting = [table for table in tables if table not in self.stores_of]
        if not waiting:
            return
        ordered = sorted(waiting, key=self._largest_first)
        name = self.emptiest(ordered) or self.emptiest(ordered[:1])
        for table in ordered:
            if any(s.name == name and self._fits(s, (table,)) for s in self._allowed((table,))):
                self.put(table, str(name))
        self.put_by_size(ordered)

    def _largest_first(self, table: str) -> int:
        return -self.problem.table_bytes[table]

    def _allowed(self, tables: Collection[str]) -> list[Store]:
        exclude = self.problem.constraints.exclude
        return [
            store
            for store in self.problem.stores
            if not any(store.name in exclude.get(table, frozenset()) for table in tables)
        ]

    def _fits(self, store: Store, tables: Collection[str]) -> bool:
        return self._free(store) >= sum(self.problem.table_bytes[table] for table in tables)

    def _size(self, store: Store) -> int:
        if store.capacity_bytes is not None:
            return store.capacity_bytes
        return sum(self.problem.table_bytes.values())

    def _free(self, store: Store) -> float:
        if store.capacity_bytes is None:
            return float("inf")
        return store.capacity_bytes - self.held_bytes[store.name]

    def _fill(self, store: Store) -> float:
        return self.held_bytes[store.name] / max(1, self._size(store))

    def _least_overfull(self, table: str) -> str:
        stores = self._allowed((table,)) or list(self.problem.stores)
        size = self.problem.table_bytes[table]
        return min(
            stores,
            key=lambda store: (self.held_bytes[store.name] + size) / max(1, self._size(store)),
        ).name
