"""A smallest set of limits that no placement respects all at once.

Implicit hitting sets: any placement breaks some limits, and a conflict needs one of those. A
smallest set that hits all of those seen so far is tried; where a placement respects all of it,
that placement breaks others, and the search goes on. A. Ignatiev, A. Previti, M. Liffiton,
J. Marques-Silva: Smallest MUS Extraction with Minimal Hitting Set Dualization, CP 2015.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from placement.conflicts.elastic import Elastic, elastic, limits_of
from placement.constraints import OF_KIND
from placement.constraints.constraint import Bounded
from placement.problem import PlacementProblem
from placement.programs.solver import Answer, Program, SearchOptions, Status
from placement.programs.variables import Limit, Number
from placement.time_limit import OutOfTimeError

NOT_FOUND = "Which limits conflict was not found out in time."
ORDER_WEIGHT = 1e-4
"""The largest cost of a limit's place in the problem's order, so that ties end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Limits that no placement respects together, and the fewest whose breaking allows one."""

    limits: tuple[Limit, ...]
    fewest: tuple[Limit, ...]


def smallest_conflict(
    problem: PlacementProblem, ends: float, known: tuple[Limit, ...] = ()
) -> Conflict:
    """Return a conflict of as few limits as there can be, in the problem's order.

    It has no limits where the problem has a placement. `ends` is when the search must be done, by
    `time.monotonic`; with a work limit it is done after so many sets, each found in so many nodes.
    A conflict that is `known` is returned as soon as there can be no smaller one.

    Raises:
        OutOfTimeError: The search was not done by then.
    """
    limits = limits_of(problem)
    seen: list[frozenset[Limit]] = []
    while problem.work_limit is None or len(seen) <= problem.work_limit:
        hard = _hitting(problem, limits, seen, ends)
        found: Collection[Limit] = known if seen and len(hard) >= len(known) > 0 else ()
        if not found:
            broken = fewest_broken(problem, hard, ends)
            if broken:
                seen.append(broken)
                continue
            found = hard if broken is None else ()
        fewest = tuple(limit for limit in limits if seen and limit in seen[0])
        return Conflict(limits=tuple(each for each in limits if each in found), fewest=fewest)
    raise OutOfTimeError(NOT_FOUND)


def fewest_broken(
    problem: PlacementProblem, hard: Collection[Limit], ends: float
) -> frozenset[Limit] | None:
    """Return the fewest limits whose breaking allows a placement; None if `hard` allows none.

    Raises:
        OutOfTimeError: No placement was found by `ends`.
    """
    model = elastic(problem, frozenset(hard))
    for variable in model.broken.values():
        model.program.price(variable, 1.0)
    answer = _answer(model, problem, ends)
    return None if answer is None else model.passed(answer) - frozenset(hard)


def least_excess(
    problem: PlacementProblem, limit: Limit, hard: Collection[Limit] | None, ends: float
) -> Number | None:
    """Return by how much `limit` has to be raised for a placement that respects `hard`.

    `hard` None is all others of the problem.
    In the limit's own unit: bytes, copies, seconds, money, a share. It is enough; it is the least
    there is as well, unless the time ends the search or it is a balance with copies. None where
    no raising helps.

    Raises:
        OutOfTimeError: No placement was found by `ends`.
    """
    model = elastic(problem, None if hard is None else frozenset(hard), free=limit)
    model.program.price(model.by, 1.0)
    answer = _answer(model, problem, ends)
    if answer is None:
        return None
    constraint = OF_KIND[limit.kind]
    if isinstance(constraint, Bounded):
        needed = constraint.needed(problem, model.placement(problem, answer))
        if needed is not None:
            return needed - (constraint.value(problem, limit) or 0.0)
    return max(model.total(row, answer) - row.at_most for row in model.rows if row.limit == limit)


def _answer(model: Elastic, problem: PlacementProblem, ends: float) -> Answer | None:
    """Solve until no limit that has to hold is broken beyond its tolerance; None if that is never.

    Raises:
        OutOfTimeError: Nothing was found by `ends`.
    """
    while True:
        answer = _solved(model.program, problem, ends)
        if answer is None or not model.cut_broken(answer):
            return answer


def _hitting(
    problem: PlacementProblem,
    limits: Sequence[Limit],
    seen: Sequence[frozenset[Limit]],
    ends: float,
) -> frozenset[Limit]:
    """Return as few limits as hit each set of `seen`, the first ones of those."""
    program = Program()
    inside = [limit for limit in limits if any(limit in each for each in seen)]
    chosen = {limit: program.binary() for limit in inside}
    for place, variable in enumerate(chosen.values()):
        program.price(variable, 1.0 + ORDER_WEIGHT * place / len(inside))
    for each in seen:
        program.row([(chosen[limit], 1.0) for limit in inside if limit in each], at_least=1.0)
    answer = _solved(program, problem, ends)
    if answer is None or answer.status is not Status.SOLVED:
        raise OutOfTimeError(NOT_FOUND)
    return frozenset(limit for limit, variable in chosen.items() if answer.chosen(variable))


def _solved(program: Program, problem: PlacementProblem, ends: float) -> Answer | None:
    left_s = ends - time.monotonic()
    if left_s <= 0:
        raise OutOfTimeError(NOT_FOUND)
    options = SearchOptions(most_nodes=problem.work_limit)
    answer = program.solve(seed=problem.seed, time_limit_s=left_s, options=options)
    if answer.status is Status.INFEASIBLE:
        return None
    if answer.values is None:
        raise OutOfTimeError(NOT_FOUND)
    return answer
