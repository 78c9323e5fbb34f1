"""Single moves of a placement: what each gains and breaks.

A move gives tables that stay together other stores: it moves, adds or drops one copy.
"""

from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Booleans, Floats, Integers
from placement.search.terrain import Terrain
from placement.time_limit import Looks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moves:
    """M moves, and what each does alone.

    `unit` (M): the number of the unit that moves; `stores` (M by S): its stores afterwards;
    `gain_s` (M): seconds a period; `read_breach` and `money` (M): the change of what queries
    break, and of all money a month.
    """

    unit: Integers
    stores: Booleans
    gain_s: Floats
    read_breach: Floats
    money: Floats


@dataclass(slots=True, kw_only=True, eq=False)
class _Priced:
    """Costs of a unit's queries for its stores (column 0) and possible next ones (M by S).

    `query_s` and `money` are (queries by M); `stale` marks queries to be priced again. `moves` is
    what came of them when they were priced.
    """

    stores: Booleans
    query_s: Floats
    money: Floats
    stale: Booleans
    moves: Moves | None = None


class Position:
    """A placement that moves change, one after the other.

    A move is priced again only for the queries that the moves since then have touched.
    """

    def __init__(self, terrain: Terrain, held: Booleans) -> None:
        self.terrain = terrain
        self.held = held.copy()
        self._priced: dict[int, _Priced] = {}
        query_s, money = terrain.reads.read(terrain.everything, held[:, :, None])
        self._query_s, self._query_money = query_s[:, 0], money[:, 0]
        self._weigh()

    def moves(self, *, known: bool = False, looks: Looks | None = None) -> Moves:
        """Return every move, by unit in the problem's order; first copies moved, added, dropped.

        Where `known` will do, units are priced as they were when they were last asked for. Where
        the time of `looks` is over before all are priced, that raises OutOfTimeError.
        """
        parts = []
        for number in range(len(self.terrain.units)):
            parts.append(self._moves_of(number, known=known))
            if looks is not None:
                looks.step(self.terrain.steps)
        return Moves(
            unit=np.concatenate([part.unit for part in parts]),
            stores=np.concatenate([part.stores for part in parts]),
            gain_s=np.concatenate([part.gain_s for part in parts]),
            read_breach=np.concatenate([part.read_breach for part in parts]),
            money=np.concatenate([part.money for part in parts]),
        )

    def breach_after(self, moves: Moves, chosen: Integers) -> Floats:
        """Return what is broken after each of the chosen moves alone."""
        tables = [self.terrain.units[unit].tables for unit in moves.unit[chosen].tolist()]
        return (
            self.terrain.breaches.after(self.held, tables, moves.stores[chosen])
            + (self._read_breach + moves.read_breach[chosen])
            + self.terrain.overspent(self._money + moves.money[chosen])
        )

    def take(self, unit: int, stores: Booleans) -> None:
        """Give a unit other stores."""
        terrain = self.terrain
        self.held[terrain.units[unit].tables] = stores
        queries = terrain.readers[unit]
        query_s, money = terrain.reads.read(queries, self.held[:, :, None])
        self._query_s[queries], self._query_money[queries] = query_s[:, 0], money[:, 0]
        touched = np.zeros(len(terrain.everything), dtype=bool)
        touched[queries] = True
        for number in terrain.neighbours[unit]:
            if number in self._priced:
                self._priced[number].stale |= touched[terrain.readers[number]]
        self._priced.pop(unit, None)
        self._weigh()

    def swaps(self, unit: int) -> tuple[Integers, Floats]:
        """Return the units that may change stores with `unit`, and what is broken afterwards."""
        terrain, first = self.terrain, self.terrain.units[unit]
        here = self.held[first.tables[0]]
        others = []
        for number, other in enumerate(terrain.units):
            there = self.held[other.tables[0]]
            if (there != here).any() and first.may(there) and other.may(here):
                others.append(number)
        after = np.repeat(self.held[:, :, None], len(others), axis=2)
        for column, number in enumerate(others):
            tables = terrain.units[number].tables
            after[first.tables, :, column] = self.held[tables[0]]
            after[tables, :, column] = here
        return np.array(others, dtype=np.int64), terrain.weigh(after)[0]

    def copy(self) -> "Position":
        """Return a position that moves on its own."""
        twin = object.__new__(Position)
        twin.terrain, twin.held = self.terrain, self.held.copy()
        twin._query_s, twin._query_money = self._query_s.copy(), self._query_money.copy()
        twin._priced = {
            number: _Priced(
                stores=each.stores,
                query_s=each.query_s.copy(),
                money=each.money.copy(),
                stale=each.stale.copy(),
                moves=each.moves,
            )
            for number, each in self._priced.items()
        }
        twin._weigh()
        return twin

    def _weigh(self) -> None:
        terrain, held = self.terrain, self.held[:, :, None]
        queries, query_s = terrain.everything, self._query_s[:, None]
        self._read_breach = float(terrain.reads.breach(queries, query_s)[0])
        self._money = float(self._query_money.sum() + terrain.storage_money(held)[0])
        placed = terrain.breaches.of(held) + terrain.overspent(np.array([self._money]))
        self.breach = float(placed[0]) + self._read_breach
        copies_s = np.sum(terrain.reads.copies_s[self.held])
        self.seconds = float(terrain.reads.seconds(queries, query_s)[0] + copies_s)

    def refresh(self, unit: int) -> bool:
        """Price a unit's moves again; whether any of its queries had been touched since."""
        priced = self._priced.get(unit)
        if priced is not None and not priced.stale.any():
            return False
        self._moves_of(unit, known=False)
        return True

    def _moves_of(self, number: int, *, known: bool) -> Moves:
        """Return the moves of a unit."""
        before = self._priced.get(number)
        if before is not None and before.moves is not None and (known or not before.stale.any()):
            return before.moves
        terrain, reads = self.terrain, self.terrain.reads
        priced, queries = self._price(number), terrain.readers[number]
        sizes_s = priced.stores @ reads.copies_s[terrain.units[number].tables].sum(axis=0)
        seconds = reads.seconds(queries, priced.query_s) + sizes_s
        breach = reads.breach(queries, priced.query_s)
        money = priced.money.sum(axis=0) + priced.stores @ terrain.unit_money[number]
        priced.moves = Moves(
            unit=np.full(len(seconds) - 1, number),
            stores=priced.stores[1:],
            gain_s=seconds[0] - seconds[1:],
            read_breach=breach[1:] - breach[0],
            money=money[1:] - money[0],
        )
        return priced.moves

    def _price(self, number: int) -> _Priced:
        """Return the unit's moves, priced for all of its queries."""
        terrain, unit = self.terrain, self.terrain.units[number]
        queries = terrain.readers[number]
        priced = self._priced.get(number)
        if priced is None:
            now = self.held[unit.tables[0]]
            after = unit.next_stores(now, terrain.problem.constraints.max_copies)
            stores = np.vstack([now[None], after])
            blank = np.zeros((len(queries), len(stores)))
            stale = np.ones(len(queries), dtype=bool)
            priced = _Priced(stores=stores, query_s=blank, money=blank.copy(), stale=stale)
            self._priced[number] = priced
        if priced.stale.any():
            held = self._after(np.full(len(priced.stores), number), priced.stores)
            found = terrain.reads.read(queries[priced.stale], held, among=queries)
            priced.query_s[priced.stale], priced.money[priced.stale] = found
            priced.stale[:] = False
        return priced

    def _after(self, unit: Integers, stores: Booleans) -> Booleans:
        after = np.repeat(self.held[:, :, None], len(unit), axis=2)
        for column, number in enumerate(unit.tolist()):
            after[self.terrain.units[number].tables, :, column] = stores[column]
        return after
