"""Tables pinned to stores."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Booleans, Breach, OfTables, mask
from placement.constraints.constraint import Broken, Constraint, Placement, Routing
from placement.constraints.quantities import pairs
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Row


class Pins(Constraint):
    """A pinned table is in every store that it is pinned to."""

    kind = "pin"

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row for each table and store."""
        for table, store in pairs(problem, problem.constraints.pin):
            held = model.held[table, store]
            model.row(Row(limit=self.limit(table, store), terms=[(held, 1)], at_least=1))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the stores that lack a table pinned to them."""
        for table, stores in problem.constraints.pin.items():
            for store in sorted(stores.difference(placement.get(table, ()))):
                yield Broken(
                    limit=self.limit(table, store),
                    sentence=f"Table '{table}' is not in store '{store}', to which it is pinned"
                    f"{pinned_for(problem, table, store)}: place it there, or "
                    f"{_way_out(problem, table, store)}.",
                )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the number of pinned copies that are missing."""
        if not problem.constraints.pin:
            return None
        pinned = pinned_to(problem)[:, :, None]
        return OfTables(
            each=lambda tables, held: (pinned[tables] & ~held).sum(axis=1).astype(np.float64)
        )

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return the key with the table and its store."""
        table, store = limit.subject
        return f"{self.key(limit)} of '{table}' to '{store}'{pinned_for(problem, table, store)}"


def pinned_for(problem: PlacementProblem, table: str, store: str) -> str:
    """Return why a table is pinned to a store; nothing for a pin of the user's."""
    constraints = problem.constraints
    if names := constraints.hosted.get(table, {}).get(store):
        return f", as only its server can run {names}"
    why = constraints.staying.get(table, {}).get(store)
    return f", as {why}" if why else ""


def _way_out(problem: PlacementProblem, table: str, store: str) -> str:
    constraints = problem.constraints
    if store in constraints.hosted.get(table, {}):
        return "leave these statements out"
    if store in constraints.staying.get(table, {}):
        return f"name it in [stores.{store}].movable"
    return "take it out of [constraints].pin"


def pinned_to(problem: PlacementProblem) -> Booleans:
    """Return (T by S): whether a table is pinned to a store."""
    return mask(problem, problem.constraints.pin)
