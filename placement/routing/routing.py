"""The best way to run all queries on a given placement: exact, each on its own where it can be."""

import time
from collections.abc import Mapping
from dataclasses import replace

from placement.constraints.latency import Latency
from placement.constraints.max_money import MaxMoney
from placement.constraints.queries import add_cover, add_overlap
from placement.limits.limits import limits
from placement.plan import Outcome, PlacementPlan, RoutedFragment, execution_s
from placement.pricing import Routing, money, options, routed
from placement.problem import LIMIT_TOLERANCE, PlacementProblem, QueryProblem
from placement.programs.objective import add_seconds
from placement.programs.variables import variables
from placement.routing.cover import cheapest_cover
from placement.routing.overlap import fastest_cover
from placement.time_limit import ends_of
from workloads.errors import InfeasibleError

SCALE = 1000.0
"""The scale of the seconds of all queries, for the solver's absolute tolerances."""


def plan_for(
    problem: PlacementProblem,
    strategy: str,
    placement: Mapping[str, tuple[str, ...]],
    routing: Routing | None = None,
) -> PlacementPlan:
    """Return the plan of `placement`; INFEASIBLE, and why, where it breaks limits.

    Queries are routed here unless their `routing` is known.
    """
    if routing is None:
        routing = route(problem, placement)
    violations = limits(problem, placement, routing)
    return PlacementPlan(
        strategy=strategy,
        outcome=Outcome.INFEASIBLE if violations else Outcome.FEASIBLE,
        placement=placement,
        routing=routing,
        predicted_s=predicted_s(problem, placement, routing),
        objective=problem.objective,
        seed=problem.seed,
        violations=violations,
        indexes=problem.indexes_of(placement),
        corrections=problem.costs.corrections,
    )


def route(problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]) -> Routing:
    """Return query → its fragments with their stores, by their first source.

    Each query has its best fragments, unless all queries together then cost more money than
    allowed, and others do not: then they are the best of those. Ceilings on a query's seconds
    need no such care: its best fragments are its fastest.

    Raises:
        InfeasibleError: A query cannot be run on the placement; the message names its sources.
        OutOfTimeError: No way to run a query was found in the problem's time.
    """
    routing = {query.name: route_query(problem, query, placement) for query in problem.queries}
    most = problem.constraints.max_money
    if most is not None and sum(money(problem, placement, routing)) > _most(most):
        return _within_budget(problem, placement, routing) or routing
    return routing


def route_query(
    problem: PlacementProblem, query: QueryProblem, placement: Mapping[str, tuple[str, ...]]
) -> tuple[RoutedFragment, ...]:
    """Return the best exact cover of the query's sources by the objective; ties go by order.

    Raises:
        InfeasibleError: There is none; the message names the sources that nothing covers.
    """
    available = options(problem, query, placement)
    reachable = {source for option in available for source in option.fragment.sources}
    missing = [source for source in query.sources if source not in reachable]
    best = cheapest_cover if problem.objective == "work" else fastest_cover
    chosen = None if missing else best(problem, query, available)
    if chosen is None:
        raise InfeasibleError(
            f"Query '{query.name}' cannot be run on this placement: no store that holds the "
            f"tables of {', '.join(missing or query.sources)} is able to read them."
        )
    return routed(problem, query, chosen)


def predicted_s(
    problem: PlacementProblem,
    placement: Mapping[str, tuple[str, ...]],
    routing: Routing,
) -> float:
    """Return the seconds of the whole workload, by executions, and what all copies cost."""
    seconds = sum(
        query.executions * execution_s(routing[query.name], problem.objective)
        for query in problem.queries
    )
    copies = sum(
        problem.copy_s(table, problem.store(store))
        for table, held in placement.items()
        for store in held
    )
    return seconds + copies


def _within_budget(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]], fastest: Routing
) -> Routing | None:
    """Return the best routing that costs no more money than allowed; None if there is none.

    Ceilings that no routing keeps on this placement are left out.
    """
    kept = {
        query: ceiling_s
        for query, ceiling_s in problem.constraints.latency_s.items()
        if query in fastest and execution_s(fastest[query], problem.objective) <= _most(ceiling_s)
    }
    asked = replace(problem, constraints=replace(problem.constraints, latency_s=kept))
    model = variables(asked, {query.name for query in problem.queries}, placement)
    for add in (add_cover, add_overlap, Latency().add, MaxMoney().add):
        add(model, asked)
    add_seconds(model, asked, unit_s=predicted_s(problem, {}, fastest) / SCALE or 1.0)
    ends = ends_of(problem)
    while True:
        answer = model.program.solve(seed=problem.seed, time_limit_s=ends - time.monotonic())
        if answer.values is None:
            return None
        if not model.cut_broken(answer):
            break
    return {
        query.name: routed(
            problem, query, [o for o, each in model.run[query.name] if answer.chosen(each)]
        )
        for query in problem.queries
    }


def _most(limit: float) -> float:
    return limit * (1 + LIMIT_TOLERANCE)
