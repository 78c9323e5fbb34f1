"""Beam search over sets of stores, as BRAD plans its blueprints.

Yu, Wu, Kossmann, Li, Markakis, Ngom, Madden, Kraska: Blueprinting the Cloud: Unifying and
Automatically Optimizing Cloud Data Infrastructures with BRAD, VLDB 2024, and the table-based beam
planner of github.com/mitdbg/brad. BRAD runs a query in one engine and buys larger machines where
tables do not fit. Here queries are routed as everywhere, capacities are given, and the tables of a
cluster are placed one by one too, as all of them may fit no set of stores together.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from placement.arrays.compiled import Booleans, Floats, Integers
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.search.breaches import NONE, Breaches
from placement.search.descents import repair
from placement.search.moves import Position
from placement.search.terrain import Terrain, capacities_bytes
from placement.time_limit import cut_by, ends_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamSearch:
    """Places the tables of one cluster of queries after the other, and keeps the `width` best.

    A cluster is the queries that read the same tables; those that differ most between the stores
    come first (BRAD's gain: the largest ratio of a query's seconds between stores). Its tables are
    added to each set of stores, in each candidate; a table that is in as many stores as it may be
    stays there. Sets of more stores are left out from the size on at which all would be more than
    `most_sets`: many stores have too many. Candidates are compared by the seconds of the queries
    seen so far. What none of them may break are the limits; room for the tables still to come has
    to be left. After `most_priced` prices of a query on a candidate, only the best candidate is
    kept, and no further copies are tried.
    """

    width: int = 8
    most_sets: int = 64
    most_priced: int = 15_000_000

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where nothing within the limits was left."""
        terrain = Terrain(problem)
        search = _Search(terrain, self)
        ends, late = ends_of(problem), False
        for units, queries in _clusters(terrain):
            late = late or time.monotonic() >= ends
            if late:
                search.hurry()
            search.place(units, queries)
        breach, seconds = terrain.weigh(search.held)
        best = np.lexsort((seconds, np.where(breach < NONE, 0.0, breach)))[0]
        position = Position(terrain, search.held[:, :, best])
        late |= not repair(position, ends=ends)
        plan = plan_for(problem, "beam_search", terrain.placement(position.held))
        return replace(plan, cut=cut_by(problem, "its search for copies")) if late else plan


class _Search:
    """The beam: K candidates (T by S by K) with the same tables, and the seconds of queries."""

    def __init__(self, terrain: Terrain, limits: BeamSearch) -> None:
        self._terrain, self._width, self._left = terrain, limits.width, limits.most_priced
        constraints = terrain.problem.constraints
        # Stores are balanced once all tables are there, not before.
        unbalanced = replace(constraints, balance=None)
        self._breaches = Breaches(replace(terrain.problem, constraints=unbalanced))
        self._capacity = np.array(capacities_bytes(terrain.problem), dtype=float)
        stores = len(terrain.problem.stores)
        self._bitmaps = _bitmaps(stores, constraints.max_copies, limits.most_sets)
        self._placed = np.array([unit.pinned.any() for unit in terrain.units], dtype=bool)
        self._seen = np.zeros(len(terrain.everything), dtype=bool)
        self._query_s = np.zeros((len(terrain.everything), 1))
        self.held = np.zeros((len(terrain.table_bytes), stores, 1), dtype=bool)
        for unit in terrain.units:
            self.held[unit.tables, :, 0] = unit.pinned

    def hurry(self) -> None:
        """Keep the best candidate alone from now on, and try no further copies."""
        self._left = 0

    def place(self, units: Sequence[int], queries: Integers) -> None:
        """Place a cluster's tables in every candidate, and keep the best of what comes of it."""
        missing = [unit for unit in units if not self._placed[unit]]
        if self._left <= 0:  # other units stay where they are, and so do the queries over them
            if not missing:
                return
            units = missing
        self._seen[queries] = True
        self._placed[missing] = True
        found = [] if missing else [self.held]
        if self._left > 0:
            found += [self._joined(units, bitmap) for bitmap in self._bitmaps]
        if len(missing) > 1 or not found:
            found.append(self._one_by_one(missing, queries))
        origin = np.tile(np.arange(self.held.shape[2]), len(found))
        self._keep(units, np.concatenate(found, axis=2), origin)

    def _joined(self, units: Sequence[int], bitmap: Booleans) -> Booleans:
        """Return the candidates with the units in a bitmap's stores too, where they may be."""
        most = self._terrain.problem.constraints.max_copies
        held = self.held.copy()
        for number in units:
            unit = self._terrain.units[number]
            now = held[unit.tables[0]]
            added = now | (bitmap & unit.allowed)[:, None]
            held[unit.tables] = np.where(added.sum(axis=0) <= most, added, now)
        return held

    def _one_by_one(self, missing: Sequence[int], queries: Integers) -> Booleans:
        """Return the candidates with each missing unit where it costs least, the largest first.

        Until a unit has its turn, it counts as being everywhere.
        """
        terrain, held = self._terrain, self.held.copy()
        candidates = np.arange(held.shape[2])
        placed: list[int] = []
        waiting = sorted(missing, key=lambda unit: -terrain.units[unit].size_bytes)
        while waiting:
            placed.append(waiting.pop(0))
            unit = terrain.units[placed[-1]]
            options = self._bitmaps if self._left > 0 else _bitmaps(held.shape[1], 1, held.shape[1])
            after = np.repeat(held, len(options), axis=2)
            for column, bitmap in enumerate(options):
                after[unit.tables, :, column :: len(options)] = (bitmap & unit.allowed)[:, None]
            everywhere = after.copy()
            for other in waiting:
                everywhere[terrain.units[other].tables] = True
            query_s = self._price(queries, everywhere)
            seconds = terrain.reads.seconds(queries, query_s) + self._copies_s(after)
            breach = self._broken(after, placed) + terrain.reads.breach(queries, query_s)
            rank = np.lexsort((seconds, breach, np.repeat(candidates, len(options))))
            held = after[:, :, rank[:: len(options)]]
        return held

    def _keep(self, units: Sequence[int], held: Booleans, origin: Integers) -> None:
        """Keep the best of the candidates: each `origin` is the one that it comes from."""
        first = _different(held)
        held, origin = held[:, :, first], origin[first]
        terrain = self._terrain
        touched = np.zeros(len(self._seen), dtype=bool)
        for unit in units:
            touched[terrain.readers[unit]] = True
        queries = np.flatnonzero(touched & self._seen)
        query_s = self._query_s[:, origin]
        query_s[queries] = self._price(queries, held)
        seen = np.flatnonzero(self._seen)
        seconds = terrain.reads.seconds(seen, query_s[seen]) + self._copies_s(held)
        breach = self._broken(held, units) + terrain.reads.breach(seen, query_s[seen])
        width = self._width if self._left > 0 else 1
        rank = np.lexsort((seconds, breach))[:width]
        if breach[rank[0]] <= NONE:
            rank = rank[breach[rank] <= NONE]
        self.held, self._query_s = held[:, :, rank], query_s[:, rank]

    def _price(self, queries: Integers, held: Booleans) -> Floats:
        self._left -= len(queries) * held.shape[2]
        return self._terrain.reads.read(queries, held)[0]

    def _broken(self, held: Booleans, placed: Sequence[int]) -> Floats:
        """Return what candidates break, but for the tables that are still to be placed.

        Those have to fit what room there is, all together. The units `placed` are to be somewhere.
        """
        terrain = self._terrain
        missing: Booleans = np.logical_not(held.any(axis=1))
        to_come_bytes = terrain.table_bytes @ missing
        held_bytes = np.tensordot(terrain.table_bytes, held.astype(float), axes=1)
        room_bytes = np.maximum(self._capacity[:, None] - held_bytes, 0).sum(axis=0)
        tables = np.concatenate([terrain.units[unit].tables for unit in placed])
        over: Floats = (
            self._breaches.of(held)
            - missing.sum(axis=0)
            + missing[tables].sum(axis=0)
            + (to_come_bytes > room_bytes)
        )
        return over

    def _copies_s(self, held: Booleans) -> Floats:
        total: Floats = np.tensordot(self._terrain.reads.copies_s, held.astype(float), axes=2)
        return total


