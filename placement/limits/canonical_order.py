"""One order of a problem's tables, stores and queries, so that plans do not hang on another.

Strategies break ties by order, and sum in it. A project file lists its stores, and a catalog its
tables, in an order that says nothing: in this one equal problems have equal plans.
"""

from dataclasses import replace
from math import inf

from placement.limits.limits import limits
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.stores import Store


def in_order(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem with its parts in canonical order.

    Tables: the largest first; stores: the fastest, then the roomiest first; all by name where that
    does not tell. Queries and joins are by name.
    """
    graph = problem.graph
    return replace(
        problem,
        table_bytes=dict(sorted(problem.table_bytes.items(), key=lambda each: (-each[1], each[0]))),
        stores=tuple(sorted(problem.stores, key=_rank)),
        queries=tuple(sorted(problem.queries, key=lambda query: query.name)),
        graph=replace(graph, joins=dict(sorted(graph.joins.items()))),
    )


def as_given(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return a plan of the problem in order as one of the problem as it was given.

    Tables, queries and the limits that are broken are in the given order, costs are the same.
    """
    placed = {table: plan.placement[table] for table in problem.table_bytes}
    routing = {query.name: plan.routing[query.name] for query in problem.queries}
    violations = limits(problem.with_indexes(plan.indexes), placed, routing)
    return replace(plan, placement=placed, routing=routing, violations=violations)


def _rank(store: Store) -> tuple[float, float, float, float, str]:
    strength = store.strength
    return (
        -strength.typical_scan_bytes_per_s,
        -strength.join_rows_per_s,
        -strength.transfer_bytes_per_s,
        -inf if store.capacity_bytes is None else -store.capacity_bytes,
        store.name,
    )
