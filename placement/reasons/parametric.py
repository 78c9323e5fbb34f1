"""At which factor on one figure another placement becomes the best.

A figure enters as the factor u on the work that it prices. The cost of a placement, its queries
routed as is best, is the least of finitely many lines in u, one a routing and choice of scans and
indexes: concave. So is the optimum's, the least over all placements. Hence, between two factors at
which the problem was solved, the optimum lies on or above the chord of the two optima, and the
placement on or below the lines of its two routings there: that bounds from above what keeping the
placement costs at any factor in between, without solving. What a placement loses is a difference of
concave functions, so the factors at which it is the best need not be an interval: the bound is what
is proven of those before the factor found. It holds where costs are linear in u and limits do not
depend on it; under the objective 'latency' or ceilings on latency, factors in between are unknown.

The factor is found by Newton's method on the optimum (Eisner and Severance 1976, "Mathematical
techniques for efficient record segmentation in large shared databases"): the best placement at
the far end and the one studied cost the same at some factor nearer to 1; the problem is solved
there, and so on until none is better.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, sqrt

from placement.limits.check import GAP_TOLERANCE
from placement.plan import Outcome, PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.parameters import Parameter
from placement.reasons.scaled_problem import Placement, ScaledProblem

MOST_SOLVES = 8
"""Of one figure in one direction, those at `REGRET_FACTORS` not counted."""
REGRET_FACTORS = (2.0, 4.0)
MOST_CUTS = 60
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A figure that is in truth larger, or smaller, than it was taken to be.

    `factor`: the figure's, at which another placement is better; None: at none that was solved.
    `exact`: there it begins to be, up to `before_s`; else it is so at the latest there. `before_s`:
    proven, the most that keeping the placement costs at any factor before; None where nothing is.
    `regret_s`: factors from there on → what keeping it costs; None where nothing fits.
    `moves`: the tables that are elsewhere in the placement that is better there.
    `solves` counts how often the problem was solved.
    """

    factor: float | None
    exact: bool
    before_s: float | None
    regret_s: Mapping[float, float | None] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    solves: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Peak:
    """A factor on the work, the most that the placement can lose there, and what it may."""

    at: float
    most_s: float
    allowed_s: float


