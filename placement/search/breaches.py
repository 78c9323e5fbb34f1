"""Breaches of the hard limits, as numbers that a search can lower to zero."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Booleans, Floats, Integers
from placement.problem import LIMIT_TOLERANCE, PlacementProblem

NONE = 0.5
"""Less than this is no breach: each limit that is broken counts at least 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tally:
    """The quantities that limits bound, counted for P placements.

    `wrong` (P): tables without a copy, copies too many, missing where pinned, and where excluded;
    `loads` (S by P) in bytes; `further_bytes` (P): copies beyond the first; `crowds` (sets of
    `apart` by S by P): their tables in a store; `new` and `new_bytes` (P): copies that are moves.
    """

    wrong: Floats
    loads: Floats
    further_bytes: Floats
    crowds: Floats
    new: Floats
    new_bytes: Floats


class Breaches:
    """Breaches of the limits on tables' places, for many placements.

    A table or copy too many or too few counts 1; a limit in bytes that is broken counts 1 and
    the bytes over it, as a share of all tables' bytes. The sum is 0 where all of them hold.
    """

    def __init__(self, problem: PlacementProblem) -> None:
        self._limits = problem.constraints
        self._row = {table: row for row, table in enumerate(problem.table_bytes)}
        self._column = {store.name: column for column, store in enumerate(problem.stores)}
        self._bytes = np.array(list(problem.table_bytes.values()), dtype=float)
        self._unit = max(1.0, float(self._bytes.sum()))
        self._capacity = np.array(
            [np.inf if s.capacity_bytes is None else s.capacity_bytes for s in problem.stores]
        )
        self.pinned = self._mask(self._limits.pin)
        self.excluded = self._mask(self._limits.exclude)
        self._moves = np.array(
            [[problem.is_move(table, name) for name in self._column] for table in self._row],
            dtype=bool,
        ).reshape(len(self._row), len(self._column))
        self._apart = np.zeros((len(self._limits.apart), len(self._row)))
        for number, tables in enumerate(self._limits.apart):
            self._apart[number, self._rows(tables)] = 1.0

    def of(self, held: Booleans) -> Floats:
        """Return (P): how far each placement (T by S by P) is over; 0 where it is not."""
        over: Floats = self._over_all(self._tally(held)) + self._split(held).sum(axis=0)
        return over

    def after(self, held: Booleans, units: Sequence[Integers], stores: Booleans) -> Floats:
        """Return (M): what `of` says of one placement (T by S) with one unit's stores changed.

        The tables of `units` (M) are then in `stores` (M by S); tables that stay together are in
        one unit. It takes time for the units, not for all tables.
        """
        before = self._tally(held[:, :, None])
        split = self._split(held[:, :, None])
        owner = np.repeat(np.arange(len(units)), [len(unit) for unit in units])
        tables = np.concatenate(units) if len(units) else np.zeros(0, dtype=np.int64)
        now, then = held[tables], stores[owner]
        more = then.astype(float) - now
        size = self._bytes[tables]
        further = _further(then.sum(axis=1)) - _further(now.sum(axis=1))
        new = self._moves[tables] * more
        starts = np.concatenate(([0], np.cumsum([len(unit) for unit in units])))[:-1]

        def sums(changes: Floats) -> Floats:
            """Add up what the tables of each unit change (their number by …) → (… by M)."""
            return np.add.reduceat(changes, starts.astype(np.int64), axis=0).T

        changed = self._over_all(
            _Tally(
                wrong=before.wrong + sums(self._wrong(tables, then) - self._wrong(tables, now)),
                loads=before.loads + sums(size[:, None] * more),
                further_bytes=before.further_bytes + sums(size * further),
                crowds=before.crowds
                + sums(self._apart.T[tables, :, None] * more[:, None, :]).transpose(1, 0, 2),
                new=before.new + sums(new.sum(axis=1)),
                new_bytes=before.new_bytes + sums(size * new.sum(axis=1)),
            )
        )
        united = sums(split[tables, 0])
        over: Floats = changed + split.sum() - united
        return over

    def _tally(self, held: Booleans) -> _Tally:
        copies = held.sum(axis=1)
        wrong = (
            self._copies_wrong(copies).sum(axis=0)
            + np.count_nonzero(self.pinned[:, :, None] & ~held, axis=(0, 1))
            + np.count_nonzero(self.excluded[:, :, None] & held, axis=(0, 1))
        )
        new = (held & self._moves[:, :, None]).sum(axis=1)
        return _Tally(
            wrong=wrong,
            loads=np.tensordot(self._bytes, held.astype(float), axes=1),
            further_bytes=self._bytes @ _further(copies),
            crowds=np.tensordot(self._apart, held.astype(float), axes=1),
            new=new.sum(axis=0),
            new_bytes=self._bytes @ new,
        )

    def _wrong(self, tables: Integers, held: Booleans) -> Floats:
        """Return what is wrong with each table (K) in its stores (K by S)."""
        found: Floats = (
            self._copies_wrong(held.sum(axis=1))
            + (self.pinned[tables] & ~held).sum(axis=1)
            + (self.excluded[tables] & held).sum(axis=1)
        )
        return found

    def _copies_wrong(self, copies: Integers) -> Integers:
        found: Integers = (copies == 0) + np.maximum(copies - self._limits.max_copies, 0)
        return found

    def _over_all(self, tally: _Tally) -> Floats:
        """Return (P) how far what was tallied is over all limits but `together`."""
        limits = self._limits
        over: Floats = (
            tally.wrong
            + self._over(tally.loads - self._capacity[:, None]).sum(axis=0)
            + np.maximum(tally.crowds - 1, 0).sum(axis=(0, 1))
        )
        if limits.max_copy_bytes is not None:
            over = over + self._over(tally.further_bytes - limits.max_copy_bytes)
        if limits.balance is not None:
            mean = tally.loads.mean(axis=0)
            most = (limits.balance + LIMIT_TOLERANCE) * mean
            over = over + self._over(np.abs(tally.loads - mean) - most).sum(axis=0)
        if limits.max_moves is not None:
            over = over + np.maximum(tally.new - limits.max_moves, 0)
        if limits.max_move_bytes is not None:
            over = over + self._over(tally.new_bytes - limits.max_move_bytes)
        return over

    def _split(self, held: Booleans) -> Floats:
        """Return (T by P) in how many stores only some of the tables are that stay together.

        It is counted at the first table of each set.
        """
        over = np.zeros((held.shape[0], held.shape[2]))
        for tables in self._limits.together:
            first, *_ = rows = self._rows(tables)
            over[first] += (held[rows].any(axis=0) & ~held[rows].all(axis=0)).sum(axis=0)
        return over

    def _over(self, excess_bytes: Floats) -> Floats:
        return np.where(excess_bytes > 0, 1 + excess_bytes / self._unit, 0.0)

    def _rows(self, tables: Iterable[str]) -> list[int]:
        return sorted(self._row[table] for table in tables)

    def _mask(self, stores_of: Mapping[str, Iterable[str]]) -> Booleans:
        mask = np.zeros((len(self._row), len(self._column)), dtype=bool)
        for table, stores in stores_of.items():
            for store in stores:
                mask[self._row[table], self._column[store]] = True
        return mask


def _further(copies: Integers) -> Integers:
    found: Integers = np.maximum(copies - 1, 0)
    return found
