"""A problem as arrays: what many placements cost, and what prices on copies make of the queries.

A query's fragments over the same sources are one *set*; a query is covered exactly by sets. What
is left to cover is a *state*: from each, one set of those that hold its first source leads to a
smaller one. The states of all queries are solved at once, smaller ones first, so that one pass
over the arrays routes every query on every placement of a batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placement.arrays.states import States
from placement.plan import RoutedFragment
from placement.pricing import Option, priced, routed
from placement.problem import PlacementProblem
from workloads.errors import InfeasibleError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Placement = Mapping[str, tuple[str, ...]]

BATCH_CELLS = 4_000_000
"""Sets times placements that are priced at a time: 32 MB an array."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ragged:
    """Lists of different lengths in one array: list i is ``items[starts[i]:starts[i + 1]]``."""

    starts: Integers
    items: Integers

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> "Ragged":
        """Return `lists` in one array."""
        lengths = np.fromiter((len(each) for each in lists), np.int64, len(lists))
        items = np.fromiter((item for each in lists for item in each), np.int64, lengths.sum())
        return cls(starts=np.concatenate(([0], np.cumsum(lengths))), items=items)

    @property
    def owners(self) -> Integers:
        """Return for each item the list that it is in."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compiled:
    """A problem's queries as arrays; Q queries, A sources, M sets, T tables, S stores.

    `executions` (Q); `source_table` (A); `set_query` (M); `set_sources` and `set_tables` (M lists);
    `cost_s` (M by S): one execution of the cheapest fragment of the set, inf where there is none
    that the store is able to run; `fragment` (M by S): its place in the query's `offered`, or -1.
    An option that smaller ones in the same store replace at no greater cost is left out: wherever
    it can be run, they can.
    """

    problem: PlacementProblem
    tables: tuple[str, ...]
    stores: tuple[str, ...]
    executions: Floats
    source_table: Integers
    set_query: Integers
    set_sources: Ragged
    set_tables: Ragged
    cost_s: Floats
    fragment: Integers
    states: States

    def tables_of(self, set_: int) -> Integers:
        """Return the numbers of the tables of a set."""
        first, last = self.set_tables.starts[set_ : set_ + 2]
        return self.set_tables.items[first:last]

    def held(self, placements: Sequence[Placement]) -> Booleans:
        """Return (T by S by P): whether a copy of the table is in the store."""
        store = {name: index for index, name in enumerate(self.stores)}
        held = np.zeros((len(self.tables), len(self.stores), len(placements)), dtype=bool)
        for column, placement in enumerate(placements):
            for row, table in enumerate(self.tables):
                for name in placement.get(table, ()):
                    held[row, store[name], column] = True
        return held

    def set_s(self, held: Booleans) -> Floats:
        """Return (M by P): each set's seconds in the cheapest store that holds its tables."""
        best = np.full((len(self.set_query), held.shape[2]), np.inf)
        for store in range(len(self.stores)):
            runs = np.flatnonzero(np.isfinite(self.cost_s[:, store]))
            if not len(runs):
                continue
            everywhere = np.logical_and.reduceat(
                held[self.set_tables.items, store], self.set_tables.starts[:-1], axis=0
            )[runs]
            priced = np.where(everywhere, self.cost_s[runs, store, None], np.inf)
            best[runs] = np.minimum(best[runs], priced)
        return best

    def query_s(self, held: Booleans) -> Floats:
        """Return (Q by P): seconds of one execution of each query, inf where it cannot be run."""
        most = max(1, BATCH_CELLS // max(1, len(self.set_query)))
        parts = [
            self.states.cheapest(self.set_s(held[:, :, first : first + most]))
            for first in range(0, held.shape[2], most)
        ]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(self.executions), 0))

    def copies_s(self) -> Floats:
        """Return (T by S): what a copy of the table in the store costs a period."""
        stores = self.problem.stores
        return np.array(
            [[self.problem.copy_s(table, store) for store in stores] for table in self.tables]
        ).reshape(len(self.tables), len(stores))


def offered(compiled: Compiled, able: Booleans) -> Mapping[str, Sequence[Option]]:
    """Return query → the options whose set and store are `able` (M by S), cheapest fragments."""
    problem = compiled.problem
    found: dict[str, list[Option]] = {query.name: [] for query in problem.queries}
    for set_, column in np.argwhere(able & np.isfinite(compiled.cost_s)).tolist():
        query = problem.queries[compiled.set_query[set_]]
        fragment = query.offered[compiled.fragment[set_, column]]
        found[query.name].append(priced(problem, query, fragment, problem.stores[column]))
    return found


def placement_of(compiled: Compiled, held: Booleans) -> dict[str, tuple[str, ...]]:
    """Return table → stores, sorted, of a placement given as an array (T by S)."""
    return {
        table: tuple(sorted(compiled.stores[column] for column in np.flatnonzero(row)))
        for table, row in zip(compiled.tables, held, strict=True)
    }


def routing_of(compiled: Compiled, held: Booleans) -> Mapping[str, tuple[RoutedFragment, ...]]:
    """Return query → its cheapest fragments on a placement (T by S), by their first source.

    Raises:
        InfeasibleError: A query cannot be run on the placement.
    """
    problem = compiled.problem
    set_s = compiled.set_s(held[:, :, None])[:, 0]
    seconds, covering = compiled.states.covers(set_s)
    for number in np.flatnonzero(~np.isfinite(seconds)).tolist():
        raise InfeasibleError(
            f"Query '{problem.queries[number].name}' cannot be run on this placement."
        )
    chosen: dict[str, list[Option]] = {query.name: [] for query in problem.queries}
    for set_ in covering.tolist():
        query = problem.queries[compiled.set_query[set_]]
        # the stores that hold all tables of the set are those that give its price
        (column, *_) = np.flatnonzero(
            (compiled.cost_s[set_] == set_s[set_]) & held[compiled.tables_of(set_)].all(axis=0)
        )
        fragment = query.offered[compiled.fragment[set_, column]]
        chosen[query.name].append(priced(problem, query, fragment, problem.stores[column]))
    return {query.name: routed(problem, query, chosen[query.name]) for query in problem.queries}
