"""A budget in bytes for copies beyond the first of each table."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Breach, OfTables, in_bytes, sizes_of
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row
from placement.sizes import human_bytes


class MaxCopyBytes(Bounded):
    """The copies beyond the first of each table have at most `max_copy_bytes` in all."""

    kind = "max_copy_bytes"
    unit = Unit.BYTES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add one row: all copies, against the first ones and the budget."""
        most = problem.constraints.max_copy_bytes
        if most is not None:
            sizes = problem.table_bytes
            terms = [(variable, sizes[table]) for (table, _), variable in model.held.items()]
            all_of = sum(sizes.values()) + most
            model.row(Row(limit=self.limit(), terms=terms, at_most=all_of, unit=max(1, all_of)))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limit where the copies have more bytes."""
        most, used = problem.constraints.max_copy_bytes, _further(problem, placement)
        if most is not None and used > most:
            yield Broken(
                limit=self.limit(),
                sentence=f"The copies beyond the first of each table have {human_bytes(used)}, "
                f"{human_bytes(used - most)} over the {human_bytes(most)} allowed: drop copies, or "
                f"raise [constraints].max_copy_bytes.",
            )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return whether the copies have more bytes, and the bytes over the budget."""
        most = problem.constraints.max_copy_bytes
        if most is None:
            return None
        sizes, over = sizes_of(problem)[:, None], in_bytes(problem)
        return OfTables(
            each=lambda tables, held: sizes[tables] * np.maximum(held.sum(axis=1) - 1, 0),
            too_much=lambda used: over(used - most),
        )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the bytes of copies beyond the first."""
        most = problem.constraints.max_copy_bytes
        if most is not None:
            used = _further(problem, plan.placement)
            yield Usage(key=self.key(self.limit()), used=used, most=most, unit=self.unit)

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the budget in bytes."""
        return problem.constraints.max_copy_bytes


def _further(problem: PlacementProblem, placement: Placement) -> int:
    """Return the bytes of copies beyond the first of each table."""
    return sum(
        size * max(0, len(placement.get(table, ())) - 1)
        for table, size in problem.table_bytes.items()
    )
