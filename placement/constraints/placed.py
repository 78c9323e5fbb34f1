"""Every table is in a store that there is."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Breach, OfTables
from placement.constraints.constraint import Broken, Constraint, Placement, Routing
from placement.constraints.quantities import copies
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel


class Placed(Constraint):
    """Every table is in at least one store, also one that no query reads."""

    kind = "placed"

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row a table; no message names it, as nothing can be relaxed."""
        for table in problem.table_bytes:
            held = [(copy, 1.0) for copy in copies(model, problem, table)]
            model.program.row(held, at_least=1.0)

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the tables without a store, and the tables and stores that are unknown."""
        known = {store.name for store in problem.stores}
        stores = ", ".join(sorted(known))
        for table in problem.table_bytes:
            if not placement.get(table):
                yield self._told(table, f"is in no store: place it in one of {stores}.")
        for table, held in placement.items():
            if table not in problem.table_bytes:
                yield self._told(table, "is placed and is none of the problem's tables.")
            for store in held:
                if store not in known:
                    yield self._told(
                        table, f"is placed in store '{store}', which is none of {stores}."
                    )
            if list(held) != sorted(set(held)):
                yield self._told(table, f"lists its stores unsorted or twice: {', '.join(held)}.")

    def breach(self, problem: PlacementProblem) -> Breach:
        """Return the number of tables without a store."""
        return OfTables(each=lambda _, held: np.where(held.any(axis=1), 0.0, 1.0))

    def _told(self, table: str, what: str) -> Broken:
        return Broken(limit=self.limit(table), sentence=f"Table '{table}' {what}")
