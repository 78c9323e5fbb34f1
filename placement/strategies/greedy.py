"""Greedy by marginal gain: the single move that saves most, until none saves anything.

Nemhauser, Wolsey, Fisher: An Analysis of Approximations for Maximizing Submodular Set Functions I
(1978); Wolsey (1982) and Khuller, Moss, Naor: The Budgeted Maximum Coverage Problem (1999) for
gain per byte where elements have sizes, and for taking the better of both. Index advisors choose
indexes in this way: AutoAdmin (Chaudhuri, Narasayya, VLDB 1997) by gain, Extend (Schlosser,
Kossmann, Boissier, ICDE 2019) by gain per byte. Guarantees need submodular gains, which copies
that are of use only together do not have: none is claimed here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np

from placement.arrays.compiled import Floats
from placement.limits.packing import Packing
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.search.breaches import NONE
from placement.search.descents import improve, repair
from placement.search.moves import Moves, Position
from placement.search.terrain import Terrain
from placement.time_limit import cut_by, ends_of

Rule = Literal["gain", "gain_per_byte"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy:
    """Moves, adds or drops one copy at a time, by each of `rules`, and keeps the cheapest end.

    It starts from the current placement, or where there is none from tables packed by size; what
    a start breaks is repaired first, by the moves that cost least for it. Tables that must stay
    together move together.
    """

    rules: tuple[Rule, ...] = ("gain", "gain_per_byte")

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where no move led to a placement within the limits.

        Raises:
            TooManyStatesError: A query can be split in too many ways.
            OutOfTimeError: The time was over before the search began.
        """
        ends = ends_of(problem)
        terrain = Terrain(replace(problem, ends=ends))
        end, done = self.end(terrain, ends)
        plan = plan_for(problem, "greedy", terrain.placement(end.held))
        return plan if done else replace(plan, cut=cut_by(problem, "its search for moves"))

    def end(self, terrain: Terrain, ends: float = inf) -> tuple[Position, bool]:
        """Return where the search ends: over limits only where no move led within them.

        It ends where no move gains, or at `ends` (monotonic seconds); whether all rules got there.
        """
        start, done = _start(terrain, ends)
        found = []
        for rule in self.rules:
            position = start.copy()
            done &= improve(position, _worth(terrain, rule), ends=ends)
            found.append(position)
        return min(found, key=lambda end: (end.breach > NONE, end.seconds)), done


def _worth(terrain: Terrain, rule: Rule) -> Callable[[Moves], Floats]:
    """Return what moves are ranked by: seconds, or seconds a byte of the tables moved."""
    size_bytes = np.array([max(1.0, unit.size_bytes) for unit in terrain.units])
    if rule == "gain":
        return lambda moves: moves.gain_s
    return lambda moves: moves.gain_s / size_bytes[moves.unit]


def _start(terrain: Terrain, ends: float) -> tuple[Position, bool]:
    """Return the first start that can be repaired, or the one that breaks least.

    And whether it was repaired as far as it can be before `ends` (monotonic seconds).
    """
    done = True
    tried: list[Position] = []
    for placement in _starts(terrain.problem):
        position = Position(terrain, terrain.held(placement))
        done &= repair(position, ends=ends)
        if position.breach <= NONE:
            return position, done
        tried.append(position)
    return min(tried, key=lambda position: position.breach), done


def _starts(problem: PlacementProblem) -> list[Mapping[str, tuple[str, ...]]]:
    """Return the current placement, where there is one, and tables packed by size."""
    packed, kept = Packing(problem=problem), Packing(problem=problem)
    for table in problem.table_bytes:
        there = set(problem.current.get(table, ())).difference(kept.stores_of.get(table, ()))
        for store in problem.stores:
            if store.name in there:
                kept.put(table, store.name)
    for packing in (kept, packed):
        packing.put_by_size(problem.table_bytes)
    return [kept.placement, packed.placement] if problem.current else [packed.placement]
