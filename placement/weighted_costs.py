"""Prices of a problem by store: a second counts as much as its store's weight."""

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from placement.costs import CostModel
from placement.fragment import Fragment
from placement.fragment_cost import FragmentCost
from placement.machines import DISKS, ENGINE, Place, Seconds
from placement.stores import Store
from placement.transfer.link import TransferSettings

Costs = TypeVar("Costs", bound=CostModel)


def copied(costs: CostModel, kind: type[Costs], **others: Any) -> Costs:  # noqa: ANN401
    """Return a model of another kind with the same rates."""
    rates: dict[str, Any] = {each.name: getattr(costs, each.name) for each in fields(CostModel)}
    return kind(**rates, **others)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedCosts(CostModel):
    """Prices fragments and copies by the weights of stores, of the engine, and of disks."""

    weights: Seconds

    def fetched(
        self,
        fragment: Fragment,
        store: Store,
        query_sources: int,
        transfer: TransferSettings | None,
    ) -> FragmentCost:
        """Return the cost of a fragment, its seconds weighted by where they are spent.

        Its start is the engine's, as in `placement.demands`.
        """
        own = CostModel.fetched(self, fragment, store, query_sources, transfer)
        weight = self._weight(store)
        disk_s = self.weights[DISKS] * own.disk_s
        rows_s = self.weights[Place("rows", store.name)] * own.rows_s
        return replace(
            own,
            start_s=self.weights[ENGINE] * own.start_s,
            scan_s=weight * (own.scan_s - own.disk_s) + disk_s,
            join_s=weight * own.join_s,
            aggregate_s=weight * own.aggregate_s,
            transfer_s=rows_s + weight * own.keys_s,
            engine_s=self.weights[ENGINE] * own.engine_s,
            keys_s=weight * own.keys_s,
            disk_s=disk_s,
        )

    def upkeep_s(self, table_bytes: int, writes: float, store: Store) -> float:
        """Return the weighted seconds that a copy takes a period."""
        return self._weight(store) * CostModel.upkeep_s(self, table_bytes, writes, store)

    def index_upkeep_s(self, index_bytes: int, writes: float, store: Store) -> float:
        """Return the weighted seconds that an index takes a period."""
        return self._weight(store) * CostModel.index_upkeep_s(self, index_bytes, writes, store)

    def load_s(self, table_bytes: int, store: Store) -> float:
        """Return the weighted seconds of loading a copy."""
        return self._weight(store) * CostModel.load_s(self, table_bytes, store)

    def _weight(self, store: Store) -> float:
        return self.weights[Place("store", store.name)]
