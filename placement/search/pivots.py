"""Capacities of pivots: the room beside a table in a store.

Capacities alone let shares of every table be in every store, each beside all others: a fifth of
a dimension joins all facts in each of five stores. Here a table is a *pivot* of the larger ones
that fragments join it with. In a store that holds a share of the pivot, what is joined with it is
at most that share of what fits beside it. No placement breaks that.

Each capacity is multiplied by the variable of a copy, as in Sherali and Adams: A hierarchy of
relaxations between the continuous and convex hull representations, SIAM Journal on Discrete
Mathematics 3, 1990.
"""

from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Floats, Integers, Ragged
from placement.arrays.sums import Sums
from placement.search.room import Room

HEAVY = 0.002
"""The share of all bytes from which on a table counts as something that needs room."""
SMALLEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Beside:
    """The worth of joins with pivots in each store, at given prices.

    `gain_s` (T by S): what they earn a copy of a pivot; `joined` (N by S): the share of each joint
    source that the store takes where the pivot has a copy.
    """

    gain_s: Floats
    joined: Floats


class Pivots:
    """Pairs of sources that sets hold together: a pivot's, and one of a larger table.

    N pairs, ordered by their two tables; `first` and `second` (N) are their sources, `pivot` (N)
    is the first one's table. `set_` and `pair` (both I) say which sets hold which pairs, by set.
    """

    def __init__(self, compiled: Compiled, size: Floats, capacity: Floats) -> None:
        self._tables = len(compiled.tables)
        table = compiled.source_table
        set_, first, second = _pairs(compiled)
        worth = _worthwhile(table[first], table[second], size, capacity)
        set_, first, second = set_[worth], first[worth], second[worth]
        ordered = np.lexsort((second, first, table[second], table[first]))
        sources = np.stack([first, second], axis=1)[ordered]
        changed = np.ones(len(ordered), dtype=bool)
        changed[1:] = (sources[1:] != sources[:-1]).any(axis=1)
        self.first, self.second = sources[changed].T
        number = np.empty(len(ordered), dtype=np.int64)
        number[ordered] = np.cumsum(changed) - 1
        by_set = np.argsort(set_, kind="stable")
        self.set_, self.pair = set_[by_set], number[by_set]
        self._charged, first_of = np.unique(self.set_, return_index=True)
        self._sums = Sums(Ragged(starts=np.append(first_of, len(self.pair)), items=self.pair))
        self._couple(table, size, capacity)

    def __len__(self) -> int:
        return len(self.first)

    def charge(self, priced: Floats, prices: Floats) -> None:
        """Add to what sets cost (M by S) what they pay for their pairs at prices (N by S)."""
        if len(self):
            priced[self._charged] += self._sums.of(prices)

    def beside(self, prices: Floats, where: Room) -> Beside:
        """Return what stores join at best with each pivot at prices (N by S).

        Shares are allowed, which leaves the sum a bound. What a store must hold takes its room in
        any case.
        """
        stores = prices.shape[1]
        gain_s = np.zeros((self._tables, stores))
        if not len(self):
            return Beside(gain_s=gain_s, joined=np.zeros((0, stores)))
        shape = (len(self._pivots), int(self._slot.max()) + 1, stores)
        value, size = np.zeros(shape), np.zeros(shape)
        worth = np.add.reduceat(prices, self._couple_first, axis=0)
        value[self._row, self._slot] = np.where(where.allowed[self._partner], worth, 0.0)
        must = where.required[self._partner]
        size[self._row, self._slot] = np.where(must, 0.0, self._size[self._partner, None])
        held = np.where(where.required, self._size[:, None], 0.0)
        own = self._size[self._pivots, None] - held[self._pivots]
        room = np.maximum(self._capacity - held.sum(axis=0) - own, 0.0)
        taken = _filled(value, size, room)
        gain_s[self._pivots] = (taken * value).sum(axis=1)
        return Beside(gain_s=gain_s, joined=taken[self._row, self._slot][self._couple_of])

    def _couple(self, table: Integers, size: Floats, capacity: Floats) -> None:
        """Number the couples of a pivot and a partner, and the partners of each pivot."""
        code = table[self.first] * self._tables + table[self.second]
        couples, self._couple_first, self._couple_of = np.unique(
            code, return_index=True, return_inverse=True
        )
        self._partner = couples % self._tables
        self._pivots, start, self._row = np.unique(
            couples // self._tables, return_index=True, return_inverse=True
        )
        self._slot = np.arange(len(couples)) - start[self._row]
        self.pivot: Integers = self._pivots[self._row][self._couple_of]
        self._size, self._capacity = size, capacity


def _pairs(compiled: Compiled) -> tuple[Integers, Integers, Integers]:
    """Return every set with each two of its sources, in both orders."""
    sets = compiled.set_sources
    length = np.diff(sets.starts)
    nothing = np.zeros(0, dtype=np.int64)
    found = [(nothing, nothing, nothing)]
    for count in np.unique(length[length > 1]).tolist():
        of = np.flatnonzero(length == count)
        sources = sets.items[sets.starts[of][:, None] + np.arange(count)]
        one, other = np.nonzero(~np.eye(count, dtype=bool))
        found.append((np.repeat(of, len(one)), sources[:, one].ravel(), sources[:, other].ravel()))
    set_, first, second = (np.concatenate([each[i] for each in found]) for i in range(3))
    return set_, first, second


def _worthwhile(pivot: Integers, partner: Integers, size: Floats, capacity: Floats) -> Booleans:
    """Return which pairs can matter: a pivot's partners are larger, and fill some store."""
    rank = np.empty(len(size), dtype=np.int64)
    rank[np.argsort(-size, kind="stable")] = np.arange(len(size))
    larger = (rank[pivot] > rank[partner]) & (size[partner] >= HEAVY * size.sum())
    joint = np.zeros((len(size), len(size)), dtype=bool)
    joint[pivot[larger], partner[larger]] = True
    crowded = joint @ size + size > capacity.min(initial=np.inf)
    found: Booleans = larger & crowded[pivot]
    return found


def _filled(value: Floats, size: Floats, room: Floats) -> Floats:
    """Return the shares of partners that fill the room (P by S) with most value.

    All else is pivots by partners by stores.
    """
    order = np.argsort(-value / np.maximum(size, SMALLEST), axis=1, kind="stable")
    sizes = np.take_along_axis(size, order, axis=1)
    before = np.cumsum(sizes, axis=1) - sizes
    fits = np.clip((room[:, None, :] - before) / np.maximum(sizes, SMALLEST), 0.0, 1.0)
    taken = np.empty_like(value)
    np.put_along_axis(taken, order, np.where(sizes > 0, fits, 1.0), axis=1)
    shares: Floats = np.where(value > 0, taken, 0.0)
    return shares
