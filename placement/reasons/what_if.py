"""What-if: a plan for other stores, capacities, prices, rates or queries."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from placement.plan import PlacementPlan
from placement.pricing import money
from placement.problem import PlacementProblem
from placement.reasons.query_changes import SAME, QueryChange, query_changes
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from workloads.errors import InfeasibleError


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """A plan before a change, the best one after it, and the old placement after it.

    `kept` is the old placement with its queries routed and priced anew, with the limits that it
    breaks; None where it cannot be run at all, and `kept_reason` says why. `moves`: table → its
    stores before and after, where they differ. `queries` are those that cost something else, the
    largest change first. Money is of a month.
    """

    before: PlacementPlan
    after: PlacementPlan
    kept: PlacementPlan | None
    kept_reason: str
    moves: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    queries: tuple[QueryChange, ...]
    before_money: float
    kept_money: float | None
    after_money: float


def what_if(problem: PlacementProblem, plan: PlacementPlan, changed: PlacementProblem) -> WhatIf:
    """Solve `changed` and compare with `plan`, which is one of `problem`; one solve.

    Raises:
        InfeasibleError: No placement fits what was changed; the message says why.
    """
    kept, reason = _kept(changed, plan.placement)
    after = _unmoved(kept, Optimal()(changed))
    return WhatIf(
        before=plan,
        after=after,
        kept=kept,
        kept_reason=reason,
        moves={
            table: (plan.placement.get(table, ()), after.placement[table])
            for table in changed.table_bytes
            if plan.placement.get(table, ()) != after.placement[table]
        },
        queries=query_changes((problem, plan), (changed, after)),
        before_money=_money(problem, plan),
        kept_money=None if kept is None else _money(changed, kept),
        after_money=_money(changed, after),
    )


def _money(problem: PlacementProblem, plan: PlacementPlan) -> float:
    return sum(money(problem, plan.placement, plan.routing))


def _unmoved(kept: PlacementPlan | None, best: PlacementPlan) -> PlacementPlan:
    """Return the best plan; of two that cost the same, the one that moves nothing."""
    if kept is None or not kept.feasible:
        return best
    if kept.predicted_s - best.predicted_s > SAME * best.predicted_s:
        return best
    bound_s = None if best.bound_s is None else min(best.bound_s, kept.predicted_s)
    return replace(
        best,
        placement=kept.placement,
        routing=kept.routing,
        predicted_s=kept.predicted_s,
        bound_s=bound_s,
    )


def _kept(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]
) -> tuple[PlacementPlan | None, str]:
    """Return the plan of a placement that was made for another problem, or why there is none."""
    known = {store.name for store in problem.stores}
    for table in problem.table_bytes:
        gone = sorted(set(placement.get(table, ())) - known)
        if gone:
            return None, f"Table '{table}' is in store '{gone[0]}', which is gone."
    try:
        return plan_for(problem, "kept", placement), ""
    except InfeasibleError as error:
        return None, str(error)
