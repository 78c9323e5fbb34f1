"""The breakdown of a plan's predicted seconds by store and kind, with money and bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from placement.plan import PlacementPlan, execution_s
from placement.problem import PlacementProblem
from placement.stores import Store


class CostKind(StrEnum):
    """Kinds of seconds, in the order in which they are shown."""

    START = "start"
    SCAN = "scan"
    JOIN = "join"
    AGGREGATE = "aggregate"
    TRANSFER = "transfer"
    ENGINE = "engine"  # the engine's work on what arrives from the store
    UPKEEP = "upkeep"  # of copies, and writes to them
    MIGRATION = "migration"  # loading copies that are not there yet, by the horizon


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCosts:
    """The cost of one store's fragments and copies.

    `work_s` are seconds of the whole workload in a period, by kind. `storage_money` and
    `transfer_money` are of a month. `bytes_moved` are handed to the engine in a period.
    """

    store: str
    work_s: Mapping[CostKind, float]
    storage_money: float
    transfer_money: float
    bytes_moved: float

    @property
    def total_s(self) -> float:
        """Sum over all kinds."""
        return sum(self.work_s.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A plan's costs by store, in the problem's order; stores without tables are among them.

    `overlap_s` is what is saved where stores work on one query at the same time: 0 for the
    objective "work".
    """

    stores: tuple[StoreCosts, ...]
    overlap_s: float

    @property
    def work_s(self) -> Mapping[CostKind, float]:
        """Return the seconds of all stores, by kind."""
        return {kind: sum(each.work_s[kind] for each in self.stores) for kind in CostKind}

    @property
    def total_s(self) -> float:
        """Return the plan's predicted seconds: all work, less what overlap saves."""
        return sum(each.total_s for each in self.stores) - self.overlap_s

    @property
    def money(self) -> float:
        """Return the money of a month, in all stores."""
        return sum(each.storage_money + each.transfer_money for each in self.stores)


def breakdown(problem: PlacementProblem, plan: PlacementPlan) -> Breakdown:
    """Return what the plan's seconds are made of.

    Raises:
        KeyError: The plan is of other queries, tables or stores than the problem.
    """
    return Breakdown(
        stores=tuple(_store(problem, plan, store) for store in problem.stores),
        overlap_s=sum(
            query.executions
            * (
                execution_s(plan.routing[query.name], "work")
                - execution_s(plan.routing[query.name], problem.objective)
            )
            for query in problem.queries
        ),
    )


def _store(problem: PlacementProblem, plan: PlacementPlan, store: Store) -> StoreCosts:
    """Add up what runs in a store and what it holds."""
    work_s = dict.fromkeys(CostKind, 0.0)
    storage = transfer = moved = 0.0
    for query in problem.queries:
        for routed in plan.routing[query.name]:
            if routed.store != store.name:
                continue
            fragment = routed.fragment
            cost = problem.costs.fetched(fragment, store, len(query.sources), routed.transfer)
            work_s[CostKind.START] += query.executions * cost.start_s
            work_s[CostKind.SCAN] += query.executions * cost.scan_s
            work_s[CostKind.JOIN] += query.executions * cost.join_s
            work_s[CostKind.AGGREGATE] += query.executions * cost.aggregate_s
            work_s[CostKind.TRANSFER] += query.executions * cost.transfer_s
            work_s[CostKind.ENGINE] += query.executions * cost.engine_s
            transfer += problem.costs.transfer_money(fragment, store, query.executions)
            moved += query.executions * fragment.bytes_moved
    for table, held in plan.placement.items():
        if store.name in held:
            size = problem.table_bytes[table]
            upkeep_s = problem.costs.upkeep_s(size, problem.graph.writes.get(table, 0.0), store)
            work_s[CostKind.UPKEEP] += upkeep_s
            if problem.is_move(table, store.name):
                work_s[CostKind.MIGRATION] += problem.costs.load_s(size, store) / problem.horizon
            for index in problem.chosen(table, store):
                size = problem.index_bytes[index]
                writes = problem.graph.writes.get(table, 0.0)
                work_s[CostKind.UPKEEP] += problem.costs.index_upkeep_s(size, writes, store)
                if problem.is_new(index, store.name):
                    made_s = problem.costs.load_s(size, store)
                    work_s[CostKind.MIGRATION] += made_s / problem.horizon
            storage += problem.costs.storage_money(problem.held_bytes(table, store), store)
    return StoreCosts(
        store=store.name,
        work_s=work_s,
        storage_money=storage,
        transfer_money=transfer,
        bytes_moved=moved,
    )
