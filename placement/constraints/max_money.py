"""A budget of money a month, for storage and transfer."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Floats
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import dearest_cover
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.pricing import money
from placement.problem import LIMIT_TOLERANCE, PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row, Terms

SMALLEST_MONEY = 1e-9


class MaxMoney(Bounded):
    """Storage of all copies and transfer out of stores cost at most `max_money` a month."""

    kind = "max_money"
    unit = Unit.MONEY

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add one row over all copies and fragments that cost money."""
        most = problem.constraints.max_money
        if most is None:
            return
        costs = problem.costs
        stores = {store.name: store for store in problem.stores}
        terms: Terms = [
            (variable, costs.storage_money(problem.held_bytes(table, stores[store]), stores[store]))
            for (table, store), variable in model.held.items()
        ]
        reach = sum(price for _, price in terms)
        for query in problem.queries:
            run = [
                (each, costs.transfer_money(o.fragment, stores[o.store], query.executions), o)
                for o, each in model.run[query.name]
            ]
            terms += [(variable, price) for variable, price, _ in run]
            reach += dearest_cover(query, ((o.fragment.sources, price) for _, price, o in run))
        model.row(
            Row(
                limit=self.limit(),
                terms=[(variable, price) for variable, price in terms if price],
                at_most=most,
                unit=most or 1.0,
                tolerance=LIMIT_TOLERANCE * most,
                reach=reach,
            )
        )

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limit where storage and transfer cost more."""
        most = problem.constraints.max_money
        if most is None:
            return
        storage, transfer = money(problem, placement, routing)
        if storage + transfer > most * (1 + LIMIT_TOLERANCE):
            yield Broken(
                limit=self.limit(),
                sentence=f"The plan costs {storage + transfer:.6g} a month ({storage:.6g} of "
                f"storage, {transfer:.6g} of transfer), {storage + transfer - most:.6g} over the "
                f"{most:.6g} allowed: drop copies, use cheaper stores, or raise "
                f"[constraints].max_money.",
            )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the money of a month."""
        most = problem.constraints.max_money
        if most is not None:
            used = sum(money(problem, plan.placement, plan.routing))
            yield Usage(key=self.key(self.limit()), used=used, most=most, unit=self.unit)

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the money of a month."""
        return problem.constraints.max_money


def overspent(problem: PlacementProblem, money_a_month: Floats) -> Floats:
    """Return (P) how far money (P) is over its limit: 1 and the share of the limit over it."""
    most = problem.constraints.max_money
    if most is None:
        return np.zeros(len(money_a_month))
    over = (money_a_month - most) / max(most, SMALLEST_MONEY)
    return np.where(over > LIMIT_TOLERANCE, 1 + over, 0.0)
