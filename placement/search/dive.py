"""A first placement by diving: tables are fixed where the prices of a scenario have them.

What many queries read, and leans most to one store, is fixed first; the prices of what is left
are then raised again, so that the rest follows. At the end small tables go where they lean to, and
single moves better what that is.

Berthold: RENS, the optimal rounding, Mathematical Programming Computation 6, 2014, on diving;
Barahona and Chudak: Near-optimal solutions to large-scale facility location problems, Discrete
Optimization 2, 2005, for roundings of the volume algorithm's averages.
"""

import time
from collections.abc import Sequence
from math import inf

import numpy as np

from placement.arrays.compiled import Booleans, Floats
from placement.search.bound import Relaxation
from placement.search.breaches import NONE
from placement.search.descents import improve, repair
from placement.search.moves import Position
from placement.search.pivots import HEAVY
from placement.search.room import Room
from placement.search.scenarios import Scenario, weights
from placement.search.terrain import Terrain, capacities_bytes
from placement.time_limit import ends_of

MOST_DIVES = 3
STEPS, LENGTH = 40, 0.3
"""Steps after tables were fixed, and of the first of them how long."""
SURE = 0.98
"""The share in one store from which on a table is fixed with the next one."""
WEIGHTY = 0.01
"""The part of the largest weight from which on a table is one to dive by, however small."""


def dives(relaxation: Relaxation, scenarios: Sequence[Scenario], ends: float) -> Booleans | None:
    """Return the cheapest placement (T by S) of dives into the first `MOST_DIVES` scenarios.

    Another one begins where it can be as long as the last one before `ends` (monotonic seconds).
    None of them need be within the limits: None where none is.
    """
    best, best_s, last_s = None, inf, 0.0
    for scenario in scenarios[:MOST_DIVES]:
        started = time.monotonic()
        if best is not None and started + last_s >= ends:
            break
        position = dive(relaxation, scenario, ends)
        last_s = time.monotonic() - started
        if position.breach <= NONE and position.seconds < best_s:
            best, best_s = position.held, position.seconds
    return best


def dive(relaxation: Relaxation, scenario: Scenario, ends: float) -> Position:
    """Return where a dive into a scenario ends, within the limits where moves led there.

    From `ends` (monotonic seconds) on what is left goes where it leans to.
    """
    compiled = relaxation.compiled
    problem = compiled.problem
    size = np.array([problem.table_bytes[table] for table in compiled.tables], dtype=float)
    capacity = np.array(capacities_bytes(problem), dtype=float)
    weight = weights(relaxation)
    main = (size >= HEAVY * size.sum()) | (weight >= WEIGHTY * weight.max(initial=0.0))
    where, bound = scenario.where, scenario.bound
    while time.monotonic() < ends:
        open_ = np.flatnonzero(main & ~where.required.any(axis=1))
        if not len(open_):
            break
        sure = bound.leaning.max(axis=1)
        first = open_[np.argmax(weight[open_] * sure[open_])]
        fixed = [first, *(table for table in open_.tolist() if sure[table] >= SURE)]
        where = _fixed(where, list(dict.fromkeys(fixed)), bound.leaning, size, capacity)
        bound = relaxation.ascend(
            where,
            prices=bound.prices,
            steps=STEPS,
            ends=ends,
            length=LENGTH,
            leaning=bound.leaning,
        )
    rest = np.argsort(-size, kind="stable")
    left = [table for table in rest.tolist() if not where.required[table].any()]
    where = _fixed(where, left, bound.leaning, size, capacity)
    position = Position(Terrain(problem, compiled), where.required)
    last = ends_of(problem)
    repair(position, ends=last)
    improve(position, lambda moves: moves.gain_s, ends=last)
    return position


def _fixed(where: Room, tables: list[int], leaning: Floats, size: Floats, capacity: Floats) -> Room:
    """Return the room with `tables` where they lean to and fit, the first of them first.

    Others may no longer be where they do not fit, unless they fit nowhere.
    """
    required, allowed = where.required.copy(), where.allowed.copy()
    free = capacity - required.T @ size
    for table in tables:
        fits = allowed[table] & (size[table] <= free)
        open_ = fits if fits.any() else allowed[table]
        store = int(np.argmax(np.where(open_, leaning[table], -1.0)))
        required[table, store] = True
        allowed[table] = required[table]
        free[store] -= size[table]
    fitting = allowed & ((size[:, None] <= free) | required.any(axis=1, keepdims=True))
    fitting[~fitting.any(axis=1)] = allowed[~fitting.any(axis=1)]
    return Room(allowed=fitting, required=required)
