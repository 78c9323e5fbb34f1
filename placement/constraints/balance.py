"""Stores of nearly equal bytes."""

from collections.abc import Iterator
from math import inf

import numpy as np

from placement.constraints.breach import Breach, Floats, OfStores, in_bytes, sizes_of
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import stored_bytes
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.problem import LIMIT_TOLERANCE, PlacementProblem
from placement.programs.solver import SOLVER_TOLERANCE
from placement.programs.variables import FragmentModel, Limit, Number, Row, Terms
from placement.sizes import human_bytes


class Balance(Bounded):
    """The bytes in a store, of copies with their indexes, are within a share of the mean."""

    kind = "balance"
    unit = Unit.SHARE

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add two rows for each store: above the mean and below."""
        most = problem.constraints.balance
        if most is None:
            return
        stores = len(problem.stores)
        unit = max(1.0, float(sum(problem.table_bytes.values())))
        sizes = [
            (held, name, problem.held_bytes(table, problem.store(name)))
            for (table, name), held in model.held.items()
        ]
        sizes += [
            (chosen, name, problem.index_bytes[index])
            for (index, name), chosen in model.indexed.items()
        ]
        # What may be passed is of the bytes held, copies counted: it is in the coefficients.
        passed = most + LIMIT_TOLERANCE - SOLVER_TOLERANCE
        for store in problem.stores:
            # Bytes here times the number of stores, less what the mean allows of all bytes held.
            for share, at_least, at_most in ((1.0 - passed, 0.0, inf), (1.0 + passed, -inf, 0.0)):
                terms: Terms = [
                    (variable, size * (stores * (name == store.name) - share))
                    for variable, name, size in sizes
                ]
                row = Row(
                    limit=self.limit(),
                    terms=terms,
                    at_least=at_least,
                    at_most=at_most,
                    unit=unit,
                    tolerance=SOLVER_TOLERANCE * unit,
                )
                model.row(row)

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the stores that are too far from the mean."""
        most = problem.constraints.balance
        held = stored_bytes(problem, placement)
        total = sum(held.values())
        if most is None or not total:
            return
        mean = total / len(held)
        for store, size in held.items():
            share = abs(size - mean) / mean
            if share > most + LIMIT_TOLERANCE:
                side, way = ("above", "out of") if size > mean else ("below", "to")
                yield Broken(
                    limit=self.limit(),
                    sentence=f"Store '{store}' would hold {human_bytes(size)}, {share:.1%} {side} "
                    f"the mean of {human_bytes(mean)}, more than the {most:.1%} allowed: raise "
                    f"[constraints].balance, or let tables move {way} it.",
                )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the stores that are too far from the mean, and the bytes beyond that."""
        balance = problem.constraints.balance
        if balance is None:
            return None
        over = in_bytes(problem)

        def uneven(loads: Floats) -> Floats:
            mean = loads[0].mean(axis=0)
            most = (balance + LIMIT_TOLERANCE) * mean
            total: Floats = over(np.abs(loads[0] - mean) - most).sum(axis=0)
            return total

        return OfStores(weights=sizes_of(problem)[None, :], too_much=uneven)

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the largest distance from the mean, as a share of it."""
        most = problem.constraints.balance
        loads = stored_bytes(problem, plan.placement).values()
        mean = sum(loads) / len(loads)
        if most is not None and mean > 0:
            used = max(abs(load - mean) for load in loads) / mean
            yield Usage(key=self.key(self.limit()), used=used, most=most, unit=self.unit)

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the share of the mean."""
        return problem.constraints.balance

    def needed(self, problem: PlacementProblem, placement: Placement) -> float | None:
        """Return the largest share by which a store's bytes differ from the mean."""
        held = stored_bytes(problem, placement).values()
        mean = sum(held) / len(held)
        return max(abs(size / mean - 1) for size in held) if mean else 0.0
