"""The fragment model solved as a whole: the cheapest placement, proven."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType

from placement.advising.gains import indexes_read
from placement.exact.model import ALL, Indexes, Scope, solve
from placement.limits.check import GAP_TOLERANCE
from placement.limits.idle_copies import without_idle_copies
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for, route
from placement.time_limit import OutOfTimeError

Placement = Mapping[str, tuple[str, ...]]
NO_INDEXES: Indexes = MappingProxyType({})
MOST_TOLD = 1
"""Choices of indexes, at most, that a model has made and is told the exact savings of."""
WORTH_KNOWING = 1e-4
"""The gap from which on it is told: less is beyond what prices can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best plan found, None where the time was too short for any, and a bound on all plans.

    `stopped`: time or nodes ended the search, not its proof.
    """

    plan: PlacementPlan | None
    bound_s: float
    stopped: bool = False

    @property
    def closed(self) -> bool:
        """Whether the plan is proven to be the best."""
        return self.plan is not None and gap(self.plan, self.bound_s) <= GAP_TOLERANCE


def gap(plan: PlacementPlan, bound_s: float) -> float:
    """Return how far the plan is above the bound (0..1)."""
    return 0.0 if plan.predicted_s <= 0 else 1 - bound_s / plan.predicted_s


def solve_exactly(problem: PlacementProblem, ends: float, scope: Scope = ALL) -> Found:
    """Return the cheapest plan of `scope`, searching until `ends` (monotonic seconds).

    Fragments that overlap in odd cycles can be cheaper in shares than any that can be run: then
    these queries are solved once more, over whole fragments only. So are indexes of which the model
    only knew a bound of what they save together, with that known. A placement whose routing has no
    time left is none that was found.

    Raises:
        InfeasibleError: No placement fits; the message names constraints that conflict.
    """
    whole: frozenset[str] = frozenset()
    known = scope.known
    tried = scope.near
    best, late = None, False
    with suppress(OutOfTimeError):
        best = None if tried is None else routed(problem, tried, scope.near_indexes)
    bound_s = 0.0
    while True:
        left_s = ends - time.monotonic()
        solution = solve(
            problem, time_limit_s=left_s, whole=whole, scope=replace(scope, known=known)
        )
        bound_s = max(bound_s, solution.bound_s)
        # A start that is the best there is was routed before.
        again = solution.placement == tried and solution.indexes == scope.near_indexes
        if solution.placement is not None and not again:
            try:
                best = cheaper(best, routed(problem, solution.placement, solution.indexes))
            except OutOfTimeError:
                late = True
        found = Found(plan=best, bound_s=bound_s, stopped=late or not solution.proven)
        split = solution.fractional - whole
        more = best is None or gap(best, bound_s) > WORTH_KNOWING
        told = len(known or ()) - len(scope.known or ())
        more = more and told < MOST_TOLD and _is_bounded(problem, solution.indexes, known)
        if found.closed or found.stopped or time.monotonic() >= ends or not (split or more):
            return found
        whole |= split
        known = (*(known or ()), solution.indexes) if more else known


def _is_bounded(
    problem: PlacementProblem, indexes: Indexes, known: Sequence[Indexes] | None
) -> bool:
    """Whether the model has but a bound of what a choice of indexes saves, and may know it."""
    return indexes not in (known or ()) and any(
        problem.store(each).strength.kept_bytes is not None for each in indexes
    )


def routed(
    problem: PlacementProblem, placement: Placement, indexes: Indexes = NO_INDEXES
) -> PlacementPlan:
    """Return the plan of a placement, without the copies and the indexes that no query reads.

    Indexes that nothing reads stay where the stores are only balanced with them.
    """
    problem = problem.with_indexes(indexes)
    routing = route(problem, placement)

    def made(problem: PlacementProblem) -> PlacementPlan:
        kept = without_idle_copies(problem, placement, routing)
        return plan_for(problem, "optimal", kept, routing)

    plan = made(problem.with_indexes(indexes_read(problem, routing)))
    needs_more = problem.constraints.balance is not None and bool(indexes) and not plan.feasible
    return made(problem) if needs_more else plan


def cheaper(best: PlacementPlan | None, plan: PlacementPlan) -> PlacementPlan | None:
    """Return the cheaper of two plans, if it breaks no limit."""
    if not plan.feasible or (best is not None and best.predicted_s <= plan.predicted_s):
        return best
    return plan
