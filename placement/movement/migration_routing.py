"""Routing of queries during a migration: the change that each step makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placement.movement.copy_indexes import Indexes, Placement
from placement.movement.migration_steps import ROUTED, Step
from placement.plan import RoutedFragment, execution_s
from placement.problem import PlacementProblem
from placement.routing.routing import route, route_query
from workloads.indexes import NamedIndex
from workloads.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched:
    """The routing of queries after a step that changes what they read.

    `placement` is of the copies that are read; `routing` is of the queries that run otherwise
    than before. `queries_s` is what all queries of a period take.
    """

    placement: Placement
    routing: Mapping[str, tuple[RoutedFragment, ...]]
    queries_s: float


def switched(
    problem: PlacementProblem,
    start: Placement,
    steps: Sequence[Step],
    progress: Progress,
    indexes: Indexes,
) -> tuple[Switched, ...]:
    """Return what holds at the start, and then after each of the steps that are `ROUTED`.

    At the start copies have `indexes`, by their store.

    Raises:
        InfeasibleError: A query cannot be run on the way; the message names its sources.
    """
    changes = [step for step in steps if step.kind in ROUTED]
    there = {store.name: set(indexes.get(store.name, ())) for store in problem.stores}
    placement: Placement = start
    with progress.task("Routing the queries on the way", 1 + len(changes)) as task:
        routing = dict(route(problem.with_indexes(there), placement))
        task.advance()
        found = [Switched(placement=start, routing=routing, queries_s=_queries_s(problem, routing))]
        for step in changes:
            placement = _placement_after(placement, step)
            _change(there, step)
            now = problem.with_indexes(there)
            routed = {
                query.name: route_query(now, query, placement)
                for query in now.queries
                if any(step.table in fragment.tables for fragment in query.fragments)
            }
            changed = {
                name: fragments
                for name, fragments in routed.items()
                if _where(fragments) != _where(routing[name])
            }
            routing = {**routing, **routed}
            found.append(
                Switched(
                    placement=placement, routing=changed, queries_s=_queries_s(problem, routing)
                )
            )
            task.advance()
    return tuple(found)


def _placement_after(placement: Placement, step: Step) -> Placement:
    if step.kind != "switch":
        return placement
    stores = {*placement[step.table], str(step.target)} - {str(step.source)}
    return {**placement, step.table: tuple(sorted(stores))}


def _change(there: Mapping[str, set[NamedIndex]], step: Step) -> None:
    """Let the stores in `there` have the indexes that they have after a step."""
    if step.kind == "drop_index" and step.index is not None:
        there[str(step.source)].discard(step.index)
    elif step.target is not None:
        there[step.target].update(step.indexes)


def _where(routed: Sequence[RoutedFragment]) -> list[tuple[str, str]]:
    return [(each.fragment.name, each.store) for each in routed]


def _queries_s(
    problem: PlacementProblem, routing: Mapping[str, tuple[RoutedFragment, ...]]
) -> float:
    return sum(
        query.executions * execution_s(routing[query.name], problem.objective)
        for query in problem.queries
    )
