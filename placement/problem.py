"""The placement problem: everything a strategy may look at, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass

from placement.costs import CostModel
from placement.fragments import Fragment
from placement.stores import Store
from workloads.access_graph import AccessGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What a placement must respect beside capacities.

    `pin`: a table → the stores that must hold it. `exclude`: a table → stores that must not.
    `max_copies`: the most stores a table may be in.
    """

    pin: Mapping[str, frozenset[str]]
    exclude: Mapping[str, frozenset[str]]
    max_copies: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryProblem:
    """One query of the problem: its weight, what must be covered and what may cover it."""

    name: str
    executions: float
    sources: tuple[str, ...]
    fragments: tuple[Fragment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementProblem:
    """Tables with sizes in bytes, stores, queries with their fragments, and how to price them.

    Order of `stores` and of `table_bytes` is the order in which ties are broken.
    """

    table_bytes: Mapping[str, int]
    stores: tuple[Store, ...]
    queries: tuple[QueryProblem, ...]
    constraints: Constraints
    costs: CostModel
    graph: AccessGraph
    time_limit_s: float = 60.0
    seed: int = 0

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
