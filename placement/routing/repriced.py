"""A plan of a problem with other prices, at the problem's own."""

from dataclasses import replace

from placement.plan import PlacementPlan
from placement.pricing import read_by
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for


def repriced(problem: PlacementProblem, plan: PlacementPlan, name: str) -> PlacementPlan:
    """Return the plan with its placement and its fragments, priced by `problem`.

    Nothing is proven of it: what was is of other prices.
    """
    routing = {
        query.name: tuple(
            replace(
                routed.at(cost),
                transfer=problem.costs.transfer(routed.fragment, store),
                read_by=read_by(problem, routed, plan.routing[query.name]),
            )
            for routed in plan.routing[query.name]
            for store in (problem.store(routed.store),)
            for cost in (problem.costs.fragment(routed.fragment, store, len(query.sources)),)
        )
        for query in problem.queries
    }
    return plan_for(problem, name, plan.placement, routing)
