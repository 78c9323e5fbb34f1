"""A plan as it holds for a problem that may have changed since it was made."""

from dataclasses import replace

from placement.corrections import Corrections
from placement.limits.check import check
from placement.plan import PlacementPlan, RoutedFragment
from placement.pricing import read_by
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import plan_for
from placement.tuned import rerouted, with_transfer


def refitted(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the plan itself if `check` finds nothing that it does not say, else it routed again.

    Its prices may have corrections of its own. A plan that was edited, or made for other queries or
    with other rates, keeps its placement and its indexes; its queries are routed and priced by the
    formula of `problem` alone, as corrections of other prices say nothing of these. Fragments that
    are still in the same store keep the settings that the plan states for them.

    Raises:
        InfeasibleError: A query cannot be run on the plan's placement.
    """
    own = corrected(problem, plan.corrections)
    if all(broken in plan.violations for broken in check(own, plan)):
        return plan
    formula = corrected(problem.with_indexes(plan.indexes), None)
    made = plan_for(formula, plan.strategy, plan.placement)
    stated = {
        (query, each.fragment.name, each.store): each
        for query, routed in plan.routing.items()
        for each in routed
        if each.transfer is not None or each.memory_bytes is not None
    }
    routing = {
        query.name: tuple(
            _with_settings(
                formula, query, each, stated.get((query.name, each.fragment.name, each.store))
            )
            for each in made.routing[query.name]
        )
        for query in problem.queries
    }
    return rerouted(formula, made, routing)


def corrected(problem: PlacementProblem, corrections: Corrections | None) -> PlacementProblem:
    """Return the problem with the prices that `corrections` make; None are the formula's."""
    return replace(problem, costs=replace(problem.costs, corrections=corrections))


def at_prices(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the plan with the prices of `problem`: all runs where it ran, as it did.

    Nothing is proven of it at these prices.

    Raises:
        KeyError: The plan is of other queries, tables or stores.
    """
    if plan.corrections == problem.costs.corrections:
        return plan
    problem = problem.with_indexes(plan.indexes)
    routing = {
        query.name: tuple(
            replace(
                _priced(problem, query, each),
                read_by=read_by(problem, each, plan.routing[query.name]),
            )
            for each in plan.routing[query.name]
        )
        for query in problem.queries
    }
    found = plan_for(problem, plan.strategy, plan.placement, routing)
    return replace(found, settings=plan.settings, seed=plan.seed)


def _priced(
    problem: PlacementProblem, query: QueryProblem, routed: RoutedFragment
) -> RoutedFragment:
    store = problem.store(routed.store)
    cost = problem.costs.fetched(routed.fragment, store, len(query.sources), routed.transfer)
    return routed.at(cost)


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
