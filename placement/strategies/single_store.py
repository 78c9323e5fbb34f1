"""All tables in one store: what a placement over several has to beat."""

from collections.abc import Mapping
from dataclasses import dataclass

from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleStore:
    """Puts every table into `store`, whether it fits or not."""

    store: str

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE, as a reference, where it breaks a hard limit."""
        return plan_for(problem, f"single_store:{self.store}", alone(problem, self.store))


def alone(problem: PlacementProblem, store: str) -> Mapping[str, tuple[str, ...]]:
    """Return table → `store`."""
    return dict.fromkeys(problem.table_bytes, (store,))
