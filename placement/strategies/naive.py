"""Balanced by bytes: what a placement that knows the workload has to beat."""

from collections.abc import Mapping
from dataclasses import dataclass

from placement.limits.packing import Packing
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """Puts each table, the largest first, into the store with the lowest fill it fits in."""

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where a table found no store with room."""
        return plan_for(problem, "naive", balanced(problem))


def balanced(problem: PlacementProblem) -> Mapping[str, tuple[str, ...]]:
    """Return table → stores, packed by size."""
    packing = Packing(problem=problem)
    packing.put_by_size(problem.table_bytes)
    return packing.placement
