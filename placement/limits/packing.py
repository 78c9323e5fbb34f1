"""A placement in the making: what each store holds so far, and which one is the emptiest."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from placement.limits.idle_copies import groups
from placement.problem import PlacementProblem
from placement.stores import Store


@dataclass(slots=True, kw_only=True)
class Packing:
    """Tables put into stores one after the other, pinned ones first.

    Tables that belong together are put as one, and no table goes to a store that it is excluded
    from, or that holds a table it belongs apart from, as long as there is another store.
    Fill is relative: bytes held over capacity; a store without one counts as large as all tables.
    """

    problem: PlacementProblem
    held_bytes: dict[str, int] = field(default_factory=dict)
    stores_of: dict[str, list[str]] = field(default_factory=dict)
    group_of: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.held_bytes = {store.name: 0 for store in self.problem.stores}
        self.group_of = {table: group for group in groups(self.problem) for table in group}
        pin = self.problem.constraints.pin
        for table, group in self.group_of.items():
            for store in self.problem.stores:
                if any(store.name in pin.get(other, frozenset()) for other in group):
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

    def takes(self, store: str, tables: Collection[str]) -> bool:
        """Return whether all of `tables` may go to the store and fit in."""
        return any(
            each.name == store and self._fits(each, tables) for each in self._allowed(tables)
        )

    def put_into(self, store: str, tables: Iterable[str]) -> None:
        """Put tables that are in no store yet into this one, as far as they fit in."""
        for group in self._waiting(tables):
            if self.takes(store, group):
                self._put_all(group, store)

    def put_by_size(self, tables: Iterable[str]) -> None:
        """Put tables that are in no store yet into the emptiest one, the largest first.

        What fits nowhere goes where it makes the lowest fill, over capacity.
        """
        for group in self._waiting(tables):
            store = self.emptiest(group)
            self._put_all(group, store if store is not None else self._least_overfull(group))

    def put_together(self, tables: Iterable[str]) -> None:
        """Put tables that are in no store yet into one: the emptiest that they all fit in.

        Where they fit in none, the emptiest store takes what it can, the largest first, and the
        rest goes by size.
        """
        waiting = self._waiting(tables)
        if not waiting:
            return
        ordered = [table for group in waiting for table in group]
        name = self.emptiest(ordered) or self.emptiest(waiting[0])
        if name is not None:
            self.put_into(name, ordered)
        self.put_by_size(ordered)

    def _waiting(self, tables: Iterable[str]) -> list[tuple[str, ...]]:
        """Return what is in no store yet, in groups that belong together, the largest first."""
        waiting = dict.fromkeys(
            tuple(other for other in self.group_of[table] if other not in self.stores_of)
            for table in tables
            if table not in self.stores_of
        )
        return sorted(waiting, key=lambda group: -self._size_of(group))

    def _put_all(self, tables: Iterable[str], store: str) -> None:
        for table in tables:
            self.put(table, store)

    def _size_of(self, tables: Iterable[str]) -> int:
        return sum(self.problem.table_bytes[table] for table in tables)

    def _allowed(self, tables: Collection[str]) -> list[Store]:
        exclude = self.problem.constraints.exclude
        return [
            store
            for store in self.problem.stores
            if not any(store.name in exclude.get(table, frozenset()) for table in tables)
            and not self._crowded(store, tables)
        ]

    def _crowded(self, store: Store, tables: Collection[str]) -> bool:
        """Whether `tables` would be in the store with one that they belong apart from."""
        for apart in self.problem.constraints.apart:
            coming = [table for table in tables if table in apart]
            there = [t for t in apart if store.name in self.stores_of.get(t, ())]
            if coming and len(set(coming).union(there)) > 1:
                return True
        return False

    def _fits(self, store: Store, tables: Collection[str]) -> bool:
        return self._free(store) >= self._size_of(tables)

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

    def _least_overfull(self, tables: Collection[str]) -> str:
        stores = self._allowed(tables) or list(self.problem.stores)
        size = self._size_of(tables)
        return min(
            stores,
            key=lambda store: (self.held_bytes[store.name] + size) / max(1, self._size(store)),
        ).name
