"""Routing of queries during a migration: the change that each switch makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placement.movement.migration_steps import Step
from placement.movement.move_rules import Placement
from placement.plan import RoutedFragment, execution_s
from placement.problem import PlacementProblem
from placement.routing.routing import route, route_query
from workloads.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched:
    """The routing of queries after a switch.

    `placement` is of the copies that are read; `routing` is of the queries that run otherwise
    than before. `queries_s` is what all queries of a period take.
    """

    placement: Placement
    routing: Mapping[str, tuple[RoutedFragment, ...]]
    queries_s: float


def switched(
    problem: PlacementProblem, start: Placement, steps: Sequence[Step], progress: Progress
) -> tuple[Switched, ...]:
    """Return what holds at the start, and then after each switch among the steps.

    Raises:
        InfeasibleError: A query cannot be run on the way; the message names its sources.
    """
    switches = [step for step in steps if step.kind == "switch"]
    placement = dict(start)
    with progress.task("Routing the queries on the way", 1 + len(switches)) as task:
        routing = dict(route(problem, placement))
        task.advance()
        found = [Switched(placement=start, routing=routing, queries_s=_queries_s(problem, routing))]
        for step in switches:
            stores = {*placement[step.table], str(step.target)} - {step.source}
            placement = {**placement, step.table: tuple(sorted(str(each) for each in stores))}
            changed = {}
            for query in problem.queries:
                if any(step.table in fragment.tables for fragment in query.fragments):
                    routed = route_query(problem, query, placement)
                    if _where(routed) != _where(routing[query.name]):
                        changed[query.name] = routed
            routing = {**routing, **changed}
            found.append(
                Switched(
                    placement=placement, routing=changed, queries_s=_queries_s(problem, routing)
                )
            )
            task.advance()
    return tuple(found)


def _where(routed: Sequence[RoutedFragment]) -> list[tuple[str, str]]:
    return [(each.fragment.name, each.store) for each in routed]


def _queries_s(
    problem: PlacementProblem, routing: Mapping[str, tuple[RoutedFragment, ...]]
) -> float:
    return sum(
        query.executions * execution_s(routing[query.name], problem.objective)
        for query in problem.queries
    )
