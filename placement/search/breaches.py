"""How far placements are over the hard limits: numbers that a search can lower to zero."""

from collections.abc import Iterable, Mapping

import numpy as np

from placement.arrays.compiled import Booleans, Floats, Integers
from placement.problem import LIMIT_TOLERANCE, PlacementProblem

NONE = 0.5
"""Less than this is no breach: each limit that is broken counts at least 1."""


class Breaches:
    """What many placements break of the limits that concern where tables are.

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

    def of(self, held: Booleans) -> Floats:
        """Return (P): how far each placement (T by S by P) is over; 0 where it is not."""
        copies = held.sum(axis=1)
        loads = np.tensordot(self._bytes, held.astype(float), axes=1)
        over: Floats = (
            (copies == 0).sum(axis=0)
            + np.maximum(copies - self._limits.max_copies, 0).sum(axis=0)
            + np.count_nonzero(self.pinned[:, :, None] & ~held, axis=(0, 1))
            + np.count_nonzero(self.excluded[:, :, None] & held, axis=(0, 1))
            + self._over(loads - self._capacity[:, None]).sum(axis=0)
            + self._neighbours(held)
            + self._sizes(copies, loads)
            + self._moved(held)
        )
        return over

    def _neighbours(self, held: Booleans) -> Floats:
        """Tables of a set are in the same stores, or no two of them in one."""
        over = np.zeros(held.shape[2])
        for tables in self._limits.together:
            rows = held[self._rows(tables)]
            over += (rows.any(axis=0) & ~rows.all(axis=0)).sum(axis=0)
        for tables in self._limits.apart:
            over += np.maximum(held[self._rows(tables)].sum(axis=0) - 1, 0).sum(axis=0)
        return over

    def _sizes(self, copies: Integers, loads: Floats) -> Floats:
        """The bytes of further copies have a limit, those in a store a distance to the mean."""
        over = np.zeros(loads.shape[1])
        if self._limits.max_copy_bytes is not None:
            further = self._bytes @ np.maximum(copies - 1, 0)
            over += self._over(further - self._limits.max_copy_bytes)
        if self._limits.balance is not None:
            mean = loads.mean(axis=0)
            over += self._over(
                np.abs(loads - mean) - (self._limits.balance + LIMIT_TOLERANCE) * mean
            ).sum(axis=0)
        return over

    def _moved(self, held: Booleans) -> Floats:
        """New copies have a limit in number and in bytes."""
        over = np.zeros(held.shape[2])
        new = held & self._moves[:, :, None]
        if self._limits.max_moves is not None:
            over += np.maximum(new.sum(axis=(0, 1)) - self._limits.max_moves, 0)
        if self._limits.max_move_bytes is not None:
            over += self._over(self._bytes @ new.sum(axis=1) - self._limits.max_move_bytes)
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
