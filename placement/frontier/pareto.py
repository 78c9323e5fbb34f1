"""The frontier over predicted seconds, bytes moved, money and migration."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from placement.frontier.bounded_plans import SAME, ParetoPoint, point_of, sweep
from placement.frontier.objectives import OBJECTIVES, objectives
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.strategies.optimal import Optimal
from workloads.progress import Progress

__all__ = ["POINTS", "Frontier", "ParetoPoint", "knee", "pareto"]

POINTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """Plans that no other one beats in everything, the fastest first.

    `knee` is the recommended compromise. `baselines` stand beside it; those that keep the limits
    and that nothing beats are among `points` too. `varying` names the objectives that differ
    between points, `trading` those of them in which some point is better than the fastest plan.
    """

    points: tuple[ParetoPoint, ...]
    knee: ParetoPoint
    baselines: tuple[ParetoPoint, ...]
    varying: tuple[str, ...]
    trading: tuple[str, ...]


def pareto(
    problem: PlacementProblem,
    progress: Progress,
    *,
    points: int = POINTS,
    baselines: Sequence[PlacementPlan] = (),
) -> Frontier:
    """Return the frontier, with `points` bounds (at least 2) of each other objective.

    Raises:
        InfeasibleError: No placement fits the hard limits.
    """
    with progress.task("The frontier", 1 + len(OBJECTIVES) * points) as task:
        fastest = point_of(problem, Optimal()(problem), "fastest")
        task.advance()
        found = [fastest]
        for objective in OBJECTIVES:
            found += sweep(problem, objective, fastest, points, task)
    beside = tuple(_baseline(problem, plan) for plan in baselines)
    candidates = [*found, *(point for point in beside if point.plan.feasible)]
    kept = tuple(sorted(_undominated(candidates), key=lambda point: point.objectives.values()))
    varying = tuple(
        each.name
        for each in OBJECTIVES
        if len({round(each.value(point.objectives), 9) for point in kept}) > 1
    )
    trading = tuple(
        each.name
        for each in OBJECTIVES
        if min(each.value(point.objectives) for point in kept)
        < each.value(kept[0].objectives) * (1 - SAME)
    )
    return Frontier(
        points=kept, knee=knee(kept), baselines=beside, varying=varying, trading=trading
    )


def knee(points: Sequence[ParetoPoint]) -> ParetoPoint:
    """Return the point closest to the best values of all, each objective scaled to 0..1.

    Compromise programming with Euclidean distance (Zeleny: Compromise Programming, 1973); the
    first of equally close ones.
    """
    columns = list(zip(*(point.objectives.values() for point in points), strict=True))
    ranges = [(min(column), max(column) - min(column)) for column in columns]

    def distance(point: ParetoPoint) -> float:
        return hypot(
            *(
                (value - low) / width
                for value, (low, width) in zip(point.objectives.values(), ranges, strict=True)
                if width > SAME * abs(low)
            )
        )

    return min(points, key=distance)


def _baseline(problem: PlacementProblem, plan: PlacementPlan) -> ParetoPoint:
    indexed = problem.with_indexes(plan.indexes)
    return ParetoPoint(
        plan=plan, objectives=objectives(indexed, plan), outcome=plan.outcome, gap=plan.gap
    )


def _undominated(points: Sequence[ParetoPoint]) -> list[ParetoPoint]:
    """Return the points that no other equals or beats in everything; the first of equal ones."""
    kept: list[ParetoPoint] = []
    for point in points:
        if any(_beats(other, point) for other in kept):
            continue
        kept = [other for other in kept if not _beats(point, other)]
        kept.append(point)
    return kept


def _beats(one: ParetoPoint, other: ParetoPoint) -> bool:
    """Whether `one` is at most as large in every objective, up to rounding."""
    pairs = zip(one.objectives.values(), other.objectives.values(), strict=True)
    return all(a <= b + SAME * abs(b) for a, b in pairs)
