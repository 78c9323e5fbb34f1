"""A plan as it holds for a problem that may have changed since it was made."""

from dataclasses import replace

from placement.limits.check import check
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import plan_for
from placement.tuned import rerouted, with_transfer


def refitted(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the plan itself if `check` finds nothing that it does not say, else it routed again.

    A plan that was edited, or made for other queries or with other rates, keeps its placement; its
    queries are routed and priced by `problem`. Fragments that are still in the same store keep the
    settings that the plan states for them.

    Raises:
        InfeasibleError: A query cannot be run on the plan's placement.
    """
    if all(broken in plan.violations for broken in check(problem, plan)):
        return plan
    made = plan_for(problem, plan.strategy, plan.placement)
    stated = {
        (query, each.fragment.name, each.store): each
        for query, routed in plan.routing.items()
        for each in routed
        if each.transfer is not None or each.memory_bytes is not None
    }
    routing = {
        query.name: tuple(
            _with_settings(
                problem, query, each, stated.get((query.name, each.fragment.name, each.store))
            )
            for each in made.routing[query.name]
        )
        for query in problem.queries
    }
    return rerouted(problem, made, routing)


def _with_settings(
    problem: PlacementProblem,
    query: QueryProblem,
    routed: RoutedFragment,
    stated: RoutedFragment | None,
) -> RoutedFragment:
    if stated is None or stated.fragment.sources != routed.fragment.sources:
        return routed
    if stated.transfer is not None and stated.transfer != routed.transfer:
        routed = with_transfer(problem, query, routed, stated.transfer)
    return replace(routed, memory_bytes=stated.memory_bytes)
