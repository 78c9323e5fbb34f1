"""Bettering a placement: parts of it solved again.

Small parts of a placement are solved exactly while the rest stays (large-neighbourhood search).
Parts are grown from queries that cost most above what they would cost if every store held
everything, along tables that are used together.

Shaw: Using constraint programming and local search methods to solve vehicle routing problems,
CP 1998; Danna, Rothberg, Le Pape: Exploring relaxation induced neighborhoods, 2005.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Floats, Integers, offered, placement_of
from placement.arrays.compiled_part import part
from placement.arrays.evaluator import Evaluator
from placement.exact.model import Scope, solve
from placement.problem import PlacementProblem
from placement.programs.solver import SearchOptions
from placement.search.room import Room, runnable

LARGE_SHARE = 0.3
"""Tables of a part that are drawn by their size, since they compete for room."""
FEWEST_TABLES = 6
FIRST_TABLES = 14
GROWTH = 1.15
MOST_QUERIES = 1500
"""Queries of a part."""
DISPUTED = 3
"""Every third part is of tables that the relaxation would rather have elsewhere."""
PART_S = 20.0
PART = SearchOptions(strong_branching=False, relative_gap=1e-4, most_nodes=300)


class Neighbourhoods:
    """Draws parts of a placement that are worth solving again."""

    def __init__(self, compiled: Compiled, rng: np.random.Generator, leaning: Floats) -> None:
        self._compiled = compiled
        self._rng = rng
        self._leaning = leaning
        queries, tables = len(compiled.executions), len(compiled.tables)
        owner = compiled.set_query[compiled.set_tables.owners]
        self._reads = np.zeros((queries, tables), dtype=np.float32)
        self._reads[owner, compiled.set_tables.items] = 1.0
        self._readers = self._reads.sum(axis=0)
        everywhere = np.ones((tables, len(compiled.stores), 1), dtype=bool)
        self._least_s = compiled.query_s(everywhere)[:, 0] * compiled.executions
        size = np.array([compiled.problem.table_bytes[table] for table in compiled.tables])
        self._size_share = (size + 1.0) / (size + 1.0).sum()

    def regret_s(self, held: Booleans) -> Floats:
        """Return (Q): what each query costs a period above what it would if all were everywhere."""
        cost_s = self._compiled.query_s(held[:, :, None])[:, 0] * self._compiled.executions
        return np.maximum(0.0, cost_s - self._least_s)

    def draw(self, regret_s: Floats, tables: int) -> Integers:
        """Return the numbers of about `tables` tables, those that pulled first in front."""
        weights = regret_s + 1e-3 * regret_s.mean() + 1e-12
        query = self._rng.choice(len(weights), p=weights / weights.sum())
        chosen = self._reads[query] > 0
        ordered = sorted(np.flatnonzero(chosen).tolist(), key=lambda table: self._readers[table])
        pull = weights.astype(np.float32)
        while chosen.sum() < tables * (1.0 - LARGE_SHARE):
            # a query pulls by the tables that it reads within the part
            near = (self._reads @ chosen.astype(np.float32)) * pull
            attraction = np.where(chosen, 0.0, near @ self._reads).astype(float)
            if attraction.sum() <= 0:
                break
            ordered.append(int(self._rng.choice(len(chosen), p=attraction / attraction.sum())))
            chosen[ordered[-1]] = True
        rest = np.where(chosen, 0.0, self._size_share)
        while chosen.sum() < min(tables, len(chosen)) and rest.sum() > 0:
            ordered.append(int(self._rng.choice(len(chosen), p=rest / rest.sum())))
            chosen[ordered[-1]], rest[ordered[-1]] = True, 0.0
        return self._few_readers(ordered)

    def disputed(self, held: Booleans, tables: int) -> Integers:
        """Return the numbers of at most `tables` tables that are not where they lean to be."""
        doubt = np.abs(self._leaning - held).max(axis=1) + 1e-6
        count = min(tables, len(doubt))
        drawn = self._rng.choice(len(doubt), count, replace=False, p=doubt / doubt.sum())
        return self._few_readers(drawn.tolist())

    def _few_readers(self, tables: Sequence[int]) -> Integers:
        """Return, ascending, the tables that have few enough readers together.

        What everything reads stays where it is: a part with it is the whole problem.
        """
        readers = np.zeros(len(self._reads), dtype=bool)
        kept: list[int] = []
        for table in tables:
            more = readers | (self._reads[:, table] > 0)
            if not kept or more.sum() <= MOST_QUERIES:
                readers = more
                kept.append(table)
        return np.sort(np.array(kept, dtype=np.int64))

    def readers(self, tables: Integers) -> Integers:
        """Return the numbers of the queries that read one of `tables`."""
        return np.flatnonzero(self._reads[:, tables].any(axis=1))


@dataclass(slots=True, kw_only=True)
class Search:
    """The best placement so far, and how large the parts are that are solved again.

    `worth` (M by S) marks the options that may be of use at all.
    """

    compiled: Compiled
    where: Room
    worth: Booleans
    held: Booleans
    cost_s: float
    tables: float = FIRST_TABLES
    rounds: int = 0

    def step(self, neighbourhoods: Neighbourhoods, regret_s: Floats, ends: float) -> bool:
        """Solve one part again; return whether that was a gain."""
        self.rounds += 1
        count = min(round(self.tables), len(self.compiled.tables))
        if self.rounds % DISPUTED == 0:
            free = neighbourhoods.disputed(self.held, count)
        else:
            free = neighbourhoods.draw(regret_s, count)
        # a search bounded by work alone must not hang on the machine's speed
        left_s = inf if ends == inf else min(PART_S, ends - time.monotonic())
        found, proven = self._solve(free, neighbourhoods.readers(free), left_s)
        self.tables *= GROWTH if proven else 1.0 / GROWTH
        self.tables = min(max(self.tables, FEWEST_TABLES), len(self.compiled.tables))
        if found is None:
            return False
        cost_s = float(Evaluator(self.compiled.problem, self.compiled).held_cost_s(found)[0])
        if cost_s >= self.cost_s * (1 - 1e-9):
            return False
        self.held, self.cost_s = found[:, :, 0], cost_s
        return True

    def _solve(
        self, free: Integers, queries: Integers, left_s: float
    ) -> tuple[Booleans | None, bool]:
        """Solve the placement of the tables `free`, all others staying where they are."""
        inside = np.zeros(len(self.compiled.tables), dtype=bool)
        inside[free] = True
        where = Room(
            allowed=np.where(inside[:, None], self.where.allowed, self.held),
            required=np.where(inside[:, None], self.where.required, self.held),
        )
        few = part(self.compiled, queries)
        sub = _with_queries(self.compiled.problem, queries)
        few = replace(few, problem=sub)
        worth = self.worth[np.isin(self.compiled.set_query, queries)]
        placement = placement_of(self.compiled, self.held)
        fixed = {t: placement[t] for t, own in zip(few.tables, inside, strict=True) if not own}
        scope = Scope(
            fixed=fixed,
            offered=offered(few, worth & runnable(few, where)),
            near=placement,
            partial=True,
            options=PART,
        )
        solution = solve(sub, time_limit_s=left_s, scope=scope)
        if solution.placement is None:
            return None, False
        return self.compiled.held([solution.placement]), solution.proven


def _with_queries(problem: PlacementProblem, queries: Integers) -> PlacementProblem:
    """Return the problem with some of its queries, by number, and the limits on these."""
    kept = tuple(problem.queries[number] for number in queries.tolist())
    names = {query.name for query in kept}
    latency_s = {q: s for q, s in problem.constraints.latency_s.items() if q in names}
    return replace(
        problem, queries=kept, constraints=replace(problem.constraints, latency_s=latency_s)
    )
