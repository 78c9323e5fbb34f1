"""The fastest plans within bounds on another objective.

Epsilon-constraint method (Haimes, Lasdon, Wismer: On a Bicriterion Formulation of the Problems of
Integrated System Identification and System Optimization, 1971): the objective's bound is swept
between its value at the fastest plan and its minimum, and the fastest plan within each bound is
solved exactly. This finds unsupported points too, which no weighted sum does. Where indexes may be
chosen for copies, each of these plans has its own.
"""

from dataclasses import dataclass, replace

from placement.frontier.objectives import (
    Objective,
    Objectives,
    bounded,
    least,
    objectives,
    weighted,
)
from placement.limits.check import GAP_TOLERANCE
from placement.plan import Outcome, PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.repriced import repriced
from placement.strategies.optimal import Optimal
from workloads.errors import InfeasibleError
from workloads.progress import Task

UNITS = 1000.0
"""The cost of the fastest plan when an objective is minimised, whatever its unit is."""
SAME = 1e-9
"""Values that differ by less than this share are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoPoint:
    """A plan with what it costs.

    `bounded` names the objective whose value was to be at most `bound`; None for the fastest plan
    and for baselines. `outcome` OPTIMAL: proven that no plan within the bound is faster; `gap`
    (0..1) where that is open, None where nothing is proven. `bound_s`: no plan within the bound
    takes fewer seconds. `supported`: found by weighting, so
    that faster plans within the bound may exist.
    """

    plan: PlacementPlan
    objectives: Objectives
    outcome: Outcome
    gap: float | None
    bound_s: float | None = None
    bounded: str | None = None
    bound: float | None = None
    supported: bool = False


def sweep(
    problem: PlacementProblem, objective: Objective, fastest: ParetoPoint, points: int, task: Task
) -> list[ParetoPoint]:
    """Return the fastest plans within bounds from the fastest plan's value to the minimum."""
    high = objective.value(fastest.objectives)
    end = _end(problem, objective, high)
    low = high if end is None else objective.value(end.objectives)
    task.advance()
    found: list[ParetoPoint] = []
    wider = fastest
    for step in range(1, points):
        task.advance()
        # The last one is the least itself: rounding could make it less, and below 0.
        bound = low if step == points - 1 else high - (high - low) * step / (points - 1)
        if high - low <= SAME * high or objective.value(wider.objectives) <= bound:
            continue  # the plan of a wider bound is within this one, and so the fastest there
        slope = fastest.objectives.predicted_s / high
        point = _within(problem, objective, bound, slope=slope)
        if point is not None:
            wider = _with_bound_of(wider, point)
            found.append(wider)
        elif end is not None and end.plan.feasible and step == points - 1:
            found.append(end)
    return found


def _end(problem: PlacementProblem, objective: Objective, high: float) -> ParetoPoint | None:
    """Return a plan with the least value of the objective; None where none is known."""
    if high <= 0:
        return None
    try:
        # No index makes a plan less in anything but seconds.
        plain = problem.with_indexes({})
        plan = Optimal()(least(plain, objective, unit=high / UNITS))
    except InfeasibleError:
        return None
    point = point_of(problem, plan, f"least {objective.name}")
    return replace(
        point,
        bounded=objective.name,
        bound=objective.value(point.objectives),
        outcome=Outcome.FEASIBLE,
        gap=None,
        bound_s=None,
    )


def _with_bound_of(wider: ParetoPoint, point: ParetoPoint) -> ParetoPoint:
    """Return the point with what is proven of a wider bound: no plan within this one is faster."""
    if wider.bound_s is None or point.bound_s is None or point.supported:
        return point
    predicted_s = point.objectives.predicted_s
    bound_s = min(max(wider.bound_s, point.bound_s), predicted_s)
    gap = 0.0 if predicted_s <= 0 else 1 - bound_s / predicted_s
    outcome = Outcome.OPTIMAL if gap <= GAP_TOLERANCE else point.outcome
    return replace(point, bound_s=bound_s, gap=gap, outcome=outcome)


def _within(
    problem: PlacementProblem, objective: Objective, bound: float, *, slope: float
) -> ParetoPoint | None:
    """Return the fastest plan within the bound; None where none was found."""
    name = f"{objective.name} <= {bound:.4g}"
    limited = bounded(problem, objective, bound)
    try:
        if limited is not None:
            point = point_of(problem, Optimal()(limited), name)
            return replace(point, bounded=objective.name, bound=bound)
        return _supported(problem, objective, bound, slope)
    except InfeasibleError:
        return None


def _supported(
    problem: PlacementProblem, objective: Objective, bound: float, slope: float
) -> ParetoPoint | None:
    """Return a plan within the bound by weighting, for an objective that cannot be bounded."""
    for doubling in range(-6, 12):
        made = Optimal()(weighted(problem, objective, slope * 2.0**doubling))
        point = point_of(problem, made, f"{objective.name} weighted")
        if objective.value(point.objectives) <= bound:
            return replace(
                point,
                bounded=objective.name,
                bound=bound,
                supported=True,
                outcome=Outcome.FEASIBLE,
                gap=None,
                bound_s=None,
            )
    return None


def point_of(problem: PlacementProblem, plan: PlacementPlan, name: str) -> ParetoPoint:
    """Return the plan as one of `problem`, priced by it; what is proven is of the point alone."""
    indexed = problem.with_indexes(plan.indexes)
    made = repriced(indexed, plan, name)
    return ParetoPoint(
        plan=made,
        objectives=objectives(indexed, made),
        outcome=plan.outcome,
        gap=plan.gap,
        bound_s=plan.bound_s,
    )
