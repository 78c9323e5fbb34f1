"""Breaches of the limits on tables' places, as one number that a search can lower to zero."""

from collections.abc import Sequence

import numpy as np

from placement.constraints import CONSTRAINTS
from placement.constraints.breach import Booleans, Floats, Integers
from placement.problem import PlacementProblem

NONE = 0.5
"""Less than this is no breach: each limit that is broken counts at least 1."""


class Breaches:
    """Breaches of the limits on tables' places, for many placements.

    They are counted as `placement.constraints.breach` says. The sum is 0 where all of them hold.
    """

    def __init__(self, problem: PlacementProblem) -> None:
        found = (constraint.breach(problem) for constraint in CONSTRAINTS)
        self._breaches = tuple(breach for breach in found if breach is not None)

    def of(self, held: Booleans) -> Floats:
        """Return (P): how far each placement (T by S by P) is over; 0 where it is not."""
        over = np.zeros(held.shape[2])
        for breach in self._breaches:
            over += breach.over(breach.total(held))
        return over

    def after(self, held: Booleans, units: Sequence[Integers], stores: Booleans) -> Floats:
        """Return (M): what `of` says of one placement (T by S) with one unit's stores changed.

        The tables of `units` (M) are then in `stores` (M by S). It takes time for the units, not
        for all tables.
        """
        sizes = [len(unit) for unit in units]
        tables = np.concatenate(units) if len(units) else np.zeros(0, dtype=np.int64)
        now, then = held[tables], np.repeat(stores, sizes, axis=0)
        starts = np.concatenate(([0], np.cumsum(sizes)))[:-1].astype(np.int64)
        over = np.zeros(len(units))
        for breach in self._breaches:
            changes = np.add.reduceat(breach.changes(tables, now, then), starts, axis=0)
            over += breach.over(breach.total(held[:, :, None]) + np.moveaxis(changes, 0, -1))
        return over
