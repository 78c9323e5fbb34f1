"""The placement with indexes chosen for its copies: both at once where the problem is small enough.

Otherwise, and where seconds overlap or money is limited, indexes are chosen for placements that are
found before: the cheapest without any, and the cheapest if all candidates were there for nothing.
The bound of the latter holds for every placement with every choice.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from placement.advising.gains import Candidate, by_store, worthwhile
from placement.exact.exact import Found, Placement, cheaper, routed, solve_exactly
from placement.exact.model import Scope, solve
from placement.plan import PlacementPlan
from placement.pricing import Option, options
from placement.problem import PlacementProblem
from placement.programs.solver import SearchOptions
from placement.programs.variables import everything_whole
from placement.strategies.needed_options import needed
from placement.time_limit import OutOfTimeError, ends_of
from workloads.errors import InfeasibleError

Place = Callable[[PlacementProblem], PlacementPlan]

PLAIN_SHARE, FREE_SHARE, CHOOSING_SHARE = 0.4, 0.8, 0.6
"""When the search without indexes, that with all of them for nothing, and the choice for a given
placement are over, as shares of the time."""
LEAST_SHARE, LEFT_OUT_SHARE = 0.001, 0.05
"""The share of all seconds that an index has to save at least, as far as is known, to be looked at,
and the most that all may save that are left out for it. Smaller ones are beyond what prices can
tell, and every index is one more that a server may choose.
"""
KNOWN_START = SearchOptions(heuristics=False, strong_branching=False)


def with_indexes(problem: PlacementProblem, place: Place, most_options: int) -> Found | None:
    """Return the best plan found whose copies have indexes; None where no index pays.

    `place` finds the cheapest plan of a problem without candidates.

    Raises:
        InfeasibleError: No placement fits, or none was found in time; the message says which.
    """
    run = {query.name: options(problem, query) for query in problem.queries}
    worth = worthwhile(problem, run)
    if not worth:
        return None
    starts, ends = time.monotonic(), ends_of(problem)
    problem = replace(problem, ends=ends)
    best = place(_until(problem.with_indexes({}), starts, PLAIN_SHARE))
    problem = replace(problem, candidates=by_store(_looked_at(worth, best.predicted_s)))
    if not problem.candidates:
        return Found(plan=best, bound_s=best.bound_s or 0.0, stopped=best.cut is not None)
    if _is_small(problem, run, most_options):
        best = _chosen(problem, best, starts + CHOOSING_SHARE * (ends - starts))
        return _at_once(problem, best, run, ends)
    return _one_after_the_other(problem, best, place, starts)


def _looked_at(worth: Mapping[Candidate, float], all_s: float) -> Collection[Candidate]:
    """Return the candidates without those that save too little of `all_s`, by what each may save.

    Many small ones are not left out: a bound without them would say little.
    """
    left, left_out_s = dict(worth), 0.0
    for candidate, seconds in sorted(worth.items(), key=lambda each: (each[1], str(each[0]))):
        left_out_s += seconds
        if seconds > LEAST_SHARE * all_s or left_out_s > LEFT_OUT_SHARE * all_s:
            break
        del left[candidate]
    return left


def _is_small(
    problem: PlacementProblem, run: Mapping[str, Sequence[Option]], most_options: int
) -> bool:
    """Whether placement and indexes can be one program."""
    has_ceilings = bool(problem.constraints.latency_s)
    number = sum(map(len, run.values()))
    return number <= most_options and not everything_whole(problem) and not has_ceilings


def _one_after_the_other(
    problem: PlacementProblem, best: PlacementPlan, place: Place, starts: float
) -> Found:
    """Return the better of two placements with indexes: `best`, and that with all for nothing."""
    best, bound_s = _chosen(problem, best, problem.ends), 0.0
    with suppress(InfeasibleError):  # Nothing was found in its share of the time.
        free = place(_until(_for_nothing(problem), starts, FREE_SHARE))
        bound_s = free.bound_s or 0.0
        best = _chosen(problem, best, problem.ends, free.placement)
    return Found(plan=best, bound_s=bound_s, stopped=True)


def _at_once(
    problem: PlacementProblem,
    best: PlacementPlan,
    run: Mapping[str, Sequence[Option]],
    ends: float,
) -> Found:
    """Return the best placement and choice, searched for together from a plan."""
    with suppress(OutOfTimeError):  # All options are as right as those that are needed.
        run = needed(problem, run)
    had = {store: frozenset(indexes) for store, indexes in best.indexes.items()}
    scope = Scope(
        offered=run,
        near=best.placement,
        near_indexes=had,
        known=(had,),
        options=replace(KNOWN_START, most_nodes=problem.work_limit),
    )
    found = solve_exactly(problem, ends, scope)
    plan = best if found.plan is None else cheaper(best, found.plan)
    return replace(found, plan=plan)


def _chosen(
    problem: PlacementProblem,
    best: PlacementPlan,
    ends: float,
    placement: Placement | None = None,
) -> PlacementPlan:
    """Return the plan of a placement with the indexes that save it most; `best` if that is better.

    The placement is that of `best` unless another is given. Indexes are chosen by the seconds that
    stores work. The plan is priced by the problem's objective.
    """
    limits = replace(problem.constraints, latency_s={}, max_money=None)
    asked = replace(problem, objective="work", constraints=limits)
    held = placement or best.placement
    if time.monotonic() >= ends:
        return best
    with suppress(OutOfTimeError):
        in_time = replace(problem, ends=min(problem.ends, ends))
        best = cheaper(best, routed(in_time, held, problem.candidates)) or best
    # Gains alone: that they are bounds makes it no worse a choice.
    scope = Scope(fixed=held, near=held, partial=True, known=None)
    if (left_s := ends - time.monotonic()) <= 0:
        return best
    solution = solve(asked, time_limit_s=left_s, scope=scope)
    if solution.placement is not None and solution.indexes:
        with suppress(OutOfTimeError):
            best = cheaper(best, routed(problem, held, solution.indexes)) or best
    return best


def _for_nothing(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem in which all candidates are there, take no bytes and cost nothing.

    It has no balance, which the bytes of indexes may also mend.
    """
    stores = []
    for store in problem.stores:
        had = store.strength.indexes | problem.candidates.get(store.name, frozenset())
        stores.append(replace(store, strength=replace(store.strength, indexes=had)))
    limits = replace(problem.constraints, balance=None)
    return replace(problem, stores=tuple(stores), constraints=limits, candidates={}, index_bytes={})


def _until(problem: PlacementProblem, starts: float, share: float) -> PlacementProblem:
    return replace(problem, ends=starts + share * (problem.ends - starts))
