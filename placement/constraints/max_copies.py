"""The number of stores that a table may be in."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Breach, OfTables
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import copies
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row


class MaxCopies(Bounded):
    """A table is in at most `max_copies` stores."""

    kind = "max_copies"
    section = "place"
    unit = Unit.COPIES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row a table."""
        for table in problem.table_bytes:
            terms = [(copy, 1) for copy in copies(model, problem, table)]
            most = problem.constraints.max_copies
            model.row(Row(limit=self.limit(), terms=terms, at_most=most))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limit once for each table with too many copies."""
        most = problem.constraints.max_copies
        for table, stores in placement.items():
            if len(stores) > most:
                yield Broken(
                    limit=self.limit(),
                    sentence=f"Table '{table}' is in {len(stores)} stores ({', '.join(stores)}), "
                    f"more than the {most} allowed: drop a copy, or raise [place].max_copies.",
                )

    def breach(self, problem: PlacementProblem) -> Breach:
        """Return the number of copies too many."""
        most = problem.constraints.max_copies
        return OfTables(
            each=lambda _, held: np.maximum(held.sum(axis=1) - most, 0).astype(np.float64)
        )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the most copies of a table, and how many tables have as many as allowed."""
        most = problem.constraints.max_copies
        # One copy of each table is no choice; only where more are allowed can there be too few.
        if 1 < most < len(problem.stores):
            full = [table for table, held in plan.placement.items() if len(held) >= most]
            yield Usage(
                key=self.key(self.limit()),
                subject=f"{len(full)} tables" if len(full) != 1 else full[0],
                used=max((len(held) for held in plan.placement.values()), default=0),
                most=most,
                unit=self.unit,
            )

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the number of stores."""
        return problem.constraints.max_copies
