"""Facts about one plan beside its figures: costs, copies, indexes, limits, and the rates used."""

from collections.abc import Mapping
from dataclasses import dataclass

from placement.constraints.usage import Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.binding import binding
from placement.reasons.breakdown import Breakdown, breakdown
from placement.reasons.copies import CopyGain, copy_gains
from placement.reasons.indexes import IndexGain, index_gains

ENGINE = "the engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """Predicted seconds by store and kind, gains of copies and indexes, and binding constraints.

    `rates` maps every store, and `ENGINE`, to where its rates are from: 'default', 'project file',
    or a calibration with its date and error. `copies` is None where their gains take longer than
    placing may.
    """

    costs: Breakdown
    copies: tuple[CopyGain, ...] | None
    binding: tuple[Usage, ...]
    rates: Mapping[str, str]
    indexes: tuple[IndexGain, ...] = ()


def plan_facts(problem: PlacementProblem, plan: PlacementPlan) -> PlanFacts:
    """Return what there is to say of a plan of `problem`.

    Raises:
        KeyError: The plan is of other queries, tables or stores.
    """
    problem = problem.with_indexes(plan.indexes)
    return PlanFacts(
        costs=breakdown(problem, plan),
        copies=copy_gains(problem, plan),
        binding=binding(problem, plan),
        indexes=index_gains(problem, plan),
        rates={
            **{store.name: store.strength.source for store in problem.stores},
            ENGINE: problem.costs.engine.source,
        },
    )
