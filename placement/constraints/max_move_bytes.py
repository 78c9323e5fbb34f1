"""A budget in bytes for copies that are new to the current placement."""

from collections.abc import Iterator

from placement.constraints.breach import Breach, OfTables, in_bytes, sizes_of
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import move_mask, move_variables, moves
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row
from placement.sizes import human_bytes


class MaxMoveBytes(Bounded):
    """The copies that are new to the current placement have at most `max_move_bytes` in all."""

    kind = "max_move_bytes"
    unit = Unit.BYTES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add one row over all copies that would be moves."""
        most = problem.constraints.max_move_bytes
        if most is not None:
            sizes = problem.table_bytes
            terms = [(each, sizes[table]) for table, each in move_variables(model, problem)]
            model.row(Row(limit=self.limit(), terms=terms, at_most=most, unit=max(1, most)))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limit where new copies have more bytes."""
        most, moved = problem.constraints.max_move_bytes, _moved(problem, placement)
        if most is not None and moved > most:
            yield Broken(
                limit=self.limit(),
                sentence=f"The copies that are new to the current placement have "
                f"{human_bytes(moved)}, {human_bytes(moved - most)} over the {human_bytes(most)} "
                f"allowed: leave some where they are, or raise [constraints].max_move_bytes.",
            )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return whether new copies have more bytes, and the bytes over the budget."""
        most = problem.constraints.max_move_bytes
        if most is None:
            return None
        sizes, new = sizes_of(problem)[:, None], move_mask(problem)[:, :, None]
        over = in_bytes(problem)
        return OfTables(
            each=lambda tables, held: sizes[tables] * (held & new[tables]).sum(axis=1),
            too_much=lambda moved: over(moved - most),
        )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the bytes of new copies."""
        most = problem.constraints.max_move_bytes
        if most is not None:
            used = _moved(problem, plan.placement)
            yield Usage(key=self.key(self.limit()), used=used, most=most, unit=self.unit)

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the budget in bytes."""
        return problem.constraints.max_move_bytes


def _moved(problem: PlacementProblem, placement: Placement) -> int:
    return sum(problem.table_bytes[table] for table, _ in moves(problem, placement))
