"""The state space of a search: units of tables, costs and breaches of placements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Floats, Integers
from placement.arrays.read_costs import ReadCosts
from placement.constraints.exclusions import excluded_from
from placement.constraints.max_money import overspent
from placement.constraints.pins import pinned_to
from placement.problem import PlacementProblem
from placement.search.breaches import Breaches
from placement.time_limit import STEPS_A_LOOK

CELLS_A_STEP = 500
"""States times placements that arrays price in the time of a step."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unit:
    """Tables that are always in the same stores, by number; `pinned` and `allowed` are (S)."""

    tables: Integers
    size_bytes: float
    pinned: Booleans
    allowed: Booleans

    def may(self, stores: Booleans) -> bool:
        """Whether pins and exclusions let the unit be in `stores` and nowhere else."""
        return bool(stores[self.pinned].all() and self.allowed[stores].all())

    def next_stores(self, now: Booleans, max_copies: int) -> Booleans:
        """Return the stores that a copy moved, added or dropped leaves the unit with (M by S)."""
        free = np.flatnonzero(self.allowed & ~now).tolist()
        loose = np.flatnonzero(now & ~self.pinned).tolist()
        found = [_changed(now, (source, target)) for source in loose for target in free]
        if now.sum() < max_copies:
            found += [_changed(now, (target,)) for target in free]
        if now.sum() > 1:
            found += [_changed(now, (source,)) for source in loose]
        return np.array(found, dtype=bool).reshape(-1, len(now))


class Terrain:
    """A problem made ready for searches: compiled once, for any number of placements.

    `readers`: unit → the queries that read its tables; `neighbours`: unit → the units that share
    a query with it, itself included; all by number, ascending. `steps` are those of `Looks` that
    it takes to price a unit's moves, at most.
    """

    def __init__(self, problem: PlacementProblem, compiled: Compiled | None = None) -> None:
        self.problem = problem
        self.reads = ReadCosts(problem, compiled)
        self.breaches = Breaches(problem)
        self.table_bytes = np.array(list(problem.table_bytes.values()), dtype=float)
        self.units = _units(problem)
        self.everything = np.arange(len(problem.queries))
        self.readers: Sequence[Integers] = [
            np.unique(np.concatenate([self.reads.readers[t] for t in unit.tables.tolist()]))
            for unit in self.units
        ]
        unit_of = {t: u for u, unit in enumerate(self.units) for t in unit.tables.tolist()}
        read = [
            {unit_of[table] for table in self.reads.tables_of(query).tolist()}
            for query in range(len(problem.queries))
        ]
        self.neighbours: Sequence[Sequence[int]] = [
            sorted({u for query in queries.tolist() for u in read[query]})
            for queries in self.readers
        ]
        # A unit's moves are its stores' number and more; where queries are routed, each takes long.
        cells = self.reads.compiled.states.count * len(problem.stores)
        self.steps = STEPS_A_LOOK if self.reads.routes else cells // CELLS_A_STEP
        money = self.reads.storage_money
        self.unit_money = [money[unit.tables].sum(axis=0) for unit in self.units]

    def held(self, placement: Mapping[str, tuple[str, ...]]) -> Booleans:
        """Return a placement as an array (T by S); a unit is where any of its tables is."""
        held: Booleans = self.reads.compiled.held([placement])[:, :, 0]
        for unit in self.units:
            held[unit.tables] = held[unit.tables].any(axis=0)
        return held

    def placement(self, held: Booleans) -> dict[str, tuple[str, ...]]:
        """Return table → stores, sorted, of an array (T by S)."""
        stores = self.reads.compiled.stores
        return {
            table: tuple(sorted(stores[column] for column in np.flatnonzero(row)))
            for table, row in zip(self.reads.compiled.tables, held, strict=True)
        }

    def weigh(self, held: Booleans) -> tuple[Floats, Floats]:
        """Return (P) what placements (T by S by P) break, and their seconds a period."""
        query_s, query_money = self.reads.read(self.everything, held)
        copies_s = np.tensordot(self.reads.copies_s, held.astype(float), axes=2)
        money = query_money.sum(axis=0) + self.storage_money(held)
        broken = self.reads.breach(self.everything, query_s) + self.overspent(money)
        seconds = self.reads.seconds(self.everything, query_s) + copies_s
        return self.breaches.of(held) + broken, seconds

    def storage_money(self, held: Booleans) -> Floats:
        """Return (P): what copies cost a month."""
        total: Floats = np.tensordot(self.reads.storage_money, held.astype(float), axes=2)
        return total

    def overspent(self, money: Floats) -> Floats:
        """Return (P): how far money is over its limit, by `Breaches`."""
        return overspent(self.problem, money)


def capacities_bytes(problem: PlacementProblem) -> list[int]:
    """Return what each store can take; one without a capacity takes all tables."""
    total = sum(problem.table_bytes.values())
    return [total if s.capacity_bytes is None else s.capacity_bytes for s in problem.stores]


def _changed(now: Booleans, columns: Sequence[int]) -> Booleans:
    after = now.copy()
    after[list(columns)] = ~after[list(columns)]
    return after


def _units(problem: PlacementProblem) -> list[Unit]:
    """Return the tables in sets that stay together, by their first table in the problem's order."""
    row = {table: number for number, table in enumerate(problem.table_bytes)}
    home = {number: {number} for number in row.values()}
    for tables in problem.constraints.together:
        merged: set[int] = set().union(*(home[row[table]] for table in tables))
        for number in merged:
            home[number] = merged
    sizes = np.array(list(problem.table_bytes.values()), dtype=float)
    pinned, excluded = pinned_to(problem), excluded_from(problem)
    units = []
    for number, members in home.items():
        if number == min(members):
            tables_ = np.array(sorted(members))
            units.append(
                Unit(
                    tables=tables_,
                    size_bytes=float(sizes[tables_].sum()),
                    pinned=pinned[tables_].any(axis=0),
                    allowed=~excluded[tables_].any(axis=0),
                )
            )
    return units
