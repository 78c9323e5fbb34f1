"""What is said of one plan beside its figures: its costs, its copies and its limits."""

from dataclasses import dataclass

from placement.binding import Usage, binding
from placement.breakdown import Breakdown, breakdown
from placement.copies import CopyGain, copy_gains
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """Where the predicted seconds go, what copies gain, and which limits are used up."""

    costs: Breakdown
    copies: tuple[CopyGain, ...]
    binding: tuple[Usage, ...]


def plan_facts(problem: PlacementProblem, plan: PlacementPlan) -> PlanFacts:
    """Return what there is to say of a plan of `problem`.

    Raises:
        KeyError: The plan is of other queries, tables or stores.
    """
    return PlanFacts(
        costs=breakdown(problem, plan),
        copies=copy_gains(problem, plan),
        binding=binding(problem, plan),
    )
