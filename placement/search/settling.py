"""A first placement by settling tables one after the other, where room has its price.

Each table takes the stores where it costs least while all others stay where they are, the
largest first; then all again, the smallest first, until that gains little. A copy pays for the
room it takes at the price that the relaxation found for a full store: without that the large
tables fill the fast stores with copies, and leave no room for what is joined with them.

A Lagrangian heuristic (Beasley: Lagrangian relaxation, in: Modern Heuristic Techniques for
Combinatorial Problems, 1993) by coordinate descent.
"""

import time
from collections.abc import Sequence

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Floats
from placement.arrays.compiled_part import part, readers
from placement.search.bound import Bound, Relaxation
from placement.search.room import Room

MOST_SWEEPS = 12
LITTLE = 1e-4
"""A sweep that gains less, as a share of the cost, is the last."""


def settled(relaxation: Relaxation, bound: Bound, where: Room, ends: float) -> Booleans:
    """Return a placement (T by S), settling until `ends` (monotonic seconds) at the latest.

    A table that fits nowhere overfills the emptiest store that it may be in.
    """
    compiled = relaxation.compiled
    problem = compiled.problem
    prices = compiled.copies_s() + bound.prices.capacity * relaxation.load
    sizes = np.array([problem.table_bytes[table] for table in compiled.tables], dtype=float)
    settling = _Settling(compiled, where, prices, sizes)
    largest_first = np.argsort(-sizes, kind="stable").tolist()
    for table in largest_first:
        settling.settle(table, most=1)
    cost_s = np.inf
    for _ in range(MOST_SWEEPS):
        for table in reversed(largest_first):
            settling.settle(table, most=problem.constraints.max_copies)
            if time.monotonic() >= ends:
                return settling.held
        now_s = settling.cost_s()
        if now_s >= cost_s * (1 - LITTLE):
            break
        cost_s = now_s
    return settling.held


class _Settling:
    """A partial placement: tables that have not settled are wherever they may be."""

    def __init__(self, compiled: Compiled, where: Room, prices: Floats, sizes: Floats) -> None:
        self._compiled = compiled
        self._where = where
        self._prices = prices
        self._sizes = sizes
        self._readers = readers(compiled)
        self._settled = np.zeros(len(sizes), dtype=bool)
        self._free = np.array(
            [
                np.inf if store.capacity_bytes is None else float(store.capacity_bytes)
                for store in compiled.problem.stores
            ]
        )
        self._free -= where.required.T @ sizes
        self.held = where.allowed.copy()

    def cost_s(self) -> float:
        """Return what the queries and copies cost a period, room at its price."""
        query_s = self._compiled.query_s(self.held[:, :, None])[:, 0]
        copies_s = float(self._prices[self.held].sum())
        return float(self._compiled.executions @ np.minimum(query_s, 1e30)) + copies_s

    def settle(self, table: int, most: int) -> None:
        """Give a table its best stores, one after the other, at most `most` and what it must."""
        required, size = self._where.required[table], self._sizes[table]
        if self._settled[table]:
            self._free += np.where(self.held[table] & ~required, size, 0.0)
        self._settled[table] = True
        few = part(self._compiled, self._readers[table])
        now = required.copy()
        cost_s = float(self._costs(few, table, [now])[0]) if now.any() else np.inf
        while now.sum() < max(most, 1):
            open_ = np.flatnonzero(self._where.allowed[table] & ~now & (size <= self._free))
            if not len(open_):
                break
            choices = [_with(now, store) for store in open_.tolist()]
            costs_s = self._costs(few, table, choices)
            best = int(np.argmin(costs_s))
            if now.any() and costs_s[best] >= cost_s:
                break
            cost_s, now = float(costs_s[best]), choices[best]
            self._free[open_[best]] -= size
        if not now.any():
            emptiest = int(np.argmax(np.where(self._where.allowed[table], self._free, -np.inf)))
            now = _with(now, emptiest)
            self._free[emptiest] -= size
        self.held[table] = now

    def _costs(self, few: Compiled, table: int, choices: Sequence[Booleans]) -> Floats:
        """Return what a table's queries and copies cost for each choice of its stores."""
        stores: Booleans = np.array(choices)
        held = np.repeat(self.held[:, :, None], len(choices), axis=2)
        held[table] = stores.T
        query_s = np.minimum(few.query_s(held), 1e30)
        costs: Floats = few.executions @ query_s + stores @ self._prices[table]
        return costs


def _with(stores: Booleans, store: int) -> Booleans:
    after = stores.copy()
    after[store] = True
    return after
