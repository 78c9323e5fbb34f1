"""The cheapest placement with its routing, with a proven bound."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from placement.arrays.compiled import Compiled, compile_problem, offered
from placement.check import GAP_TOLERANCE
from placement.plan import Outcome, PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.exact import Found, cheaper, gap, solve_exactly
from placement.programs.model import Scope
from placement.programs.solver import SearchOptions
from placement.programs.variables import everything_whole
from placement.search.bound import room, runnable
from placement.search.large import Budget, solve_in_parts
from placement.strategies.greedy import Greedy
from placement.strategies.naive import Naive
from placement.strategies.proximity import Proximity
from placement.strategies.single_store import SingleStore
from workloads.errors import InfeasibleError

MOST_OPTIONS = 25_000
"""Fragments in stores up to which a problem is solved as a whole."""
KNOWN_START = SearchOptions(heuristics=False, strong_branching=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal:
    """Solves the fragment model: as a whole where it can be, in parts where it is too large.

    It stops at the problem's time limit. With a work limit it stops after so many parts, or nodes
    of the solver's search, instead, and equal seeds give equal plans on every machine. A plan is
    OPTIMAL if its routed cost is within 1e-6 (relative) of the proven bound.
    """

    most_options: int = MOST_OPTIONS

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the cheapest plan found, with its bound.

        Raises:
            InfeasibleError: No placement fits, or none was found in time; the message says which.
        """
        starts = time.monotonic()
        ends = starts + problem.time_limit_s if problem.work_limit is None else inf
        found = self._found(problem, starts, ends)
        if not found.closed:
            found = replace(found, plan=_cheapest(problem, found.plan))
        return _proven(problem, found)

    def _found(self, problem: PlacementProblem, starts: float, ends: float) -> Found:
        if everything_whole(problem):
            return solve_exactly(problem, ends)
        compiled = compile_problem(problem)
        if np.isfinite(compiled.cost_s).sum() <= self.most_options:
            return solve_exactly(problem, ends, _scope(compiled))
        budget = Budget(starts=starts, ends=ends, parts=problem.work_limit)
        found = solve_in_parts(compiled, budget)
        # The parts keep to all limits: where they found nothing there may be nothing.
        return found if found.plan is not None else solve_exactly(problem, ends)


def _scope(compiled: Compiled) -> Scope:
    """Return the whole problem without the options that no plan needs, and a start."""
    start = None
    with suppress(InfeasibleError):  # it came to where a query cannot be run
        start = Greedy()(compiled.problem)
    return Scope(
        offered=offered(compiled, runnable(compiled, room(compiled))),
        near=start.placement if start is not None and start.feasible else None,
        options=replace(KNOWN_START, most_nodes=compiled.problem.work_limit),
    )


def _proven(problem: PlacementProblem, found: Found) -> PlacementPlan:
    if found.plan is None:
        raise InfeasibleError(
            f"No placement was found within {problem.time_limit_s:g} s: raise [place].time_limit_s."
        )
    optimal = gap(found.plan, found.bound_s) <= GAP_TOLERANCE
    settings: dict[str, str | int | float] = {
        "solver": "HiGHS",
        "time_limit_s": problem.time_limit_s,
        "max_copies": problem.constraints.max_copies,
    }
    if problem.work_limit is not None:
        settings["work_limit"] = problem.work_limit
    return replace(
        found.plan,
        strategy="optimal",
        outcome=Outcome.OPTIMAL if optimal else Outcome.FEASIBLE,
        bound_s=min(found.bound_s, found.plan.predicted_s),
        settings=settings,
    )


def _cheapest(problem: PlacementProblem, best: PlacementPlan | None) -> PlacementPlan | None:
    """Return the best plan there is where the search was not done: it may be a baseline's."""
    baselines: tuple[Callable[[PlacementProblem], PlacementPlan], ...] = (
        *(SingleStore(store=store.name) for store in problem.stores),
        Naive(),
        Proximity(),
    )
    for strategy in baselines:
        with suppress(InfeasibleError):  # a query that cannot be run there
            best = cheaper(best, strategy(problem))
    return best
