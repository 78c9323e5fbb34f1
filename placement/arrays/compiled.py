"""A problem as arrays: what many placements cost, and what prices on copies make of the queries.

A query's fragments over the same sources are one *set*; a query is covered exactly by sets. What
is left to cover is a *state*: from each, one set of those that hold its first source leads to a
smaller one. The states of all queries are solved at once, smaller ones first, so that one pass
over the arrays routes every query on every placement of a batch.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placement.arrays.states import States, states_of
from placement.plan import RoutedFragment
from placement.pricing import Option, able
from placement.problem import PlacementProblem, QueryProblem
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
    that the store is able to run; `fragment` (M by S): its place in the query's fragments, or -1.
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


class Evaluator:
    """Prices placements as `routing.predicted_s` does, hundreds at a time.

    It serves the objective "work", and knows no limits: ask `check.limits` for these.
    """

    def __init__(self, problem: PlacementProblem, compiled: Compiled | None = None) -> None:
        self.compiled = compiled or compile_problem(problem)
        self._copies_s = self.compiled.copies_s()

    def cost_s(self, placements: Sequence[Placement]) -> list[float]:
        """Return each placement's predicted seconds; inf where a query cannot be run on it."""
        held = self.compiled.held(placements)
        return [float(cost) for cost in self.held_cost_s(held)]

    def held_cost_s(self, held: Booleans) -> Floats:
        """Return (P): the seconds of placements given as an array (T by S by P)."""
        compiled = self.compiled
        query_s = compiled.query_s(held)
        possible = np.isfinite(query_s)
        # what is never executed costs nothing, unless it cannot be run at all
        queries = compiled.executions @ np.where(possible, query_s, 0.0)
        queries[~possible.all(axis=0)] = np.inf
        copies: Floats = np.einsum("ts,tsp->p", self._copies_s, held)
        return queries + copies

    def query_s(self, placements: Sequence[Placement]) -> Floats:
        """Return (P by Q): seconds of one execution of each query, inf where it cannot be run."""
        return self.compiled.query_s(self.compiled.held(placements)).T


def compile_problem(problem: PlacementProblem) -> Compiled:
    """Return the problem's queries as arrays."""
    tables = {table: index for index, table in enumerate(problem.table_bytes)}
    source_table: list[int] = []
    rows: list[_Set] = []
    covers: list[tuple[int, list[int]]] = []
    set_query: list[int] = []
    for number, query in enumerate(problem.queries):
        first = len(source_table)
        table_of = _tables_of(query)
        source_table += [tables[table_of[source]] for source in query.sources]
        found = _sets(problem, query)
        covers.append((len(query.sources), [each.mask for each in found]))
        set_query += [number] * len(found)
        for each in found:
            each.sources = [first + position for position in _bits(each.mask)]
            each.tables = sorted({source_table[source] for source in each.sources})
        rows += found
    stores = len(problem.stores)
    return Compiled(
        problem=problem,
        tables=tuple(problem.table_bytes),
        stores=tuple(store.name for store in problem.stores),
        executions=np.array([query.executions for query in problem.queries], dtype=float),
        source_table=np.array(source_table, dtype=np.int64),
        set_query=np.array(set_query, dtype=np.int64),
        set_sources=Ragged.of([each.sources for each in rows]),
        set_tables=Ragged.of([each.tables for each in rows]),
        cost_s=np.array([each.cost_s for each in rows], dtype=float).reshape(-1, stores),
        fragment=np.array([each.fragment for each in rows], dtype=np.int64).reshape(-1, stores),
        states=states_of(covers),
    )


@dataclass(slots=True, kw_only=True)
class _Set:
    """A set of a query's sources while it is compiled, with its cheapest fragment a store."""

    mask: int
    cost_s: list[float]
    fragment: list[int]
    sources: Sequence[int] = ()
    tables: Sequence[int] = ()


