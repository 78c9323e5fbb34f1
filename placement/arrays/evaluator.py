"""Costs of placements, hundreds at a time."""

from collections.abc import Sequence

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Floats, Placement
from placement.arrays.compiling import compile_problem
from placement.problem import PlacementProblem


class Evaluator:
    """Prices placements as `routing.predicted_s` does, hundreds at a time.

    It serves the objective "work", and knows no limits: ask `check.limits` for these.
    """

    def __init__(self, problem: PlacementProblem, compiled: Compiled | None = None) -> None:
        self.compiled = compiled or compile_problem(problem)
        self._copies_s = self.compiled.copies_s()

    def cost_s(self, placements: Sequence[Placement]) -> list[float]:
        """Return each placement's predicted seconds; inf where a query cannot be run on it."""
        held = self.compiled.held(placements)
        return [float(cost) for cost in self.held_cost_s(held)]

    def held_cost_s(self, held: Booleans) -> Floats:
        """Return (P): the seconds of placements given as an array (T by S by P)."""
        compiled = self.compiled
        query_s = compiled.query_s(held)
        possible = np.isfinite(query_s)
        # what is never executed costs nothing, unless it cannot be run at all
        queries = compiled.executions @ np.where(possible, query_s, 0.0)
        queries[~possible.all(axis=0)] = np.inf
        copies: Floats = np.einsum("ts,tsp->p", self._copies_s, held)
        return queries + copies

    def query_s(self, placements: Sequence[Placement]) -> Floats:
        """Return (P by Q): seconds of one execution of each query, inf where it cannot be run."""
        return self.compiled.query_s(self.compiled.held(placements)).T
