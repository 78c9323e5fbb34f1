"""A budget in bytes for copies beyond the first of each table."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from placement.constraints.breach import Breach, OfTables, in_bytes, sizes_of
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel, Limit, Number, Row, Terms
from placement.sizes import human_bytes

_Indexed = Mapping[str, Sequence[tuple[Variable, int]]]


class MaxCopyBytes(Bounded):
    """All copies but the largest of each table, with indexes, have at most `max_copy_bytes`."""

    kind = "max_copy_bytes"
    unit = Unit.BYTES

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add one row: all copies, against the first ones and the budget."""
        most = problem.constraints.max_copy_bytes
        if most is not None:
            sizes = problem.table_bytes
            weights = {variable: sizes[table] for (table, _), variable in model.held.items()}
            for indexed in _indexed(model, problem).values():
                # In one store alone an index is of the first copy.
                if len(indexed) > 1 and problem.constraints.max_copies > 1:
                    _add_first(model, indexed, weights)
            terms: Terms = list(weights.items())
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


def _indexed(model: FragmentModel, problem: PlacementProblem) -> Mapping[str, _Indexed]:
    """Return table → store → the variables by which its copy has indexes there, with their bytes.

    That is the copy itself for indexes that are chosen already.
    """
    found: dict[str, dict[str, list[tuple[Variable, int]]]] = {}
    for (table, store), held in model.held.items():
        more = problem.held_bytes(table, problem.store(store)) - problem.table_bytes[table]
        if more:
            found.setdefault(table, {}).setdefault(store, []).append((held, more))
    for (index, store), chosen in model.indexed.items():
        of_store = found.setdefault(index.table, {}).setdefault(store, [])
        of_store.append((chosen, problem.index_bytes[index]))
    return found


def _add_first(model: FragmentModel, indexed: _Indexed, weights: dict[Variable, int]) -> None:
    """Weigh the indexes of a table's copies, but for those of one copy: its first."""
    firsts: list[tuple[Variable, float]] = []
    for of_store in indexed.values():
        first = model.helper()
        firsts.append((first, 1.0))
        for variable, size in of_store:
            of_first = model.helper()
            model.program.row([(of_first, 1.0), (variable, -1.0)], at_most=0.0)
            model.program.row([(of_first, 1.0), (first, -1.0)], at_most=0.0)
            weights[variable] = weights.get(variable, 0) + size
            weights[of_first] = -size
    model.program.row(firsts, at_most=1.0)


def _further(problem: PlacementProblem, placement: Placement) -> int:
    """Return the bytes of copies beyond the first of each table."""
    stores = {store.name: store for store in problem.stores}
    further = 0
    for table, size in problem.table_bytes.items():
        sizes = [
            problem.held_bytes(table, stores[name]) if name in stores else size
            for name in placement.get(table, ())
        ]
        further += sum(sizes) - max(sizes, default=0)
    return further
