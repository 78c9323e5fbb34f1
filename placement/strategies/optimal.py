"""The cheapest placement with its routing, with a proven bound."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from placement.arrays.compiled import Compiled, offered
from placement.arrays.compiling import compile_problem
from placement.arrays.evaluator import Evaluator
from placement.canonical_order import as_given, in_order
from placement.check import GAP_TOLERANCE
from placement.plan import Outcome, PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.exact import Found, cheaper, gap, solve_exactly
from placement.programs.model import Scope
from placement.programs.solver import SearchOptions
from placement.programs.variables import everything_whole
from placement.routing import plan_for
from placement.search.breaches import NONE
from placement.search.large import Budget, solve_in_parts
from placement.search.room import room, runnable
from placement.search.terrain import Terrain
from placement.strategies.greedy import Greedy
from placement.strategies.naive import balanced
from placement.strategies.proximity import close
from placement.strategies.single_store import alone
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
        return as_given(problem, self._plan(in_order(problem)))

    def _plan(self, problem: PlacementProblem) -> PlacementPlan:
        starts = time.monotonic()
        ends = starts + problem.time_limit_s if problem.work_limit is None else inf
        compiled = None if everything_whole(problem) else compile_problem(problem)
        found = self._found(problem, compiled, Budget(starts=starts, ends=ends))
        if not found.closed:
            found = replace(found, plan=_cheapest(problem, found.plan, compiled))
        return _proven(problem, found)

    def _found(self, problem: PlacementProblem, compiled: Compiled | None, budget: Budget) -> Found:
        if compiled is None:
            return solve_exactly(problem, budget.ends)
        if np.isfinite(compiled.cost_s).sum() <= self.most_options:
            return solve_exactly(problem, budget.ends, _scope(compiled))
        found = solve_in_parts(compiled, replace(budget, parts=problem.work_limit))
        # The parts keep to all limits: where they found nothing there may be nothing.
        return found if found.plan is not None else solve_exactly(problem, budget.ends)


def _scope(compiled: Compiled) -> Scope:
    """Return the whole problem without the options that no plan needs, and a start."""
    terrain = Terrain(compiled.problem, compiled)
    start = Greedy(rules=("gain_per_byte",)).end(terrain)
    return Scope(
        offered=offered(compiled, runnable(compiled, room(compiled))),
        near=terrain.placement(start.held) if start.breach <= NONE else None,
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


def _cheapest(
    problem: PlacementProblem, best: PlacementPlan | None, compiled: Compiled | None
) -> PlacementPlan | None:
    """Return the best plan there is where the search was not done: it may be a baseline's.

    Where the problem is compiled, baselines that cost more are not made into plans: with many
    queries that takes longer than to price them.
    """
    placements = [
        *(alone(problem, store.name) for store in problem.stores),
        balanced(problem),
        close(problem),
    ]
    if best is not None and compiled is not None and problem.objective == "work":
        costs_s = Evaluator(problem, compiled).cost_s(placements)
        placements = [
            placement
            for placement, cost_s in zip(placements, costs_s, strict=True)
            if cost_s < best.predicted_s
        ]
    for placement in placements:
        with suppress(InfeasibleError):  # a query that cannot be run there
            best = cheaper(best, plan_for(problem, "optimal", placement))
    return best
