"""The cheapest placement with its routing, with a proven bound."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from placement.arrays.compiled import Compiled, Placement, offered
from placement.arrays.compiling import compile_problem
from placement.arrays.evaluator import Evaluator
from placement.arrays.states import FEW_STATES, MOST_STATES, TooManyStatesError
from placement.exact.exact import Found, cheaper, gap, routed, solve_exactly
from placement.exact.model import ALL, Scope, solve
from placement.limits.canonical_order import as_given, in_order
from placement.limits.check import GAP_TOLERANCE
from placement.plan import Outcome, PlacementPlan
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.programs.solver import EVERYTHING, SearchOptions
from placement.programs.variables import everything_whole
from placement.routing.routing import plan_for
from placement.search.breaches import NONE
from placement.search.large import Budget, solve_in_parts
from placement.search.needed_stores import FewStores, in_few_stores
from placement.search.room import room, runnable
from placement.search.terrain import Terrain
from placement.strategies.greedy import Greedy
from placement.strategies.naive import balanced
from placement.strategies.proximity import close
from placement.strategies.single_store import alone
from placement.strategies.with_indexes import with_indexes
from placement.time_limit import NotFoundInTimeError, OutOfTimeError, cut_by, ends_of
from workloads.errors import InfeasibleError

MOST_OPTIONS = 25_000
"""Fragments in stores up to which a problem is solved as a whole."""
NOTHING_FOUND = Found(plan=None, bound_s=0.0, stopped=True)
START_SHARE, WHOLE_SHARE, FEW_STORES_SHARE = 0.25, 0.6, 0.8
"""When the search for a start, that of the whole, and that of few stores in place of the whole is
over, as shares of the time. The last one leaves parts little to gain."""
ARRAYS_SHARE = 0.5
"""The share of the time that making arrays may take; the search goes on without them."""
KNOWN_START = SearchOptions(heuristics=False, strong_branching=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal:
    """Solves the fragment model: as a whole where it can be, in parts where it is too large.

    It stops at the problem's time limit: a whole search that is not proven by then leaves the rest
    of the time to parts of its plan. Where indexes may be chosen for copies, it chooses them too
    (`placement.strategies.with_indexes`). With a work limit each stops after so many nodes of the
    solver's search, or parts, instead, and equal seeds give equal plans on every machine. A plan is
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
        ends = ends_of(problem)
        problem = replace(problem, ends=ends)
        if problem.candidates:
            indexed = with_indexes(problem, self._plan, self.most_options)
            if indexed is not None:
                return _proven(problem, indexed)
            problem = problem.with_indexes({})
        arrays = Budget(starts=time.monotonic(), ends=ends).share(ARRAYS_SHARE)
        compiled = _compiled(problem, FEW_STATES, arrays)
        # What arrays took is no part of what the searches share.
        budget = Budget(starts=time.monotonic(), ends=ends, parts=problem.work_limit)
        found = self._found(problem, compiled, budget)
        if not found.closed:
            found = replace(found, plan=_cheapest(problem, found.plan, compiled, budget.ends))
        return _proven(problem, found)

    def _found(self, problem: PlacementProblem, compiled: Compiled | None, budget: Budget) -> Found:
        if everything_whole(problem):
            return solve_exactly(problem, budget.ends)
        options = option_count(problem) if compiled is None else np.isfinite(compiled.cost_s).sum()
        if options <= self.most_options:
            # Arrays for a start take longer than the solver where there are many states.
            scope = ALL if compiled is None else _scope(compiled, budget.share(START_SHARE))
            found = solve_exactly(problem, budget.share(WHOLE_SHARE), _limited(scope, problem))
            return _continued(problem, compiled, found, budget)
        few = _few_stores(problem)
        found = NOTHING_FOUND
        if few is not None and few.options <= self.most_options:
            found = _in_few_stores(problem, few, budget)
        if found.plan is not None:
            return _continued(problem, compiled, found, budget)
        compiled = compiled or _compiled(problem, MOST_STATES, budget.ends)
        if compiled is not None:
            left = replace(budget, starts=time.monotonic())
            found = solve_in_parts(compiled, left, proven_s=found.bound_s)
        if found.plan is not None or time.monotonic() >= budget.ends:
            return found
        # The parts keep to all limits: where they found nothing there may be nothing.
        return solve_exactly(problem, budget.ends)


def _compiled(problem: PlacementProblem, most_states: int, ends: float) -> Compiled | None:
    """Return the problem as arrays, where these can solve it and are made by `ends`."""
    if everything_whole(problem):
        return None
    largest = sorted(problem.queries, key=lambda query: -len(query.sources))[:1]
    try:
        # The largest query tells in less time than all of them.
        compile_problem(replace(problem, queries=tuple(largest), ends=ends), most_states)
        made = compile_problem(replace(problem, ends=ends), most_states)
    except (TooManyStatesError, OutOfTimeError):
        return None
    return replace(made, problem=problem)


