"""The gain of a plan's copies for their bytes."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from placement.arrays.compiling import compile_problem
from placement.arrays.evaluator import Evaluator
from placement.arrays.states import FEW_STATES, TooManyStatesError
from placement.plan import PlacementPlan, execution_s
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import route_query
from placement.time_limit import STEPS_A_LOOK, Looks, OutOfTimeError, ends_of, left_s
from workloads.errors import InfeasibleError

ARRAYS_SHARE = 0.5
"""The share of the time that making arrays may take; queries are routed one by one without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyGain:
    """The gain of a table's copies in several stores.

    `best` is the one of them that would be best alone, and `gain_s` what a period of the workload
    costs more if it is, with all other tables where they are; None where a query could then not
    be run. A table that may not leave a store, or several, is alone in these: `best` names them.
    `copy_bytes` are those of all copies beyond these.
    """

    table: str
    stores: tuple[str, ...]
    copy_bytes: int
    gain_s: float | None
    best: str


def copy_gains(problem: PlacementProblem, plan: PlacementPlan) -> tuple[CopyGain, ...] | None:
    """Return what the copies of each table gain, the largest gain first.

    All queries are routed as is cheapest, whatever limits say. Gains do not add up: copies help
    each other. None where that takes longer than the problem's time limit.
    """
    try:
        return _gains(replace(problem, ends=ends_of(problem)), plan)
    except OutOfTimeError:
        return None


def _gains(problem: PlacementProblem, plan: PlacementPlan) -> tuple[CopyGain, ...]:
    copied = {table: held for table, held in plan.placement.items() if len(held) > 1}
    if not copied:
        return ()
    fewer = [
        (table, left) for table, held in copied.items() for left in _fewer(problem, table, held)
    ]
    base_s, *costs_s = _costs_s(
        problem,
        [plan.placement, *({**plan.placement, table: left} for table, left in fewer)],
    )
    cost_s = dict(zip(fewer, costs_s, strict=True))
    found = []
    for table, stores in copied.items():
        best = min(_fewer(problem, table, stores), key=lambda left: cost_s[table, left])
        gain_s = cost_s[table, best] - base_s
        found.append(
            CopyGain(
                table=table,
                stores=stores,
                copy_bytes=(len(stores) - len(best)) * problem.table_bytes[table],
                gain_s=gain_s if gain_s < float("inf") else None,
                best=", ".join(best),
            )
        )
    return tuple(sorted(found, key=_rank))


def _fewer(
    problem: PlacementProblem, table: str, held: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """Return the stores that a table may be in without its further copies.

    One that is pinned stays where it is pinned to. Where that is all of its stores, the gain is
    that of the pin: as of any other table.
    """
    pin = problem.constraints.pin.get(table, frozenset())
    pinned = tuple(store for store in held if store in pin)
    if pinned and len(pinned) < len(held):
        return (pinned,)
    return tuple((store,) for store in held)


def _costs_s(
    problem: PlacementProblem, placements: Sequence[Mapping[str, tuple[str, ...]]]
) -> list[float]:
    """Return what each placement costs; inf where a query cannot be run on it."""
    if problem.objective == "work":
        try:
            ends = time.monotonic() + ARRAYS_SHARE * left_s(problem)
            compiled = compile_problem(replace(problem, ends=ends), FEW_STATES)
            return Evaluator(problem, compiled).cost_s(placements)
        except (TooManyStatesError, OutOfTimeError):
            pass  # Its queries are routed one by one in less time.
    return _routed_s(problem, placements)


def _routed_s(
    problem: PlacementProblem, placements: Sequence[Mapping[str, tuple[str, ...]]]
) -> list[float]:
    """Return the same, with queries routed again where a table that they read is elsewhere."""
    known: dict[tuple[str, tuple[tuple[str, ...], ...]], float] = {}
    tables = {
        query.name: sorted(frozenset[str]().union(*(each.tables for each in query.fragments)))
        for query in problem.queries
    }
    looks = Looks(problem.ends, "the gains of copies were computed")
    costs_s = []
    for placement in placements:
        cost_s = sum(
            problem.copy_s(table, problem.store(store))
            for table, held in placement.items()
            for store in held
        )
        for query in problem.queries:
            where = (query.name, tuple(placement[table] for table in tables[query.name]))
            if where not in known:
                looks.step(STEPS_A_LOOK)
                known[where] = _query_s(problem, query, placement)
            cost_s += query.executions * known[where]
        costs_s.append(cost_s)
    return costs_s


def _query_s(
    problem: PlacementProblem, query: QueryProblem, placement: Mapping[str, tuple[str, ...]]
) -> float:
    try:
        return execution_s(route_query(problem, query, placement), problem.objective)
    except InfeasibleError:
        return inf


def _rank(each: CopyGain) -> float:
    return float("-inf") if each.gain_s is None else -each.gain_s
