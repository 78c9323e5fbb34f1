"""The placement problem: everything a strategy may look at, and nothing else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from placement.costs import CostModel
from placement.fragment import Fragment, SharedFragment
from placement.machines import Machines
from placement.stores import Store
from workloads.access_graph import AccessGraph
from workloads.indexes import NamedIndex

Objective = Literal["work", "latency"]
"""The seconds of a query: the sum over its fragments, or those of the slowest store with
the engine's, as fragments in different stores run at the same time."""

LIMIT_TOLERANCE = 1e-6
"""By how much of itself a limit in seconds or money, or of a share, may be passed: these are real
numbers, which a solver keeps up to a tolerance. Bytes and counts are kept exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Constraints beside capacities. Moves are copies that do not exist yet.

    `pin`: a table → the stores that must hold it. `exclude`: a table → stores that must not.
    `max_copies`: the most stores a table may be in. `max_copy_bytes`: the most bytes of all
    copies beyond the first of each table. `together`: sets of tables that are in the same stores.
    `apart`: sets of tables of which no two share a store. `balance`: the most by which the bytes
    in a store may differ from the mean over all stores, as a share of that mean (0..1).
    `max_moves` and `max_move_bytes`: of copies that `PlacementProblem.current` lacks.
    `max_money`: of storage and transfer a month. `latency_s`: a query → the most seconds of one
    execution. `tags`: a name → the tables that it stands for, so that messages can use it.
    `max_index_bytes`: the most bytes of indexes that are chosen, in all stores.
    `unheld`: a table → stores that it is excluded from because they cannot hold it, and why.
    `hosted`: a table → stores that it is pinned to because statements which read it are passed
    through to them, and which statements.
    `staying`: a table → stores that it is pinned to because they have it by themselves, and why it
    stays there.
    """

    pin: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)
    max_copies: int = 1
    max_copy_bytes: int | None = None
    max_index_bytes: int | None = None
    together: tuple[frozenset[str], ...] = ()
    apart: tuple[frozenset[str], ...] = ()
    balance: float | None = None
    max_moves: int | None = None
    max_move_bytes: int | None = None
    max_money: float | None = None
    latency_s: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unheld: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    hosted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    staying: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryProblem:
    """One query of the problem: its weight, what must be covered and what may cover it.

    `shared` are fragments of `fragments` that are run as one.
    """

    name: str
    executions: float
    sources: tuple[str, ...]
    fragments: tuple[Fragment, ...]
    shared: tuple[SharedFragment, ...] = ()

    @property
    def offered(self) -> tuple[Fragment, ...]:
        """Return all that may cover its sources."""
        return self.fragments + self.shared


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementProblem:
    """Tables with sizes in bytes, stores, queries with their fragments, and how to price them.

    The order of tables, stores and queries is what is shown; plans do not depend on it (see
    `canonical_order`). `current` is the placement that there is, empty where nothing is loaded
    yet: then loading costs nothing. `current_indexes`: a store → the chosen indexes of its copies
    then. `horizon` is the number of the workload's periods in which a
    move has to pay for itself. `work_limit` bounds the search where that is not to depend
    on the machine's speed: the number of steps (see `Optimal`). None leaves it to `time_limit_s`,
    the seconds of a search, and to `ends`: when placing must be done, by `time.monotonic`.
    `candidates`: a store → the indexes that may be chosen for its copies; none where none are.
    `index_bytes` are their sizes: one of them in `Strength.indexes` is chosen, and one that it
    lacks is a store's own.
    `machines` are shared by stores and engine, None where that is not known, and `clients` is the
    number of those that ask at once: what the strategy `throughput` places for.
    """

    table_bytes: Mapping[str, int]
    stores: tuple[Store, ...]
    queries: tuple[QueryProblem, ...]
    constraints: Constraints
    costs: CostModel
    graph: AccessGraph
    current: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    current_indexes: Mapping[str, frozenset[NamedIndex]] = field(default_factory=dict)
    horizon: float = 1.0
    objective: Objective = "work"
    time_limit_s: float = 60.0
    ends: float = inf
    work_limit: int | None = None
    seed: int = 0
    candidates: Mapping[str, frozenset[NamedIndex]] = field(default_factory=dict)
    index_bytes: Mapping[NamedIndex, int] = field(default_factory=dict)
    machines: Machines | None = None
    clients: int = 4

    def copy_s(self, table: str, store: Store) -> float:
        """Return what a copy of `table` in `store` costs a period: upkeep, and its move.

        Its chosen indexes are a part of it.
        """
        size = self.table_bytes[table]
        seconds = self.costs.upkeep_s(size, self.graph.writes.get(table, 0.0), store)
        if self.is_move(table, store.name):
            seconds += self.costs.load_s(size, store) / self.horizon
        for index in self.chosen(table, store):
            seconds += self.index_s(index, store)
        return seconds

    def index_s(self, index: NamedIndex, store: Store) -> float:
        """Return what a chosen index costs a period: its upkeep, and that it has to be made.

        Where there is a placement already, those that its copies have are not made again.
        """
        size, writes = self.index_bytes[index], self.graph.writes.get(index.table, 0.0)
        seconds = self.costs.index_upkeep_s(size, writes, store)
        if self.is_new(index, store.name):
            seconds += self.costs.load_s(size, store) / self.horizon
        return seconds

    def chosen(self, table: str, store: Store) -> tuple[NamedIndex, ...]:
        """Return the indexes that are chosen for a copy of `table` in `store`, in order."""
        found = (each for each in store.strength.indexes if each.table == table)
        return tuple(sorted(each for each in found if each in self.index_bytes))

    def held_bytes(self, table: str, store: Store) -> int:
        """Return the bytes of a copy of `table` in `store` with its chosen indexes."""
        chosen = self.chosen(table, store)
        return self.table_bytes[table] + sum(self.index_bytes[each] for each in chosen)

    def with_indexes(self, indexes: Mapping[str, Collection[NamedIndex]]) -> "PlacementProblem":
        """Return the problem in which just these indexes are chosen, by store, and no others.

        Those that the problem does not know are left out. What stores have of their own stays.
        """
        if not self.index_bytes:
            return self
        stores = []
        for store in self.stores:
            own = store.strength.indexes - self.index_bytes.keys()
            known = self.index_bytes.keys() & set(indexes.get(store.name, ()))
            strength = replace(store.strength, indexes=own | known)
            stores.append(replace(store, strength=strength))
        return replace(self, stores=tuple(stores), candidates={})

    def indexes_of(
        self, placement: Mapping[str, tuple[str, ...]]
    ) -> Mapping[str, tuple[NamedIndex, ...]]:
        """Return store → the chosen indexes of the copies of a placement, in order."""
        found = {
            store.name: tuple(
                index
                for table, held in placement.items()
                if store.name in held
                for index in self.chosen(table, store)
            )
            for store in self.stores
        }
        return {store: tuple(sorted(indexes)) for store, indexes in found.items() if indexes}

    def is_move(self, table: str, store: str) -> bool:
        """Whether a copy of `table` in `store` would be new to the current placement."""
        return bool(self.current) and store not in self.current.get(table, ())

    def is_new(self, index: NamedIndex, store: str) -> bool:
        """Whether a chosen index in `store` would be new to the current placement."""
        return bool(self.current) and index not in self.current_indexes.get(store, ())

    def store(self, name: str) -> Store:
        """Return the store called `name`; KeyError where there is none."""
        for store in self.stores:
            if store.name == name:
                return store
        raise KeyError(name)

    def query(self, name: str) -> QueryProblem:
        """Return the query called `name`; KeyError where there is none."""
        for query in self.queries:
            if query.name == name:
                return query
        raise KeyError(name)
