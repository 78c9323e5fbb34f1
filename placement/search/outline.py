"""First placements, drawn from what the relaxation leans to.

Where tables are large their room decides; where they are small copies of them go anywhere. So the
large tables are placed first, the small ones in shares, and then the small ones around them.

Danna, Rothberg, Le Pape: Exploring relaxation induced neighborhoods, Mathematical Programming
102, 2005; Berthold: RENS, the optimal rounding, Mathematical Programming Computation 6, 2014.
"""

import time
from dataclasses import replace

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, offered
from placement.exact.model import Scope, Solution, solve
from placement.programs.solver import SearchOptions
from placement.search.bound import Bound, Relaxation
from placement.search.room import Room, runnable

LEANING = 0.002
"""The share from which on a store is one that a table leans to."""
LARGE = 0.01
"""The share of all bytes from which on a table is large."""
REGRET = 0.6
"""An option is looked at that is no dearer than at best by more than this share of its query."""
MOST_OPTIONS = 120_000
"""Options beyond which the linear relaxation alone takes the solver minutes."""
ROUGH = SearchOptions(strong_branching=False, relative_gap=2e-3, most_nodes=300)


def outline(relaxation: Relaxation, bound: Bound, where: Room, ends: float) -> Booleans | None:
    """Return a placement (T by S) within all limits; None where none was found in time.

    Nothing is tried where there are more than `MOST_OPTIONS`.

    `ends` (monotonic seconds) leaves the large tables two thirds of the time at most.
    """
    compiled = relaxation.compiled
    worth = worthwhile(relaxation, bound, where, REGRET)
    large = large_tables(compiled)
    small = [table for table, own in zip(compiled.tables, large, strict=True) if not own]
    near = Room(allowed=_leaning(bound, where), required=where.required)
    if (worth & runnable(compiled, near)).sum() > MOST_OPTIONS:
        return None
    now = time.monotonic()
    rough = _solve(compiled, worth, near, Scope(loose=small), now + (ends - now) * 2 / 3)
    if rough.placement is None:
        return None
    fixed = {table: rough.placement[table] for table in rough.placement.keys() - set(small)}
    held = compiled.held([{**dict.fromkeys(compiled.tables, ()), **fixed}])[:, :, 0]
    inside = Room(
        allowed=np.where(large[:, None], held, near.allowed),
        required=np.where(large[:, None], held, where.required),
    )
    fine = _solve(compiled, worth, inside, Scope(fixed=fixed), ends)
    return None if fine.placement is None else compiled.held([fine.placement])[:, :, 0]


def worthwhile(relaxation: Relaxation, bound: Bound, where: Room, regret: float) -> Booleans:
    """Return (M by S) the options that make their query dearer by a share of `regret` at most.

    Options of a single source stay, or there might be no way to run a query.
    """
    single = np.diff(relaxation.compiled.set_sources.starts) == 1
    worth: Booleans = single[:, None] | (relaxation.regret_shares(bound.prices, where) <= regret)
    return worth


def _leaning(bound: Bound, where: Room) -> Booleans:
    """Return (T by S) the stores that tables lean to, or all that they may be in."""
    near = where.allowed & ((bound.leaning > LEANING) | where.required)
    lost = ~near.any(axis=1, keepdims=True)
    found: Booleans = np.where(lost, where.allowed, near)
    return found


def _solve(compiled: Compiled, worth: Booleans, where: Room, scope: Scope, ends: float) -> Solution:
    options = offered(compiled, worth & runnable(compiled, where))
    return solve(
        compiled.problem,
        time_limit_s=max(1.0, ends - time.monotonic()),
        scope=replace(scope, offered=options, partial=True, options=ROUGH),
    )


def large_tables(compiled: Compiled) -> Booleans:
    """Return (T) which tables have a share of all bytes that decides where others fit."""
    sizes = compiled.problem.table_bytes
    size = np.array([sizes[table] for table in compiled.tables], dtype=float)
    large: Booleans = size >= LARGE * size.sum()
    return large
