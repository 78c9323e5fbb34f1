"""The cheapest placement with its routing, solved with a proven bound."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from placement.check import GAP_TOLERANCE
from placement.model import solve
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem
from placement.routing import plan_for, route
from placement.strategies.naive import Naive
from placement.strategies.proximity import Proximity
from placement.strategies.single_store import SingleStore
from workloads.errors import InfeasibleError


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal:
    """Solves the fragment model within the problem's time limit.

    A plan is OPTIMAL if its routed cost is within 1e-6 (relative) of the proven bound.
    """

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the cheapest plan found, with its bound.

        Raises:
            InfeasibleError: No placement fits, or none was found in time; the message says which.
        """
        ends = time.monotonic() + problem.time_limit_s
        whole: frozenset[str] = frozenset()
        best: PlacementPlan | None = None
        bound_s = 0.0
        while True:
            left_s = ends - time.monotonic()
            solution = solve(problem, time_limit_s=left_s, whole=whole)
            bound_s = max(bound_s, solution.bound_s)
            if solution.placement is not None:
                plan = _without_idle_copies(problem, solution.placement)
                if best is None or plan.predicted_s < best.predicted_s:
                    best = plan
            # Fragments that overlap in odd cycles can be cheaper in shares than any that can be
            # run: then these queries are solved once more, over whole fragments only.
            split = solution.fractional - whole
            closed = best is not None and _gap(best, bound_s) <= GAP_TOLERANCE
            if closed or not solution.proven or not split or time.monotonic() >= ends:
                break
            whole |= split
        if not closed:
            best = _cheapest(problem, best)
        return _proven(problem, best, bound_s)


def _proven(problem: PlacementProblem, best: PlacementPlan | None, bound_s: float) -> PlacementPlan:
    if best is None:
        raise InfeasibleError(
            f"No placement was found within {problem.time_limit_s:g} s: raise [place].time_limit_s."
        )
    optimal = _gap(best, bound_s) <= GAP_TOLERANCE
    return replace(
        best,
        strategy="optimal",
        outcome=Outcome.OPTIMAL if optimal else Outcome.FEASIBLE,
        bound_s=min(bound_s, best.predicted_s),
        settings={
            "solver": "HiGHS",
            "time_limit_s": problem.time_limit_s,
            "max_copies": problem.constraints.max_copies,
        },
    )


def _gap(plan: PlacementPlan, bound_s: float) -> float:
    """Return how far the plan is above the bound (0..1)."""
    return 0.0 if plan.predicted_s <= 0 else 1 - bound_s / plan.predicted_s


def _cheapest(problem: PlacementProblem, best: PlacementPlan | None) -> PlacementPlan | None:
    """Return the best plan there is where the solver was not done: it may be a baseline's."""
    baselines: tuple[Callable[[PlacementProblem], PlacementPlan], ...] = (
        *(SingleStore(store=store.name) for store in problem.stores),
        Naive(),
        Proximity(),
    )
    plans = [plan for strategy in baselines if (plan := strategy(problem)).feasible]
    if best is not None:
        plans.insert(0, best)
    return min(plans, key=lambda plan: plan.predicted_s, default=None)


def _without_idle_copies(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]
) -> PlacementPlan:
    """Route the queries and drop the copies that none of them reads, pinned ones excepted."""
    routing = route(problem, placement)
    used = _reads(routing)
    kept = {}
    for table, stores in placement.items():
        pinned = problem.constraints.pin.get(table, frozenset())
        needed = tuple(s for s in stores if s in pinned or (table, s) in used)
        kept[table] = needed or stores[:1]
    return plan_for(problem, "optimal", kept, routing)


def _reads(routing: Mapping[str, tuple[RoutedFragment, ...]]) -> frozenset[tuple[str, str]]:
    """Return the (table, store) pairs that some fragment reads."""
    return frozenset(
        (table, routed.store)
        for fragments in routing.values()
        for routed in fragments
        for table in routed.fragment.tables
    )