@dataclass(slots=True, kw_only=True)
class Study:
    """One figure of a problem in one direction, and the placement that is kept.

    `best` is the optimum at factor 1, which the placement usually is of. Another one counts as
    better where keeping the placement costs more than `noticed`, a share of the best. Factors of
    the figure are studied from 1 to `widest`, which may be below 1.
    """

    problem: PlacementProblem
    placement: Placement
    parameter: Parameter
    best: PlacementPlan
    noticed: float
    widest: float
    _scaled: ScaledProblem = field(init=False)
    _placed: dict[float, tuple[float, float]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._scaled = ScaledProblem(problem=self.problem, parameter=self.parameter, best=self.best)

    @property
    def share_s(self) -> float:
        """Return the seconds of the placement that the figure makes, as it was taken to be."""
        return self._placed_at(1.0)[1]

    def direction(self) -> Direction:
        """Return what happens where the figure is off."""
        end = self.parameter.times(self.widest)
        if self._lost(1.0):
            return self._answer(1.0, exact=True)
        allowed_s = self.noticed * self.best.predicted_s
        if self._scaled.linear and end > 1 and (end - 1) * self.share_s <= allowed_s:
            # The optimum does not fall where work takes longer: no solve is needed.
            before_s = (
                self._placed_at(1.0)[0] - self._scaled.least_s(1.0) + (end - 1) * self.share_s
            )
            return Direction(factor=None, exact=True, before_s=before_s)
        switch, exact = self._switch(end) if self._lost(end) else (None, True)
        while self._scaled.linear and (at := self._peak(switch or end)) is not None:
            if len(self._scaled.optima) >= MOST_SOLVES:
                exact = False
                break
            if self._lost(at):
                switch, exact = self._switch(at)
        return self._answer(switch, exact=exact)

    def _answer(self, switch: float | None, *, exact: bool) -> Direction:
        end = self.parameter.times(self.widest)
        before_s = self._before_s(switch or end) if self._scaled.linear else None
        better = None if switch is None else self._better_past(switch)
        # the figure's own factor, and those beyond it at which regret is asked for
        factor = None if switch is None else self.parameter.times(switch)
        regret_s = {}
        for each in REGRET_FACTORS if factor is not None else ():
            asked = each if self.widest > 1 else 1 / each
            if factor is not None and (asked - factor) * (self.widest - 1) >= 0:
                regret_s[asked] = self._regret_s(self.parameter.times(asked))
        proven = all(
            p is None or p.outcome is Outcome.OPTIMAL for p in self._scaled.optima.values()
        )
        return Direction(
            factor=factor,
            exact=exact and proven,
            before_s=before_s,
            regret_s=regret_s,
            moves=() if better is None else moved(self.placement, better.placement),
            solves=len(self._scaled.optima) - 1,
        )

    def _better_past(self, switch: float) -> PlacementPlan | None:
        """Return the optimum at the solved factor nearest to `switch` at which it is better."""
        lost = [each for each in self._scaled.optima if self._lost(each)]
        nearest = min(lost, key=lambda each: abs(each - switch), default=switch)
        return self._scaled.optimum(nearest)

    def _switch(self, end: float) -> tuple[float, bool]:
        """Return where another placement becomes better, and whether it begins there."""
        low, high = 1.0, end
        while len(self._scaled.optima) < MOST_SOLVES:
            rival = self._scaled.optimum(high)
            at = sqrt(low * high) if rival is None else self._crossing(rival, low, high)
            if self._lost(at):
                if at in (low, high):
                    return at, True
                high = at
            elif rival is not None:
                return at, True
            else:
                low = at
        return high, False

    def _crossing(self, rival: PlacementPlan, low: float, high: float) -> float:
        """Return where the placement costs `noticed` more than the rival, between the two ends.

        By Newton's steps along the lines of both routings, inside a bracket that shrinks.
        """
        at = high
        for _ in range(MOST_CUTS):
            ours_s, our_slope_s = self._placed_at(at)
            theirs_s, their_slope_s = self._scaled.line(at, rival.placement)
            over_s = ours_s - (1 + self.noticed) * theirs_s
            if abs(over_s) <= CLOSE * theirs_s:
                return at
            low, high = (low, at) if over_s > 0 else (at, high)
            slope_s = our_slope_s - (1 + self.noticed) * their_slope_s
            step = at - over_s / slope_s if slope_s and over_s < inf else inf
            inside = min(low, high) < step < max(low, high)
            at = step if inside else (low + high) / 2
        return low

    def _before_s(self, end: float) -> float:
        """Return the most that the placement can lose at any factor from 1 to `end`."""
        solved = (self._placed_at(u)[0] - self._scaled.least_s(u) for u in self._solved(end))
        return max(0.0, *solved, *(each.most_s for each in self._between(end)))

    def _peak(self, end: float) -> float | None:
        """Return where the placement may lose the most of what counts; None where it cannot."""
        peaks = [each for each in self._between(end) if each.most_s > each.allowed_s]
        worst = max(peaks, key=lambda each: each.most_s - each.allowed_s, default=None)
        return None if worst is None else worst.at

    def _between(self, end: float) -> list["_Peak"]:
        """Return where the placement may lose the most between each two neighbours solved at.

        It is below both lines of its routings there, and the optimum above the chord: the
        difference is the largest where the lines cross.
        """
        found = []
        for left, right in pairwise(self._solved(end)):
            (left_s, left_slope_s), (right_s, right_slope_s) = map(self._placed_at, (left, right))
            bend_s = left_slope_s - right_slope_s
            if bend_s <= CLOSE * left_slope_s:
                continue
            at = (right_s - left_s + left_slope_s * left - right_slope_s * right) / bend_s
            share = (at - left) / (right - left)
            chord_s = (1 - share) * self._scaled.least_s(left) + share * self._scaled.least_s(right)
            if CLOSE < share < 1 - CLOSE:
                most_s = left_s + left_slope_s * (at - left) - chord_s
                found.append(_Peak(at=at, most_s=most_s, allowed_s=self.noticed * chord_s))
        return found

    def _solved(self, end: float) -> list[float]:
        return sorted(u for u in self._scaled.optima if min(1.0, end) <= u <= max(1.0, end))

    def _lost(self, at: float) -> bool:
        """Whether keeping the placement costs more than is allowed, up to what is proven."""
        best = self._scaled.optimum(at)
        if best is None:
            return True
        most_s = (1 + self.noticed) * (1 + GAP_TOLERANCE) * best.predicted_s
        return self._placed_at(at)[0] > most_s

    def _regret_s(self, at: float) -> float | None:
        best = self._scaled.optimum(at)
        return None if best is None else max(0.0, self._placed_at(at)[0] - best.predicted_s)

    def _placed_at(self, at: float) -> tuple[float, float]:
        if at not in self._placed:
            self._placed[at] = self._scaled.line(at, self.placement)
        return self._placed[at]


def moved(before: Placement, after: Placement) -> tuple[str, ...]:
    """Return the tables whose stores differ."""
    return tuple(table for table, stores in before.items() if after.get(table) != stores)
