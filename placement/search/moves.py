"""Single moves of a placement: what each gains and breaks, and descents by them.

A move gives tables that stay together other stores: it moves, adds or drops one copy.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Booleans, Floats, Integers
from placement.search.breaches import NONE
from placement.search.terrain import Terrain, capacities_bytes

TOLERANCE = 1e-9
LOOKED_AT = 64
"""Moves that are checked against the limits at a time, the worthiest first."""


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
    """What a unit's queries make of the stores it has (column 0) and may have next (M by S).

    `query_s` and `money` are (queries by M); `stale` marks queries to be priced again.
    """

    stores: Booleans
    query_s: Floats
    money: Floats
    stale: Booleans


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

    def moves(self) -> Moves:
        """Return every move, by unit in the problem's order; first copies moved, added, dropped."""
        terrain, reads = self.terrain, self.terrain.reads
        parts = []
        for number, unit in enumerate(terrain.units):
            priced = self._price(number)
            queries = terrain.readers[number]
            sizes_s = priced.stores @ reads.copies_s[unit.tables].sum(axis=0)
            seconds = reads.seconds(queries, priced.query_s) + sizes_s
            breach = reads.breach(queries, priced.query_s)
            money = priced.money.sum(axis=0) + priced.stores @ terrain.unit_money[number]
            parts.append(
                Moves(
                    unit=np.full(len(seconds) - 1, number),
                    stores=priced.stores[1:],
                    gain_s=seconds[0] - seconds[1:],
                    read_breach=breach[1:] - breach[0],
                    money=money[1:] - money[0],
                )
            )
        return Moves(
            unit=np.concatenate([part.unit for part in parts]),
            stores=np.concatenate([part.stores for part in parts]),
            gain_s=np.concatenate([part.gain_s for part in parts]),
            read_breach=np.concatenate([part.read_breach for part in parts]),
            money=np.concatenate([part.money for part in parts]),
        )

    def breach_after(self, moves: Moves, chosen: Integers) -> Floats:
        """Return what is broken after each of the chosen moves alone."""
        held = self._after(moves.unit[chosen], moves.stores[chosen])
        return (
            self.terrain.breaches.of(held)
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
        for number in terrain.neighbours[unit]:
            if number in self._priced:
                self._priced[number].stale |= np.isin(terrain.readers[number], queries)
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
            found = terrain.reads.read(queries[priced.stale], held)
            priced.query_s[priced.stale], priced.money[priced.stale] = found
            priced.stale[:] = False
        return priced

    def _after(self, unit: Integers, stores: Booleans) -> Booleans:
        after = np.repeat(self.held[:, :, None], len(unit), axis=2)
        for column, number in enumerate(unit.tolist()):
            after[self.terrain.units[number].tables, :, column] = stores[column]
        return after


def repair(position: Position) -> None:
    """Take the moves that break less at the least cost for it, until none does.

    Where no single move helps, two units that change stores may; and where that does not help
    either, all copies that are too many for a placement without any are dropped, once.
    """
    dropped = False
    while position.breach > NONE:
        moves = position.moves()
        less = position.breach - position.breach_after(moves, np.arange(len(moves.unit)))
        better = np.flatnonzero(less > TOLERANCE)
        if len(better):
            best = better[np.argmax(moves.gain_s[better] / less[better])]
            position.take(int(moves.unit[best]), moves.stores[best])
        elif not _swap(position):
            if dropped or not _drop_copies(position):
                return
            dropped = True


def improve(position: Position, worth: Callable[[Moves], Floats]) -> None:
    """Take the move of the highest `worth` that gains and breaks no more, until none does."""
    while (best := _worthiest(position, moves := position.moves(), worth(moves))) is not None:
        position.take(int(moves.unit[best]), moves.stores[best])


def _worthiest(position: Position, moves: Moves, worth: Floats) -> int | None:
    gaining = np.flatnonzero(moves.gain_s > TOLERANCE * position.seconds)
    ordered = gaining[np.argsort(-worth[gaining], kind="stable")]
    most = max(NONE, position.breach + TOLERANCE)
    for first in range(0, len(ordered), LOOKED_AT):
        some = ordered[first : first + LOOKED_AT]
        open_ = np.flatnonzero(position.breach_after(moves, some) < most)
        if len(open_):
            return int(some[open_[0]])
    return None


def _swap(position: Position) -> bool:
    """Let two units change stores where that breaks less; the larger ones are tried first."""
    units = position.terrain.units
    for number in sorted(range(len(units)), key=lambda each: -units[each].size_bytes):
        others, breach = position.swaps(number)
        if len(others) and breach.min() < position.breach - TOLERANCE:
            other = int(others[np.argmin(breach)])
            here, there = (position.held[units[each].tables[0]].copy() for each in (number, other))
            position.take(number, there)
            position.take(other, here)
            return True
    return False


def _drop_copies(position: Position) -> bool:
    """Leave of each unit what is pinned, or the copy in the store with the most room."""
    terrain, found = position.terrain, False
    capacity = np.array(capacities_bytes(terrain.problem), dtype=float)
    for number in sorted(range(len(terrain.units)), key=lambda n: -terrain.units[n].size_bytes):
        unit = terrain.units[number]
        now = position.held[unit.tables[0]]
        if now.sum() <= max(1, unit.pinned.sum()):
            continue
        kept = now & unit.pinned
        if not kept.any():
            room = capacity - terrain.table_bytes @ position.held
            kept[np.argmax(np.where(now, room, -np.inf))] = True
        position.take(number, kept)
        found = True
    return found
