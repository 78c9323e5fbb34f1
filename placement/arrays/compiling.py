"""Makes the arrays of a problem: sets of sources, and which of them are worth looking at."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Compiled, Ragged
from placement.arrays.states import MOST_STATES, states_of
from placement.pricing import able
from placement.problem import PlacementProblem, QueryProblem
from placement.time_limit import Looks


def compile_problem(problem: PlacementProblem, most_states: int = MOST_STATES) -> Compiled:
    """Return the problem's queries as arrays.

    Raises:
        TooManyStatesError: A query can be split in more than `most_states` ways.
        OutOfTimeError: The problem's time was over before that was done.
    """
    looks = looks_at(problem)
    tables = {table: index for index, table in enumerate(problem.table_bytes)}
    source_table: list[int] = []
    rows: list[SourceSet] = []
    covers: list[tuple[int, list[int]]] = []
    set_query: list[int] = []
    for number, query in enumerate(problem.queries):
        first = len(source_table)
        table_of = _tables_of(query)
        source_table += [tables[table_of[source]] for source in query.sources]
        found = _sets(problem, query, looks)
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
        states=states_of(covers, most_states, looks),
    )


def looks_at(problem: PlacementProblem) -> Looks:
    """Return what looks at the problem's time while its queries are compiled."""
    return Looks(problem.ends, "the ways to run the queries were counted")


@dataclass(slots=True, kw_only=True)
class SourceSet:
    """A set of a query's sources while it is compiled, with its cheapest fragment a store.

    `mask` is of the sources by position. Where no store runs it `cost_s` is inf, `fragment` -1.
    """

    mask: int
    cost_s: list[float]
    fragment: list[int]
    sources: Sequence[int] = ()
    tables: Sequence[int] = ()


def _tables_of(query: QueryProblem) -> Mapping[str, str]:
    """Return source → table, read off the fragments of a single source that every source has."""
    return {
        fragment.sources[0]: next(iter(fragment.tables))
        for fragment in query.fragments
        if len(fragment.sources) == 1
    }


def _sets(problem: PlacementProblem, query: QueryProblem, looks: Looks) -> list[SourceSet]:
    """Return the sets that some store runs and that smaller ones do not replace."""
    found = cheapest_sets(problem, query, looks)
    # Parts of a set may cost as little and yet more money, or end later than it does.
    if problem.objective == "work" and problem.constraints.max_money is None:
        for column in range(len(problem.stores)):
            drop_dominated(found, column, looks)
    return [each for each in found if max(each.fragment) >= 0]


def cheapest_sets(problem: PlacementProblem, query: QueryProblem, looks: Looks) -> list[SourceSet]:
    """Return the sets that some store runs, in the order of the query's fragments."""
    position = {source: index for index, source in enumerate(query.sources)}
    stores = len(problem.stores)
    found: dict[int, SourceSet] = {}
    for number, fragment in enumerate(query.offered):
        mask = sum(1 << position[source] for source in fragment.sources)
        for column, store in enumerate(problem.stores):
            if able(store, fragment):
                looks.step()
                cost = problem.costs.fragment(fragment, store, len(query.sources)).total_s
                if mask not in found:
                    nowhere = SourceSet(mask=mask, cost_s=[np.inf] * stores, fragment=[-1] * stores)
                    found[mask] = nowhere
                if cost < found[mask].cost_s[column]:
                    found[mask].cost_s[column] = cost
                    found[mask].fragment[column] = number
    return list(found.values())


def drop_dominated(found: Sequence[SourceSet], column: int, looks: Looks) -> None:
    """Drop a store's options that smaller ones of the same store replace at no greater cost."""
    cost_s = {each.mask: each.cost_s[column] for each in found if each.fragment[column] >= 0}
    by_first: dict[int, list[int]] = {}
    for mask in cost_s:
        by_first.setdefault(mask & -mask, []).append(mask)
    for each in sorted(found, key=lambda each: each.mask.bit_count()):
        whole = cost_s.get(each.mask)
        if whole is None or each.mask.bit_count() == 1:
            continue
        if replaced(each.mask, whole, cost_s, by_first, looks):
            each.cost_s[column], each.fragment[column] = np.inf, -1


def replaced(
    whole: int,
    limit: float,
    cost_s: Mapping[int, float],
    by_first: Mapping[int, Sequence[int]],
    looks: Looks,
) -> bool:
    """Whether smaller sets cover `whole` exactly at a cost of at most `limit`."""
    reached = {whole: 0.0}
    queue = [(0.0, whole)]
    while queue:
        looks.step()
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
