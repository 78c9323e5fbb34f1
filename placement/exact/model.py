"""The fragment model: which table lives where, as a mixed-integer program.

Placements x are binary; fragments z are continuous, and the link between them is tight (one row
a source and store), which is what makes the bound of the relaxation strong.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from placement.advising.index_rows import Indexes, add_indexes, price_indexes
from placement.conflicts import infeasible
from placement.constraints import CONSTRAINTS
from placement.pricing import Option
from placement.problem import PlacementProblem
from placement.programs.objective import add_seconds
from placement.programs.solver import EVERYTHING, Answer, SearchOptions, Status, Variable
from placement.programs.variables import FragmentModel, everything_whole, variables
from workloads.errors import InfeasibleError

__all__ = ["FragmentModel", "Indexes", "Solution", "solve", "variables"]

SCALE = 1000.0
"""The scale of the objective, so that the solver's absolute tolerances (1e-7) are small."""
INTEGRAL = 1e-6

Placement = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The result of the solver.

    `placement`: table → stores, sorted, in the problem's order; None if the time was too short
    for any. `bound_s`: no feasible plan is cheaper. `proven`: no placement is better, up to the
    solver's tolerance, if the queries in `fractional` are run by shares of several fragments.
    `indexes`: store → those that are chosen for it.
    """

    placement: Mapping[str, tuple[str, ...]] | None
    bound_s: float
    proven: bool
    fractional: frozenset[str]
    indexes: Indexes = field(default_factory=dict)


def add_objective(model: FragmentModel, problem: PlacementProblem) -> float:
    """Minimise queries by executions, and copies; return seconds per program's unit."""
    unit_s = floor_s(model, problem) / SCALE or 1.0
    for (table, store), variable in model.held.items():
        model.program.price(variable, problem.copy_s(table, problem.store(store)) / unit_s)
    add_seconds(model, problem, unit_s=unit_s)
    price_indexes(model, problem, unit_s=unit_s)
    return unit_s


def floor_s(model: FragmentModel, problem: PlacementProblem) -> float:
    """Return a simple bound on any plan: each query's dearest source, in its cheapest option.

    One copy of every table is kept up in any plan too, where that is cheapest.
    """
    total_s = sum(
        min(problem.copy_s(table, store) for store in problem.stores)
        for table in problem.table_bytes
    )
    for query in problem.queries:
        cheapest: dict[str, float] = {}
        for option, _ in model.run[query.name]:
            for source in option.fragment.sources:
                cheapest[source] = min(cheapest.get(source, option.cost_s), option.cost_s)
        total_s += query.executions * max(cheapest.values(), default=0.0)
    return total_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of the problem to search: all of it, unless some is given.

    `fixed`: tables → the stores that they stay in. `offered`: query → the options to choose from.
    `near`: a placement to start from, with the indexes `near_indexes`. `known`: choices of indexes
    of which the model is to know exactly what they save; with None it goes by gains alone. `loose`:
    tables that may be in stores by shares; the solution tells nothing of them but the bound.
    `partial` says that what is left out may be what is needed: then there may be no solution though
    the problem has some.
    """

    fixed: Placement = field(default_factory=dict)
    offered: Mapping[str, Sequence[Option]] | None = None
    near: Placement | None = None
    near_indexes: Indexes = field(default_factory=dict)
    known: Sequence[Indexes] | None = ()
    loose: Collection[str] = ()
    partial: bool = False
    options: SearchOptions = EVERYTHING


ALL = Scope()
NOTHING = Solution(placement=None, bound_s=inf, proven=True, fractional=frozenset())


def solve(
    problem: PlacementProblem,
    *,
    time_limit_s: float,
    whole: Collection[str] = (),
    scope: Scope = ALL,
) -> Solution:
    """Solve the problem; no query in `whole` is run by shares of fragments.

    Deterministic for a seed, unless the time limit (seconds of wall clock) ends the search.

    Raises:
        InfeasibleError: No placement fits; the message names constraints that conflict.
    """
    # A solver, which has its tolerance, may search long for what is a few bytes too much.
    for _ in infeasible.evident(problem):
        raise InfeasibleError(infeasible.reason(problem))
    ends = time.monotonic() + time_limit_s
    if everything_whole(problem):
        whole = {query.name for query in problem.queries}
    model = variables(
        problem, whole, scope.fixed, offered=scope.offered, loose=frozenset(scope.loose)
    )
    add_indexes(model, problem, scope.known)
    for constraint in CONSTRAINTS:
        constraint.add(model, problem)
    unit_s = add_objective(model, problem)
    # Options are priced without the indexes that may be chosen: the simple bound is none then.
    floor = -inf if model.indexed else floor_s(model, problem)
    while True:
        answer = model.program.solve(
            seed=problem.seed,
            time_limit_s=ends - time.monotonic(),
            hint=_hint(model, scope),
            options=scope.options,
        )
        if answer.status is Status.INFEASIBLE:
            if scope.partial:
                return NOTHING
            raise InfeasibleError(infeasible.reason(problem))
        if answer.values is None or scope.loose or not model.cut_broken(answer):
            return Solution(
                placement=None if answer.values is None else model.placement(problem, answer),
                bound_s=max(floor, answer.bound * unit_s),
                proven=answer.status is Status.SOLVED,
                fractional=_fractional(model, answer),
                indexes={} if answer.values is None else model.indexes(answer),
            )


def _hint(model: FragmentModel, scope: Scope) -> Mapping[Variable, float] | None:
    near, indexes = scope.near, scope.near_indexes
    if near is None:
        return None
    found = {
        variable: float(store in near[table]) for (table, store), variable in model.held.items()
    }
    for (index, store), variable in model.indexed.items():
        found[variable] = float(index in indexes.get(store, ()))
    return found


def _fractional(model: FragmentModel, answer: Answer) -> frozenset[str]:
    if answer.values is None:
        return frozenset()
    return frozenset(
        query
        for query, run in model.run.items()
        if any(INTEGRAL < answer[variable] < 1 - INTEGRAL for _, variable in run)
    )
