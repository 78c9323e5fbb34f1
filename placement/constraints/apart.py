"""Tables that belong apart."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Breach, OfStores, memberships
from placement.constraints.constraint import Broken, Constraint, Placement, Routing
from placement.constraints.quantities import ordered, tables_or_tag
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Row


class Apart(Constraint):
    """Of tables that belong apart no two are in the same store."""

    kind = "apart"

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row for each set and store."""
        for tables in problem.constraints.apart:
            subject = ordered(problem, tables)
            for store in problem.stores:
                terms = [(model.held[table, store.name], 1) for table in subject]
                model.row(Row(limit=self.limit(*subject), terms=terms, at_most=1))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the sets of which a store has two tables or more, for each such store."""
        for tables in problem.constraints.apart:
            subject = ordered(problem, tables)
            for store in problem.stores:
                inside = [table for table in subject if store.name in placement.get(table, ())]
                if len(inside) > 1:
                    yield Broken(
                        limit=self.limit(*subject),
                        sentence=f"Tables {', '.join(inside)} belong apart, and are all in store "
                        f"'{store.name}': let all but one move, or take some out of "
                        f"[constraints].apart.",
                    )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the tables of a set beyond the first in each store."""
        sets = problem.constraints.apart
        if not sets:
            return None
        return OfStores(
            weights=memberships(problem, sets),
            too_much=lambda there: np.maximum(there - 1, 0).sum(axis=(0, 1)),
        )

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return the key with the tables, or their tag."""
        return f"{self.key(limit)} of {tables_or_tag(problem, limit.subject)}"
