"""A plan as it holds for a problem that may have changed since it was made."""

from placement.limits.check import check
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for


def refitted(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the plan itself if `check` finds nothing that it does not say, else it routed again.

    A plan that was edited, or made for other queries or with other rates, keeps its placement and
    its indexes; its queries are routed and priced by `problem`.

    Raises:
        InfeasibleError: A query cannot be run on the plan's placement.
    """
    if all(broken in plan.violations for broken in check(problem, plan)):
        return plan
    return plan_for(problem.with_indexes(plan.indexes), plan.strategy, plan.placement)
