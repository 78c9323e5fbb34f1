"""The placement problem: everything a strategy may look at, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from placement.costs import CostModel
from placement.fragment import Fragment, SharedFragment
from placement.machines import Machines
from placement.stores import Store
from workloads.access_graph import AccessGraph

Objective = Literal["work", "latency"]
"""What a query's seconds are: the sum over its fragments, or those of the slowest store with
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
    yet: then loading costs nothing. `horizon` is the number of the workload's periods in which a
    move has to pay for itself. `work_limit` bounds the search where that is not to depend
    on the machine's speed: the number of steps (see `Optimal`). None leaves it to `time_limit_s`,
    the seconds of a search, and to `ends`: when placing must be done, by `time.monotonic`.
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
    horizon: float = 1.0
    objective: Objective = "work"
    time_limit_s: float = 60.0
    ends: float = inf
    work_limit: int | None = None
    seed: int = 0
    machines: Machines | None = None
    clients: int = 4

    def copy_s(self, table: str, store: Store) -> float:
        """Return what a copy of `table` in `store` costs a period: upkeep, and its move."""
        size = self.table_bytes[table]
        upkeep_s = self.costs.upkeep_s(size, self.graph.writes.get(table, 0.0), store)
        if not self.is_move(table, store.name):
            return upkeep_s
        return upkeep_s + self.costs.load_s(size, store) / self.horizon

    def is_move(self, table: str, store: str) -> bool:
        """Whether a copy of `table` in `store` would be new to the current placement."""
        return bool(self.current) and store not in self.current.get(table, ())

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
