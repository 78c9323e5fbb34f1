"""Tables excluded from stores: by the project file, or because the store cannot hold them."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Booleans, Breach, OfTables, mask
from placement.constraints.constraint import Broken, Constraint, Placement, Routing
from placement.constraints.quantities import pairs
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Row


class Exclusions(Constraint):
    """An excluded table is in none of the stores that it is excluded from."""

    kind = "exclude"

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row for each table and store."""
        for table, store in pairs(problem, problem.constraints.exclude):
            held = model.held[table, store]
            model.row(Row(limit=self.limit(table, store), terms=[(held, 1)], at_most=0))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the stores that have a table excluded from them."""
        for table, stores in problem.constraints.exclude.items():
            unheld = problem.constraints.unheld.get(table, {})
            for store in sorted(stores.intersection(placement.get(table, ()))):
                why = (
                    f"which cannot hold it: {unheld[store]}."
                    if store in unheld
                    else "from which it is excluded: move it, or take it out of "
                    "[constraints].exclude."
                )
                yield Broken(
                    limit=self.limit(table, store),
                    sentence=f"Table '{table}' is in store '{store}', {why}",
                )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the number of excluded copies."""
        if not problem.constraints.exclude:
            return None
        excluded = excluded_from(problem)[:, :, None]
        return OfTables(
            each=lambda tables, held: (excluded[tables] & held).sum(axis=1).astype(np.float64)
        )

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return the table and the store, with the reason where the store cannot hold it."""
        table, store = limit.subject
        if why := problem.constraints.unheld.get(table, {}).get(store):
            return f"that store '{store}' cannot hold table '{table}' ({why})"
        return f"{self.key(limit)} of '{table}' from '{store}'"


def excluded_from(problem: PlacementProblem) -> Booleans:
    """Return (T by S): whether a table is excluded from a store."""
    return mask(problem, problem.constraints.exclude)
