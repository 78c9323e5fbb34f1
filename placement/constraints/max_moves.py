"""The number of copies that may be new to the current placement."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Breach, OfTables
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import move_mask, move_variables, moves
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row

NAMED_COPIES = 3


class MaxMoves(Bounded):
    """At most `max_moves` copies are new to the current placement."""

    kind = "max_moves"
    unit = Unit.MOVES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add one row over all copies that would be moves."""
        most = problem.constraints.max_moves
        if most is not None:
            terms = [(variable, 1) for _, variable in move_variables(model, problem)]
            model.row(Row(limit=self.limit(), terms=terms, at_most=most))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limit where more copies are new."""
        most, moved = problem.constraints.max_moves, moves(problem, placement)
        if most is not None and len(moved) > most:
            counted = "1 copy is" if len(moved) == 1 else f"{len(moved)} copies are"
            named = ", ".join(f"{table} in {store}" for table, store in moved[:NAMED_COPIES])
            rest = len(moved) - NAMED_COPIES
            yield Broken(
                limit=self.limit(),
                sentence=f"{counted} new to the current placement "
                f"({named}{f' and {rest} more' if rest > 0 else ''}), more than the {most} "
                f"allowed: leave some where they are, or raise [constraints].max_moves.",
            )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the number of new copies too many."""
        most = problem.constraints.max_moves
        if most is None:
            return None
        new = move_mask(problem)[:, :, None]
        return OfTables(
            each=lambda tables, held: (held & new[tables]).sum(axis=1).astype(np.float64),
            too_much=lambda moved: np.maximum(moved - most, 0),
        )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the number of new copies."""
        most = problem.constraints.max_moves
        if most is not None:
            used = len(moves(problem, plan.placement))
            yield Usage(key=self.key(self.limit()), used=used, most=most, unit=self.unit)

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the number of copies."""
        return problem.constraints.max_moves
