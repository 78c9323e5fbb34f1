"""Scenarios: a bound is raised by saying where the tables are that everything reads.

Where tables cannot be in every store, the relaxation has shares of a shared dimension in each,
and what is joined with it beside each share. In a scenario some tables have a store. The one with
the lowest bound is split again, by the table that its relaxation leaves most undecided, into one
for each store. Their lowest bound holds for every plan, and where that is plans are looked for.

Land and Doig: An automatic method of solving discrete programming problems, Econometrica 28, 1960,
with bounds from prices.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from placement.arrays.compiled import Floats
from placement.search.bound import Bound, Relaxation
from placement.search.room import Room

STEPS = 150
"""Steps in a scenario before it is split: fewer split what is not yet near its bound."""
LENGTH = 0.5
"""Of the first steps in one: its prices are near those of the scenario that it is of."""
AHEAD = 1.1
"""A part of a scenario is raised so far above what it is before it is left for later."""
DECIDED = 0.02
"""A table splits a scenario if it is undecided by at least this share."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """A scenario: where tables may and must be, and the bound on plans within it.

    `left`: the steps still to be taken before it is split.
    """

    where: Room
    bound: Bound
    left: int = 0


def split(
    relaxation: Relaxation, root: Scenario, *, most: int, goal_s: float, ends: float
) -> list[Scenario]:
    """Return scenarios after at most `most` rounds, by their bounds: every plan is in one of them.

    It ends when that bound is `goal_s`, at `ends` (monotonic seconds), or where no table is left
    undecided.
    """
    open_ = [root]
    weight = weights(relaxation)
    for _ in range(most):
        lowest = min(open_, key=lambda each: each.bound.value_s)
        if lowest.bound.value_s >= goal_s or time.monotonic() >= ends:
            break
        parts = _next(relaxation, lowest, weight, ends)
        if not parts:
            break
        open_ = [each for each in open_ if each is not lowest] + parts
    return sorted(open_, key=lambda each: each.bound.value_s)


def _next(
    relaxation: Relaxation, scenario: Scenario, weight: Floats, ends: float
) -> list[Scenario]:
    """Return what takes a scenario's place: itself, raised further, or its parts.

    It is nothing where no table is left undecided, or where the time was over before all parts had
    a bound.
    """
    if scenario.left > 0:
        return [_raised(relaxation, scenario, np.inf, ends)]
    found = []
    for where in _parts(scenario, weight):
        part = replace(scenario, where=where, left=STEPS)
        found.append(_raised(relaxation, part, AHEAD * scenario.bound.value_s, ends))
        if time.monotonic() >= ends:
            return []
    return found


def _raised(relaxation: Relaxation, scenario: Scenario, enough_s: float, ends: float) -> Scenario:
    """Return the scenario with the bound raised, never below that of what it is a part of."""
    before = scenario.bound
    bound = relaxation.ascend(
        scenario.where,
        prices=before.prices,
        steps=scenario.left,
        ends=ends,
        enough_s=enough_s,
        length=LENGTH,
        leaning=before.leaning,
    )
    return Scenario(
        where=scenario.where,
        bound=replace(bound, value_s=max(bound.value_s, before.value_s)),
        left=0 if bound.done else scenario.left - bound.steps,
    )


def _parts(scenario: Scenario, weight: Floats) -> list[Room]:
    """Return the room of each part: a table is in one store, and in none of those before.

    It is the undecided one that counts most. It is somewhere, so that each plan is in one of the
    parts. Stores that it leans to come first.
    """
    where, leaning = scenario.where, scenario.bound.leaning
    undecided = np.where(where.required.any(axis=1), 0.0, 1.0 - leaning.max(axis=1))
    undecided[where.allowed.sum(axis=1) <= 1] = 0.0
    undecided[undecided < DECIDED] = 0.0
    score = weight * undecided
    if not score.any():
        return []
    table = int(np.argmax(score))
    found = []
    allowed = where.allowed.copy()
    for store in np.argsort(-leaning[table], kind="stable").tolist():
        if where.allowed[table, store]:
            required = where.required.copy()
            required[table, store] = True
            found.append(Room(allowed=allowed.copy(), required=required))
            allowed[table, store] = False
    return found


def weights(relaxation: Relaxation) -> Floats:
    """Return (T): what the queries that read a table cost at least."""
    compiled = relaxation.compiled
    everywhere = np.ones((len(compiled.tables), len(compiled.stores), 1), dtype=bool)
    cost_s = compiled.query_s(everywhere)[:, 0] * compiled.executions
    owner = compiled.set_query[compiled.set_tables.owners]
    reads = np.unique(np.stack([owner, compiled.set_tables.items], axis=1), axis=0)
    weight = np.zeros(len(compiled.tables))
    finite = np.where(np.isfinite(cost_s), cost_s, 0.0)
    np.add.at(weight, reads[:, 1], finite[reads[:, 0]])
    return weight
