"""Sensitivity: the error of each figure that changes the plan, and the value of capacity."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.parameters import WIDEST, Parameter
from placement.reasons.parametric import Direction, Study, moved
from placement.reasons.query_changes import SAME
from placement.reasons.variations import with_capacity
from placement.strategies.optimal import Optimal
from placement.time_limit import NotFoundInTimeError, OutOfTimeError, left_s, with_share
from workloads.progress import Progress, Silent

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The names of the figures, and of the stores with a capacity, that there was no time for."""

    figures: tuple[str, ...]
    stores: tuple[str, ...]


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
    most ten times a figure and direction (see `Study`). All of it ends at the problem's time limit.
    Figures that make the most of the plan's seconds come first: those that there was no time for
    are not returned.
    """
    problem = with_share(problem)
    studies = []
    for parameter in parameters:
        sides = [
            Study(
                problem=problem,
                placement=plan.placement,
                parameter=parameter,
                best=best,
                noticed=noticed,
                widest=end,
            )
            for end in (widest, 1 / widest)
        ]
        studies.append((parameter, sides))
    found = []
    with (
        (progress or Silent()).task("Scaling figures", 2 * len(parameters)) as task,
        suppress(OutOfTimeError),
    ):
        for parameter, sides in sorted(studies, key=lambda each: -each[1][0].share_s):
            directions = []
            for study in sides:
                directions.append(study.direction())
                task.advance()
            larger, smaller = directions
            found.append(
                Sensitivity(
                    parameter=parameter, share_s=sides[0].share_s, larger=larger, smaller=smaller
                )
            )
    return tuple(sorted(found, key=lambda each: (each.tightest, -each.share_s)))


def capacity_worths(
    problem: PlacementProblem, best: PlacementPlan, progress: Progress | None = None
) -> tuple[CapacityWorth, ...]:
    """Return what a tenth more of each capacity saves of `best`; one solve a store that has one.

    All of them end at the problem's time limit. Stores that there was no time for are not returned.
    """
    problem = with_share(problem)
    limited = {s.name: s.capacity_bytes for s in problem.stores if s.capacity_bytes is not None}
    found = []
    with (progress or Silent()).task("Raising capacities", len(limited)) as task:
        for store, capacity_bytes in limited.items():
            extra_bytes = max(1, int(MORE_CAPACITY * capacity_bytes))
            larger = _solved(with_capacity(problem, store, capacity_bytes + extra_bytes))
            if larger is None:
                break
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


def _solved(problem: PlacementProblem) -> PlacementPlan | None:
    """Return the best plan; None where the time was over before it was proven to be."""
    if left_s(problem) <= 0:
        return None
    try:
        plan = Optimal()(problem)
    except NotFoundInTimeError:
        return None
    return None if plan.cut is not None and problem.work_limit is None else plan
