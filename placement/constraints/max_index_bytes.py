"""A budget in bytes for the indexes that are chosen."""

from collections.abc import Iterator

from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import index_bytes
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row, Terms
from placement.sizes import human_bytes


class MaxIndexBytes(Bounded):
    """The indexes that are chosen for copies have at most `max_index_bytes` in all."""

    kind = "max_index_bytes"
    unit = Unit.BYTES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add one row over all indexes: those that may be chosen, and those that copies have."""
        most = problem.constraints.max_index_bytes
        if most is None or not problem.index_bytes:
            return
        terms: Terms = [
            (variable, problem.held_bytes(table, problem.store(store)) - problem.table_bytes[table])
            for (table, store), variable in model.held.items()
        ]
        terms = [(variable, size) for variable, size in terms if size]
        terms += index_bytes(model, problem)
        if terms:
            model.row(Row(limit=self.limit(), terms=terms, at_most=most, unit=max(1, most)))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limit where the indexes have more bytes."""
        most, used = problem.constraints.max_index_bytes, _used(problem, placement)
        if most is not None and used > most:
            yield Broken(
                limit=self.limit(),
                sentence=f"The chosen indexes have {human_bytes(used)}, {human_bytes(used - most)} "
                f"over the {human_bytes(most)} allowed: drop indexes, or raise "
                f"[constraints].max_index_bytes.",
            )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the bytes of the chosen indexes, where any may be chosen."""
        most = problem.constraints.max_index_bytes
        if most is not None and problem.index_bytes:
            used = _used(problem, plan.placement)
            yield Usage(key=self.key(self.limit()), used=used, most=most, unit=self.unit)

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the budget in bytes."""
        return problem.constraints.max_index_bytes


def _used(problem: PlacementProblem, placement: Placement) -> int:
    chosen = problem.indexes_of(placement).values()
    return sum(problem.index_bytes[index] for indexes in chosen for index in indexes)
