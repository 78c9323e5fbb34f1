"""Greedy by marginal gain: the single move that saves most, until none saves anything.

Nemhauser, Wolsey, Fisher: An Analysis of Approximations for Maximizing Submodular Set Functions I
(1978); Wolsey (1982) and Khuller, Moss, Naor: The Budgeted Maximum Coverage Problem (1999) for
gain per byte where elements have sizes, and for taking the better of both. Index advisors choose
indexes in this way: AutoAdmin (Chaudhuri, Narasayya, VLDB 1997) by gain, Extend (Schlosser,
Kossmann, Boissier, ICDE 2019) by gain per byte. Guarantees need submodular gains, which copies
that are of use only together do not have: none is claimed here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from placement.arrays.compiled import Floats
from placement.packing import Packing
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing import plan_for
from placement.search.breaches import NONE
from placement.search.descents import improve, repair
from placement.search.moves import Moves, Position
from placement.search.terrain import Terrain

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
        """Return the plan; INFEASIBLE where no move led to a placement within the limits."""
        terrain = Terrain(problem)
        return plan_for(problem, "greedy", terrain.placement(self.end(terrain).held))

    def end(self, terrain: Terrain) -> Position:
        """Return where the search ends: over limits only where no move led within them."""
        start = _start(terrain)
        ends = []
        for rule in self.rules:
            position = start.copy()
            improve(position, _worth(terrain, rule))
            ends.append(position)
        return min(ends, key=lambda end: (end.breach > NONE, end.seconds))


def _worth(terrain: Terrain, rule: Rule) -> Callable[[Moves], Floats]:
    """Return what moves are ranked by: seconds, or seconds a byte of the tables moved."""
    size_bytes = np.array([max(1.0, unit.size_bytes) for unit in terrain.units])
    if rule == "gain":
        return lambda moves: moves.gain_s
    return lambda moves: moves.gain_s / size_bytes[moves.unit]


def _start(terrain: Terrain) -> Position:
    """Return the first start that can be repaired, or the one that breaks least."""
    tried: list[Position] = []
    for placement in _starts(terrain.problem):
        position = Position(terrain, terrain.held(placement))
        repair(position)
        if position.breach <= NONE:
            return position
        tried.append(position)
    return min(tried, key=lambda position: position.breach)


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
