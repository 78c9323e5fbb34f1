"""Queries that gain and lose between two plans, of one problem or of two."""

from dataclasses import dataclass

from placement.plan import PlacementPlan
from placement.problem import PlacementProblem

SAME = 1e-9
"""Seconds that differ by less than this share of a plan's are the same."""
NOT_THERE = (0.0, 0.0)

Planned = tuple[PlacementProblem, PlacementPlan]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryChange:
    """A query that costs something else: executions, and seconds of one; none where it is not."""

    query: str
    before_executions: float
    after_executions: float
    before_s: float
    after_s: float

    @property
    def delta_s(self) -> float:
        """Return what all executions cost more; below zero the query gains."""
        return self.after_executions * self.after_s - self.before_executions * self.before_s


def query_changes(before: Planned, after: Planned) -> tuple[QueryChange, ...]:
    """Return the queries that cost something else, the largest change of all executions first."""
    old, new = (_costs(*planned) for planned in (before, after))
    found = []
    for name in {**old, **new}:
        (before_executions, before_s), (after_executions, after_s) = (
            costs.get(name, NOT_THERE) for costs in (old, new)
        )
        found.append(
            QueryChange(
                query=name,
                before_executions=before_executions,
                after_executions=after_executions,
                before_s=before_s,
                after_s=after_s,
            )
        )
    least_s = SAME * before[1].predicted_s
    changed = (each for each in found if abs(each.delta_s) > least_s)
    return tuple(sorted(changed, key=lambda each: -abs(each.delta_s)))


def _costs(problem: PlacementProblem, plan: PlacementPlan) -> dict[str, tuple[float, float]]:
    """Return query → its executions and the seconds of one."""
    return {query.name: (query.executions, plan.query_s(query.name)) for query in problem.queries}
