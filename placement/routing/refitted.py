"""A plan as it holds for a problem that may have changed since it was made."""

from dataclasses import replace

from placement.corrections import Corrections
from placement.limits.check import check
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import plan_for


def refitted(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the plan itself if `check` finds nothing that it does not say, else it routed again.

    Its prices may have corrections of its own. A plan that was edited, or made for other queries or
    with other rates, keeps its placement; its queries are routed and priced by the formula of
    `problem` alone, as corrections of other prices say nothing of these.

    Raises:
        InfeasibleError: A query cannot be run on the plan's placement.
    """
    own = corrected(problem, plan.corrections)
    if all(broken in plan.violations for broken in check(own, plan)):
        return plan
    return plan_for(corrected(problem, None), plan.strategy, plan.placement)


def corrected(problem: PlacementProblem, corrections: Corrections | None) -> PlacementProblem:
    """Return the problem with the prices that `corrections` make; None are the formula's."""
    return replace(problem, costs=replace(problem.costs, corrections=corrections))


def repriced(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the plan with the prices of `problem`: all runs where it ran, as it did.

    Nothing is proven of it at these prices.

    Raises:
        KeyError: The plan is of other queries, tables or stores.
    """
    if plan.corrections == problem.costs.corrections:
        return plan
    routing = {
        query.name: tuple(_priced(problem, query, each) for each in plan.routing[query.name])
        for query in problem.queries
    }
    found = plan_for(problem, plan.strategy, plan.placement, routing)
    return replace(found, settings=plan.settings, seed=plan.seed)


def _priced(
    problem: PlacementProblem, query: QueryProblem, routed: RoutedFragment
) -> RoutedFragment:
    store = problem.store(routed.store)
    cost = problem.costs.fetched(routed.fragment, store, len(query.sources), routed.transfer)
    return replace(routed, predicted_s=cost.total_s, engine_s=cost.engine_s)
