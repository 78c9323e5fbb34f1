"""Sensitivity: the error of each figure that changes the plan, and the value of capacity."""

from collections.abc import Sequence
from dataclasses import dataclass

from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.parameters import Parameter
from placement.reasons.parametric import Direction, Study, moved
from placement.reasons.query_changes import SAME
from placement.reasons.variations import with_capacity
from placement.strategies.optimal import Optimal
from workloads.progress import Progress, Silent

WIDEST = 16.0
"""Figures are taken to be right up to this factor."""
NOTICED = 1e-3
"""A plan counts as changed where keeping the old placement costs this share more than the best."""
MORE_CAPACITY = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """A figure, the seconds of the plan that it makes, and what happens in both directions."""

    parameter: Parameter
    share_s: float
    larger: Direction
    smaller: Direction

    @property
    def tightest(self) -> float:
        """Return the smallest factor (at least 1) that changes the plan; inf for none."""
        up, down = self.larger.factor, self.smaller.factor
        return min(up or float("inf"), 1 / down if down else float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityWorth:
    """The saving of `extra_bytes` more in a store, and the tables that move then."""

    store: str
    extra_bytes: int
    gain_s: float
    moves: tuple[str, ...]

    @property
    def per_gb_s(self) -> float:
        """Return the seconds that 10⁹ bytes more would save at this rate."""
        return self.gain_s / self.extra_bytes * 1e9


def sensitivities(
    problem: PlacementProblem,
    plan: PlacementPlan,
    best: PlacementPlan,
    parameters: Sequence[Parameter],
    *,
    noticed: float = NOTICED,
    widest: float = WIDEST,
    progress: Progress | None = None,
) -> tuple[Sensitivity, ...]:
    """Return how wrong each figure must be before `plan` changes, those that matter soonest first.

    `best` is the problem's optimum, which the plan may be. `noticed` is the share of the best
    plan's seconds that has to be lost for a plan to count as changed. The problem is solved at
    most ten times a figure and direction (see `Study`), each within its time limit.
    """
    found = []
    with (progress or Silent()).task("Scaling figures", 2 * len(parameters)) as task:
        for parameter in parameters:
            sides = []
            for end in (widest, 1 / widest):
                study = Study(
                    problem=problem,
                    placement=plan.placement,
                    parameter=parameter,
                    best=best,
                    noticed=noticed,
                    widest=end,
                )
                sides.append(study.direction())
                task.advance()
            found.append(
                Sensitivity(
                    parameter=parameter, share_s=study.share_s, larger=sides[0], smaller=sides[1]
                )
            )
    return tuple(sorted(found, key=lambda each: (each.tightest, -each.share_s)))


def capacity_worths(
    problem: PlacementProblem, best: PlacementPlan, progress: Progress | None = None
) -> tuple[CapacityWorth, ...]:
    """Return what a tenth more of each capacity saves of `best`; one solve a store that has one."""
    limited = {s.name: s.capacity_bytes for s in problem.stores if s.capacity_bytes is not None}
    found = []
    with (progress or Silent()).task("Raising capacities", len(limited)) as task:
        for store, capacity_bytes in limited.items():
            extra_bytes = max(1, int(MORE_CAPACITY * capacity_bytes))
            larger = Optimal()(with_capacity(problem, store, capacity_bytes + extra_bytes))
            gain_s = max(0.0, best.predicted_s - larger.predicted_s)
            gains = gain_s > SAME * best.predicted_s  # else tables only change places alike
            found.append(
                CapacityWorth(
                    store=store,
                    extra_bytes=extra_bytes,
                    gain_s=gain_s,
                    moves=moved(best.placement, larger.placement) if gains else (),
                )
            )
            task.advance()
    return tuple(found)
