"""Capacities of stores, in bytes of the catalog."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Breach, OfStores, in_bytes, sizes_of
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import index_bytes, stored_bytes
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row, Terms
from placement.sizes import human_bytes

NAMED_TABLES = 3


class Capacity(Bounded):
    """The copies in a store, with their chosen indexes, fit its capacity (bytes)."""

    kind = "capacity"
    unit = Unit.BYTES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row for each store with a capacity."""
        for store in problem.stores:
            capacity = store.capacity_bytes
            if capacity is not None:
                terms: Terms = [
                    (model.held[table, store.name], problem.held_bytes(table, store))
                    for table in problem.table_bytes
                ]
                terms += index_bytes(model, problem, store.name)
                limit, unit = self.limit(store.name), max(1, capacity)
                model.row(Row(limit=limit, terms=terms, at_most=capacity, unit=unit))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the stores that are over their capacity."""
        held = stored_bytes(problem, placement)
        for store in problem.stores:
            capacity, size = store.capacity_bytes, held[store.name]
            if capacity is None or size <= capacity:
                continue
            largest = _movable(problem, placement, store.name)
            yield Broken(
                limit=self.limit(store.name),
                sentence=f"Store '{store.name}' would hold {human_bytes(size)}, "
                f"{human_bytes(size - capacity)} over its capacity of {human_bytes(capacity)}: "
                f"raise [stores.{store.name}].capacity, or let "
                f"{'one of ' if len(largest) > 1 else ''}{', '.join(largest[:NAMED_TABLES])} move.",
            )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the stores over their capacity, and the bytes over it."""
        capacity = np.array(
            [np.inf if s.capacity_bytes is None else s.capacity_bytes for s in problem.stores]
        )
        if np.isinf(capacity).all():
            return None
        over = in_bytes(problem)
        return OfStores(
            weights=sizes_of(problem)[None, :],
            too_much=lambda loads: over(loads[0] - capacity[:, None]).sum(axis=0),
        )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the bytes in each store with a capacity."""
        held = stored_bytes(problem, plan.placement)
        for store in problem.stores:
            if store.capacity_bytes is not None:
                yield Usage(
                    key=self.key(self.limit(store.name)),
                    used=held[store.name],
                    most=store.capacity_bytes,
                    unit=self.unit,
                )

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the store's capacity in bytes."""
        return problem.store(limit.subject[0]).capacity_bytes

    def key(self, limit: Limit) -> str:
        """Return the store's own key."""
        return f"[stores.{limit.subject[0]}].capacity"


def _movable(problem: PlacementProblem, placement: Placement, store: str) -> list[str]:
    """Return the tables in a store that are not pinned there, or all; the largest first."""
    tables = [table for table in problem.table_bytes if store in placement.get(table, ())]
    pin = problem.constraints.pin
    free = [table for table in tables if store not in pin.get(table, frozenset())]
    return sorted(free or tables, key=lambda table: -problem.table_bytes[table])