def _different(held: Booleans) -> Integers:
    """Return the first of each candidates that are the same, ascending."""
    rows = np.packbits(held.reshape(-1, held.shape[2]), axis=0).T
    first: dict[bytes, int] = {}
    for number, row in enumerate(rows):
        first.setdefault(row.tobytes(), number)
    return np.array(list(first.values()), dtype=np.int64)


def _bitmaps(stores: int, most: int, most_sets: int) -> list[Booleans]:
    """Return the sets of one up to `most` stores, the small ones first, in the problem's order.

    Those of one store are always there, of more as long as they are at most `most_sets`.
    """
    found: list[Booleans] = []
    for size in range(1, min(stores, most) + 1):
        if found and len(found) + comb(stores, size) > most_sets:
            break
        for chosen in combinations(range(stores), size):
            bitmap = np.zeros(stores, dtype=bool)
            bitmap[list(chosen)] = True
            found.append(bitmap)
    return found


def _clusters(terrain: Terrain) -> list[tuple[tuple[int, ...], Integers]]:
    """Return the queries by the units that they read, those of the highest gain first.

    Units that no query reads follow, each on its own.
    """
    unit_of = {t: number for number, u in enumerate(terrain.units) for t in u.tables.tolist()}
    gains = _gains(terrain)
    members: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for query in terrain.everything.tolist():
        units = {unit_of[table] for table in terrain.reads.tables_of(query).tolist()}
        if units:
            members[tuple(sorted(units))].append(query)
    ordered = sorted(members, key=lambda units: -sum(gains[query] for query in members[units]))
    read = {unit for units in members for unit in units}
    rest = [(unit,) for unit in range(len(terrain.units)) if unit not in read]
    rest.sort(key=lambda units: -terrain.units[units[0]].size_bytes)
    return [
        (units, np.array(members.get(units, ()), dtype=np.int64)) for units in (*ordered, *rest)
    ]


def _gains(terrain: Terrain) -> Floats:
    """Return (Q) the largest ratio of a query's seconds between single stores, by executions."""
    tables, stores = len(terrain.problem.table_bytes), len(terrain.problem.stores)
    held = np.zeros((tables, stores, stores), dtype=bool)
    held[:, np.arange(stores), np.arange(stores)] = True
    query_s, _ = terrain.reads.read(terrain.everything, held)
    slowest = np.where(np.isfinite(query_s), query_s, -np.inf).max(axis=1)
    fastest = query_s.min(axis=1)
    known = np.isfinite(slowest) & (fastest > 0)
    ratio = np.divide(slowest, fastest, out=np.zeros(len(slowest)), where=known)
    gains: Floats = terrain.reads.executions * ratio
    return gains
