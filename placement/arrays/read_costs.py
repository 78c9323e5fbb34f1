"""Costs of queries for many placements: seconds, and the limits that concern queries."""

from collections.abc import Mapping

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Floats, Integers
from placement.arrays.compiled_part import part, readers
from placement.arrays.compiling import compile_problem
from placement.constraints.latency import ceilings_s, late
from placement.plan import execution_s
from placement.problem import PlacementProblem
from placement.routing.routing import route_query
from workloads.errors import InfeasibleError

MOST_KEPT = 100_000
"""Queries in the parts of the compiled problem that are kept for their next use."""


class ReadCosts:
    """Prices some of a problem's queries on many placements.

    Seconds of objective "work" come from the compiled problem. Where queries are priced by
    latency, or their transfer in money, each is routed, once for each placement of its tables.
    `executions` (Q); `copies_s` and `storage_money` (T by S) are a copy's a period and a month;
    `readers`: table → the queries that read it, by number, ascending. `routes` says that queries
    are routed one by one.
    """

    def __init__(self, problem: PlacementProblem, compiled: Compiled | None = None) -> None:
        self.problem = problem
        self.compiled: Compiled = compiled or compile_problem(problem)
        self.readers: Mapping[int, Integers] = readers(self.compiled)
        self.executions = self.compiled.executions
        self.copies_s = self.compiled.copies_s()
        self._ceiling_s = ceilings_s(problem)
        self.storage_money = np.array(
            [
                [problem.costs.storage_money(size, store) for store in problem.stores]
                for size in problem.table_bytes.values()
            ]
        ).reshape(self.copies_s.shape)
        self.routes = problem.constraints.max_money is not None or problem.objective != "work"
        self._parts: dict[bytes, Compiled] = {}
        self._kept = 0
        self._smaller: dict[bytes, Compiled] = {}
        self._smaller_kept = 0
        self._routed: dict[tuple[int, bytes], tuple[float, float]] = {}
        self._tables_of = {q: np.zeros(0, dtype=np.int64) for q in range(len(problem.queries))}
        for table, queries in self.readers.items():
            for query in queries.tolist():
                self._tables_of[query] = np.append(self._tables_of[query], table)

    def tables_of(self, query: int) -> Integers:
        """Return the tables that a query reads, by number, ascending."""
        return self._tables_of[query]

    def read(
        self, queries: Integers, held: Booleans, among: Integers | None = None
    ) -> tuple[Floats, Floats]:
        """Return what queries, given by number, ascending, make of placements (T by S by P).

        Each is (queries by P): seconds of one execution, inf where it cannot be run, and what all
        executions transfer costs a month, 0 where money has no limit. They are found faster
        `among` queries that are asked for again and again.
        """
        if self.routes:
            return self._route(queries, held)
        if among is None or len(among) == len(queries):
            compiled = self._part(queries)
        else:
            compiled = self._part_of(queries, among)
        query_s = compiled.query_s(held)
        return query_s, np.zeros(query_s.shape)

    def seconds(self, queries: Integers, query_s: Floats) -> Floats:
        """Return (P): what all executions of those queries that can be run take."""
        total: Floats = self.executions[queries] @ np.where(np.isfinite(query_s), query_s, 0.0)
        return total

    def breach(self, queries: Integers, query_s: Floats) -> Floats:
        """Return (P): the queries that cannot be run or take too long, counted as by `Breaches`."""
        over = late(self._ceiling_s[queries], query_s) + ~np.isfinite(query_s)
        total: Floats = over.sum(axis=0)
        return total

    def _part(self, queries: Integers) -> Compiled:
        key = queries.tobytes()
        if key not in self._parts:
            self._kept += len(queries)
            if self._kept > MOST_KEPT:
                self._parts.clear()
                self._kept = len(queries)
            self._parts[key] = part(self.compiled, queries)
        return self._parts[key]

    def _part_of(self, queries: Integers, among: Integers) -> Compiled:
        key = queries.tobytes()
        if key not in self._smaller:
            self._smaller_kept += len(queries)
            if self._smaller_kept > MOST_KEPT:
                self._smaller.clear()
                self._smaller_kept = len(queries)
            self._smaller[key] = part(self._part(among), np.searchsorted(among, queries))
        return self._smaller[key]

    def _route(self, queries: Integers, held: Booleans) -> tuple[Floats, Floats]:
        query_s = np.full((len(queries), held.shape[2]), np.inf)
        money = np.zeros(query_s.shape)
        for row, query in enumerate(queries.tolist()):
            for column in range(held.shape[2]):
                where = held[self._tables_of[query], :, column]
                key = (query, where.tobytes())
                if key not in self._routed:
                    self._routed[key] = self._route_one(query, where)
                query_s[row, column], money[row, column] = self._routed[key]
        return query_s, money

    def _route_one(self, number: int, where: Booleans) -> tuple[float, float]:
        """Return the seconds of one execution, inf if there is no way, and the money of a month."""
        problem, query = self.problem, self.problem.queries[number]
        tables, stores = self.compiled.tables, self.compiled.stores
        placement = {
            tables[table]: tuple(sorted(stores[s] for s in np.flatnonzero(row)))
            for table, row in zip(self._tables_of[number], where, strict=True)
        }
        try:
            routed = route_query(problem, query, placement)
        except InfeasibleError:
            return np.inf, 0.0
        seconds = execution_s(routed, problem.objective)
        money = sum(
            problem.costs.transfer_money(each.fragment, problem.store(each.store), query.executions)
            for each in routed
        )
        return seconds, money
