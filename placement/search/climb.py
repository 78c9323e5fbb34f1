"""Raising a bound step by step: a subgradient method with averaged directions.

Held, Wolfe and Crowder: Validation of subgradient optimization, Mathematical Programming 6, 1974;
Barahona and Anbil: The volume algorithm, Mathematical Programming 87, 2000.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Floats

AVERAGING = 0.05
SHRINK = 0.8
SHORTEST_STEP = 1e-3
TARGET = 1.5
CAPACITY_SCALE = 0.1
HUGE = 1e60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prices:
    """The cost of uses of copies, or the direction in which it moves.

    `source` (A by S): what a source pays for a copy; `joint` (N by S): what a pair of sources pays
    for being joined in a store; `capacity` (S): what a store's whole capacity costs.
    """

    source: Floats
    joint: Floats
    capacity: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Value:
    """The bound at some prices, the direction in which it rises, and copies taken (T by S)."""

    bound_s: float
    slope: Prices
    held: Floats


class Climb:
    """One ascent: the present prices, the best ones, and the averages.

    `patience` steps without a gain shorten the next ones, which begin with `length`. `leaning`
    (T by S) is the average of copies taken to go on from.
    """

    def __init__(
        self,
        at: Callable[[Prices], Value],
        scale: tuple[Floats, Floats],
        prices: Prices,
        *,
        patience: int,
        length: float = 1.0,
        leaning: Floats | None = None,
    ) -> None:
        self._at = at
        self._source_scale, self._joint_scale = scale
        self._now = prices
        self._patience = patience
        self._length = length
        self._since = 0
        self._slope: Prices | None = None
        self.best = prices
        self.bound_s = -np.inf
        self.steps = 0
        self.leaning = leaning

    @property
    def done(self) -> bool:
        """Whether steps have become too short to gain anything."""
        return self._length < SHORTEST_STEP

    def step(self) -> None:
        """Look at the present prices, and move on."""
        value = self._at(self._now)
        if not np.isfinite(value.bound_s):  # a query that no store can run
            self.bound_s, self._length = np.inf, 0.0
            return
        self._keep(value.bound_s)
        if value.bound_s > HUGE:  # no placement keeps to the limits, and prices rise without end
            self._length = 0.0
            return
        leaning, slope = self.leaning, self._slope
        self.leaning = value.held if leaning is None else _mixed(leaning, value.held)
        self._slope = value.slope if slope is None else _averaged(slope, value.slope)
        self._move(value.bound_s, self._slope)
        self.steps += 1

    def _keep(self, bound_s: float) -> None:
        """Remember the best prices; go back to them, and on in shorter steps, after a while."""
        self._since += 1
        if bound_s > self.bound_s:
            if bound_s > self.bound_s + 1e-4 * abs(self.bound_s):
                self._since = 0
            self.bound_s, self.best = bound_s, self._now
        if self._since > self._patience:
            self._length *= SHRINK
            self._since = 0
            self._now = self.best

    def _move(self, bound_s: float, slope: Prices) -> None:
        best = self.bound_s
        goal = best + (TARGET - 1.0) * abs(best)
        capacity_scale = CAPACITY_SCALE * abs(best) / len(slope.capacity)
        norm = (
            float((self._source_scale * slope.source * slope.source).sum())
            + float((self._joint_scale * slope.joint * slope.joint).sum())
            + float((capacity_scale * slope.capacity * slope.capacity).sum())
        )
        if norm <= 0:
            return
        missing = max(goal - max(bound_s, best - 0.2 * abs(best)), 1e-9 * abs(best))
        length = self._length * missing / norm
        now = self._now
        self._now = Prices(
            source=np.maximum(0.0, now.source + length * self._source_scale * slope.source),
            joint=np.maximum(0.0, now.joint + length * self._joint_scale * slope.joint),
            capacity=np.maximum(0.0, now.capacity + length * capacity_scale * slope.capacity),
        )


def _averaged(average: Prices, latest: Prices) -> Prices:
    return Prices(
        source=_mixed(average.source, latest.source),
        joint=_mixed(average.joint, latest.joint),
        capacity=_mixed(average.capacity, latest.capacity),
    )


def _mixed(average: Floats, latest: Floats) -> Floats:
    return (1.0 - AVERAGING) * average + AVERAGING * latest
