"""Breaches of limits as numbers that a search can lower to zero, for many placements at once.

A table or a copy too many or too few counts 1. A limit in bytes that is broken counts 1 and the
bytes over it, as a share of all tables' bytes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from placement.problem import PlacementProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class Breach(Protocol):
    """Quantities of placements that add up over tables, and how far they are over their limits."""

    def total(self, held: Booleans) -> Floats:
        """Return (… by P): the quantities of placements (T by S by P)."""

    def changes(self, tables: Integers, now: Booleans, then: Booleans) -> Floats:
        """Return (K by …): the change where each of K tables is in other stores (K by S)."""

    def over(self, total: Floats) -> Floats:
        """Return (P) how far quantities (… by P) are over the limits; 0 where they are not."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OfTables(Breach):
    """A number a table: `each` (tables (K), stores (K by S by P)) → (K by P).

    `too_much` (P) → (P) says how far their sum is over; None where the sum says it itself.
    """

    each: Callable[[Integers, Booleans], Floats]
    too_much: Callable[[Floats], Floats] | None = None

    def total(self, held: Booleans) -> Floats:
        """Return (P): the sum over all tables."""
        total: Floats = self.each(np.arange(len(held)), held).sum(axis=0)
        return total

    def changes(self, tables: Integers, now: Booleans, then: Booleans) -> Floats:
        """Return (K): the change of each table's number."""
        changed: Floats = (
            self.each(tables, then[:, :, None]) - self.each(tables, now[:, :, None])
        )[:, 0]
        return changed

    def over(self, total: Floats) -> Floats:
        """Return (P) how far the sum (P) is over."""
        return total if self.too_much is None else self.too_much(total)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OfStores(Breach):
    """Sums of the `weights` (Q by T) of the tables in each store.

    `too_much` (Q by S by P) → (P) says how far they are over.
    """

    weights: Floats
    too_much: Callable[[Floats], Floats]

    def total(self, held: Booleans) -> Floats:
        """Return (Q by S by P): the sums in each store."""
        return np.tensordot(self.weights, held.astype(float), axes=1)

    def changes(self, tables: Integers, now: Booleans, then: Booleans) -> Floats:
        """Return (K by Q by S): the weights that each table brings or takes away."""
        more = then.astype(float) - now
        changed: Floats = self.weights.T[tables, :, None] * more[:, None, :]
        return changed

    def over(self, total: Floats) -> Floats:
        """Return (P) how far the sums (Q by S by P) are over."""
        return self.too_much(total)


def sizes_of(problem: PlacementProblem) -> Floats:
    """Return (T): the tables' bytes."""
    return np.array(list(problem.table_bytes.values()), dtype=float)


def in_bytes(problem: PlacementProblem) -> Callable[[Floats], Floats]:
    """Return what makes of bytes over a limit the breach that they count."""
    unit = max(1.0, float(sum(problem.table_bytes.values())))

    def counted(excess_bytes: Floats) -> Floats:
        return np.where(excess_bytes > 0, 1 + excess_bytes / unit, 0.0)

    return counted


def memberships(problem: PlacementProblem, sets: Iterable[Iterable[str]]) -> Floats:
    """Return (sets by T): 1 for each table of a set."""
    rows = [[float(table in tables) for table in problem.table_bytes] for tables in sets]
    return np.array(rows, dtype=float).reshape(len(rows), len(problem.table_bytes))


def mask(problem: PlacementProblem, stores_of: Mapping[str, Iterable[str]]) -> Booleans:
    """Return (T by S): whether a table is mapped to a store."""
    rows = [
        [store.name in stores_of.get(table, ()) for store in problem.stores]
        for table in problem.table_bytes
    ]
    return np.array(rows, dtype=bool).reshape(len(problem.table_bytes), len(problem.stores))
