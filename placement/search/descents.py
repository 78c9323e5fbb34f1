"""Descents by single moves: to a placement within the limits, and to one that costs less."""

import time
from collections.abc import Callable
from contextlib import suppress
from math import inf

import numpy as np

from placement.arrays.compiled import Floats
from placement.search.breaches import NONE
from placement.search.moves import Moves, Position
from placement.search.terrain import capacities_bytes
from placement.time_limit import Looks, OutOfTimeError

TOLERANCE = 1e-9
LOOKED_AT = 64
"""Moves that are checked against the limits at a time, the worthiest first."""
MOST_UNITS = 100
"""Up to so many units all moves that another touches are priced again: they end lower so."""
PRICED = "moves were priced"


def repair(position: Position, *, most_units: int = MOST_UNITS, ends: float = inf) -> bool:
    """Take the moves that break less at the least cost for it, until none does.

    Return whether it came to that before `ends` (monotonic seconds).

    Where no single move helps, two units that change stores may; and where that does not help
    either, all copies that are too many for a placement without any are dropped, once. Of more
    than `most_units` only those that come first are priced again, as in `improve`.
    """
    dropped = known = False
    lazy = len(position.terrain.units) > most_units
    looks = Looks(ends, PRICED)
    while position.breach > NONE:
        if time.monotonic() >= ends or (moves := _moves(position, known, looks)) is None:
            return False
        best = _mending(position, moves)
        if best is not None:
            if not position.refresh(unit := int(moves.unit[best])):
                position.take(unit, moves.stores[best])
            known = lazy
        elif known:
            known = False
        elif not _swap(position):
            if dropped or not _drop_copies(position):
                return True
            dropped = True
    return True


def _moves(position: Position, known: bool, looks: Looks) -> Moves | None:
    """Return every move, None where there was no time to price them all."""
    with suppress(OutOfTimeError):
        return position.moves(known=known, looks=looks)
    return None


def _mending(position: Position, moves: Moves) -> int | None:
    """Return the move that breaks less at the least cost for it."""
    less = position.breach - position.breach_after(moves, np.arange(len(moves.unit)))
    better = np.flatnonzero(less > TOLERANCE)
    if not len(better):
        return None
    return int(better[np.argmax(moves.gain_s[better] / less[better])])


def improve(
    position: Position,
    worth: Callable[[Moves], Floats],
    *,
    most_units: int = MOST_UNITS,
    ends: float = inf,
) -> bool:
    """Take the move of the highest `worth` that gains and breaks no more, until none does.

    Return whether it came to that before `ends` (monotonic seconds).

    Of more than `most_units` only the units that come first are priced again (Minoux: Accelerated
    greedy algorithms for maximizing submodular set functions, 1978). Gains that other moves
    raised are then seen at the end, when all units are priced again: it ends where no move gains.
    """
    known, lazy = False, len(position.terrain.units) > most_units
    looks = Looks(ends, PRICED)
    while time.monotonic() < ends and (moves := _moves(position, known, looks)) is not None:
        best = _worthiest(position, moves, worth(moves))
        if best is None:
            if not known:
                return True
            known = False
        elif not position.refresh(unit := int(moves.unit[best])):
            position.take(unit, moves.stores[best])
            known = lazy
    return False


def _worthiest(position: Position, moves: Moves, worth: Floats) -> int | None:
    gaining = np.flatnonzero(moves.gain_s > TOLERANCE * position.seconds)
    ordered = gaining[np.argsort(-worth[gaining], kind="stable")]
    most = max(NONE, position.breach + TOLERANCE)
    for first in range(0, len(ordered), LOOKED_AT):
        some = ordered[first : first + LOOKED_AT]
        open_ = np.flatnonzero(position.breach_after(moves, some) < most)
        if len(open_):
            return int(some[open_[0]])
    return None


def _swap(position: Position) -> bool:
    """Let two units change stores where that breaks less; the larger ones are tried first."""
    units = position.terrain.units
    for number in sorted(range(len(units)), key=lambda each: -units[each].size_bytes):
        others, breach = position.swaps(number)
        if len(others) and breach.min() < position.breach - TOLERANCE:
            other = int(others[np.argmin(breach)])
            here, there = (position.held[units[each].tables[0]].copy() for each in (number, other))
            position.take(number, there)
            position.take(other, here)
            return True
    return False


def _drop_copies(position: Position) -> bool:
    """Leave of each unit what is pinned, or the copy in the store with the most room."""
    terrain, found = position.terrain, False
    capacity = np.array(capacities_bytes(terrain.problem), dtype=float)
    for number in sorted(range(len(terrain.units)), key=lambda n: -terrain.units[n].size_bytes):
        unit = terrain.units[number]
        now = position.held[unit.tables[0]]
        if now.sum() <= max(1, unit.pinned.sum()):
            continue
        kept = now & unit.pinned
        if not kept.any():
            room = capacity - terrain.table_bytes @ position.held
            kept[np.argmax(np.where(now, room, -np.inf))] = True
        position.take(number, kept)
        found = True
    return found