def offered(compiled: Compiled, able: Booleans) -> Mapping[str, Sequence[Option]]:
    """Return query → the options whose set and store are `able` (M by S), cheapest fragments."""
    problem = compiled.problem
    found: dict[str, list[Option]] = {query.name: [] for query in problem.queries}
    for set_, column in np.argwhere(able & np.isfinite(compiled.cost_s)).tolist():
        query = problem.queries[compiled.set_query[set_]]
        fragment = query.fragments[compiled.fragment[set_, column]]
        store = problem.stores[column]
        cost = problem.costs.fragment(fragment, store, len(query.sources))
        found[query.name].append(
            Option(fragment=fragment, store=store.name, cost_s=cost.total_s, engine_s=cost.engine_s)
        )
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
    routing: dict[str, list[RoutedFragment]] = {query.name: [] for query in problem.queries}
    sources = compiled.set_sources
    for set_ in sorted(covering.tolist(), key=lambda each: sources.items[sources.starts[each]]):
        query = problem.queries[compiled.set_query[set_]]
        # the stores that hold all tables of the set are those that give its price
        (column, *_) = np.flatnonzero(
            (compiled.cost_s[set_] == set_s[set_]) & held[compiled.tables_of(set_)].all(axis=0)
        )
        fragment = query.fragments[compiled.fragment[set_, column]]
        store = problem.stores[column]
        cost = problem.costs.fragment(fragment, store, len(query.sources))
        routing[query.name].append(
            RoutedFragment(
                fragment=fragment,
                store=store.name,
                predicted_s=cost.total_s,
                engine_s=cost.engine_s,
            )
        )
    return {query: tuple(fragments) for query, fragments in routing.items()}


def _tables_of(query: QueryProblem) -> Mapping[str, str]:
    """Return source → table, read off the fragments of a single source that every source has."""
    return {
        fragment.sources[0]: next(iter(fragment.tables))
        for fragment in query.fragments
        if len(fragment.sources) == 1
    }


def _sets(problem: PlacementProblem, query: QueryProblem) -> list[_Set]:
    """Return the sets that some store runs, in the order of the query's fragments."""
    position = {source: index for index, source in enumerate(query.sources)}
    stores = len(problem.stores)
    found: dict[int, _Set] = {}
    for number, fragment in enumerate(query.fragments):
        mask = sum(1 << position[source] for source in fragment.sources)
        for column, store in enumerate(problem.stores):
            if able(store, fragment):
                cost = problem.costs.fragment(fragment, store, len(query.sources)).total_s
                if mask not in found:
                    found[mask] = _Set(mask=mask, cost_s=[np.inf] * stores, fragment=[-1] * stores)
                if cost < found[mask].cost_s[column]:
                    found[mask].cost_s[column] = cost
                    found[mask].fragment[column] = number
    # Parts of a set may cost as little and yet more money, or end later than it does.
    if problem.objective == "work" and problem.constraints.max_money is None:
        for column in range(stores):
            _drop_dominated(list(found.values()), column)
    return [each for each in found.values() if max(each.fragment) >= 0]


def _drop_dominated(found: Sequence[_Set], column: int) -> None:
    """Drop a store's options that smaller ones of the same store replace at no greater cost."""
    cost_s = {each.mask: each.cost_s[column] for each in found if each.fragment[column] >= 0}
    by_first: dict[int, list[int]] = {}
    for mask in cost_s:
        by_first.setdefault(mask & -mask, []).append(mask)
    for each in sorted(found, key=lambda each: each.mask.bit_count()):
        whole = cost_s.get(each.mask)
        if whole is None or each.mask.bit_count() == 1:
            continue
        if _replaced(each.mask, whole, cost_s, by_first):
            each.cost_s[column], each.fragment[column] = np.inf, -1


def _replaced(
    whole: int, limit: float, cost_s: Mapping[int, float], by_first: Mapping[int, Sequence[int]]
) -> bool:
    """Whether smaller sets cover `whole` exactly at a cost of at most `limit`."""
    reached = {whole: 0.0}
    queue = [(0.0, whole)]
    while queue:
        cost, rest = heapq.heappop(queue)
        if rest == 0:
            return True
        if cost > reached[rest]:
            continue
        for mask in by_first.get(rest & -rest, ()):
            after = cost + cost_s[mask]
            if mask & ~rest or mask == whole or after > limit:
                continue
            if after < reached.get(rest ^ mask, np.inf):
                reached[rest ^ mask] = after
                heapq.heappush(queue, (after, rest ^ mask))
    return False


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