def _few_stores(problem: PlacementProblem) -> FewStores | None:
    """Return the problem in the stores that it needs; None where it may need all, or time is up."""
    with suppress(OutOfTimeError):
        return in_few_stores(problem)
    return None


def option_count(problem: PlacementProblem) -> int:
    """Return the number of fragments in stores that can run them."""
    return sum(
        able(store, fragment)
        for query in problem.queries
        for fragment in query.offered
        for store in problem.stores
    )


def _in_few_stores(problem: PlacementProblem, few: FewStores, budget: Budget) -> Found:
    """Return the plan of what is cheapest in few stores, with the bound that holds for all.

    The start leaves out queries that split in too many ways for arrays: it need not be the best.
    """
    here = replace(problem, stores=problem.stores[: len(few.problem.stores)])
    arrays = budget.share(ARRAYS_SHARE)
    compiled = _compiled(_of_few_states(here, arrays), FEW_STATES, arrays)
    near = None if compiled is None else _start(compiled, budget.share(START_SHARE))
    options = EVERYTHING if near is None else KNOWN_START
    scope = _limited(Scope(offered=few.offered, near=near, options=options), problem)
    left_s = budget.share(FEW_STORES_SHARE) - time.monotonic()
    try:
        solution = solve(few.problem, time_limit_s=left_s, scope=scope)
    except InfeasibleError:  # nor does anything fit all stores, whose names tell more
        return NOTHING_FOUND
    best = None
    for placement in (near, solution.placement):
        if placement is not None:
            with suppress(OutOfTimeError):
                best = cheaper(best, routed(problem, placement))
    return Found(plan=best, bound_s=solution.bound_s, stopped=True)


def _of_few_states(problem: PlacementProblem, ends: float) -> PlacementProblem:
    """Return the problem without the queries that alone are too large for arrays by `ends`."""
    kept = tuple(
        query
        for query in problem.queries
        if _compiled(replace(problem, queries=(query,)), FEW_STATES, ends) is not None
    )
    return replace(problem, queries=kept)


def _limited(scope: Scope, problem: PlacementProblem) -> Scope:
    """Return the scope with the problem's work limit."""
    return replace(scope, options=replace(scope.options, most_nodes=problem.work_limit))


def _scope(compiled: Compiled, ends: float) -> Scope:
    """Return the whole problem without the options that no plan needs, and a start by `ends`."""
    return Scope(
        offered=offered(compiled, runnable(compiled, room(compiled))),
        near=_start(compiled, ends),
        options=KNOWN_START,
    )


def _start(compiled: Compiled, ends: float) -> Placement | None:
    """Return the placement of a greedy search until `ends`, if it keeps all limits."""
    terrain = Terrain(compiled.problem, compiled)
    start, _ = Greedy(rules=("gain_per_byte",)).end(terrain, ends)
    return terrain.placement(start.held) if start.breach <= NONE else None


def _continued(
    problem: PlacementProblem, compiled: Compiled | None, found: Found, budget: Budget
) -> Found:
    """Return what parts of the plan make of it, where its proof was stopped, in the time left.

    Stopped, the whole search often has no better plan than its start. Parts better that soon, and
    alone miss what it finds on smaller problems: neither wins everywhere.
    """
    if found.closed or found.plan is None or not found.stopped:
        return found
    compiled = compiled or _compiled(problem, MOST_STATES, budget.ends)
    if compiled is None:
        return found
    left = replace(budget, starts=time.monotonic())
    parts = solve_in_parts(compiled, left, near=found.plan.placement, proven_s=found.bound_s)
    better = found.plan if parts.plan is None else cheaper(found.plan, parts.plan)
    return Found(plan=better, bound_s=max(found.bound_s, parts.bound_s), stopped=True)


def _proven(problem: PlacementProblem, found: Found) -> PlacementPlan:
    if found.plan is None:
        raise NotFoundInTimeError(
            f"No placement was found within {problem.time_limit_s:g} s: raise [place].time_limit_s."
        )
    optimal = gap(found.plan, found.bound_s) <= GAP_TOLERANCE
    stopped = found.stopped and not optimal
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
        cut=cut_by(problem, "the search for a cheaper plan") if stopped else None,
    )


def _cheapest(
    problem: PlacementProblem,
    best: PlacementPlan | None,
    compiled: Compiled | None,
    ends: float,
) -> PlacementPlan | None:
    """Return the best plan there is where the search was not done: it may be a baseline's.

    With a plan at hand, baselines are looked at until `ends` (monotonic seconds). Where the
    problem is compiled, baselines that cost more are not made into plans: with many
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
        if best is not None and time.monotonic() >= ends:
            break
        with suppress(InfeasibleError, OutOfTimeError):  # a query that cannot be run there
            best = cheaper(best, plan_for(problem, "optimal", placement))
    return best
