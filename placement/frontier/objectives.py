"""Objectives beside seconds, and problems that bound, minimise or weigh them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from placement.costs import DAYS_OF_MONTH, GIGABYTE, CostModel
from placement.fragment import Fragment
from placement.fragment_cost import FragmentCost
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.stores import Prices, Store
from placement.weighted_costs import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class Objectives:
    """The cost of a plan: seconds and bytes handed out a period, money a month, bytes to move."""

    predicted_s: float
    moved_bytes: float
    money: float
    migration_bytes: int

    def values(self) -> tuple[float, ...]:
        """Return all of them, the seconds first."""
        return self.predicted_s, self.moved_bytes, self.money, float(self.migration_bytes)


def objectives(problem: PlacementProblem, plan: PlacementPlan) -> Objectives:
    """Return what `plan` costs in every respect; `problem` has the indexes that it has."""
    moved = money = 0.0
    for query in problem.queries:
        for routed in plan.routing[query.name]:
            store = problem.store(routed.store)
            moved += query.executions * routed.fragment.bytes_moved
            money += problem.costs.transfer_money(routed.fragment, store, query.executions)
    migration = 0
    for table, stores in plan.placement.items():
        size = problem.table_bytes[table]
        for name in stores:
            store = problem.store(name)
            money += problem.costs.storage_money(problem.held_bytes(table, store), store)
            migration += size if problem.is_move(table, name) else 0
    return Objectives(
        predicted_s=plan.predicted_s, moved_bytes=moved, money=money, migration_bytes=migration
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """An objective beside the predicted seconds.

    `alone` is the model that prices a problem by it alone. `bound` returns the problem with the
    objective bounded from above, None where another limit is in the way.
    """

    name: str
    value: Callable[[Objectives], float]
    alone: "type[_Alone]"
    bound: Callable[[PlacementProblem, float], PlacementProblem | None]


def bounded(
    problem: PlacementProblem, objective: Objective, bound: float
) -> PlacementProblem | None:
    """Return the problem with a hard limit on the objective; None where none can be set."""
    return objective.bound(problem, bound)


def least(problem: PlacementProblem, objective: Objective, unit: float) -> PlacementProblem:
    """Return the problem whose cost is the objective alone, in units of it.

    Ceilings on seconds are left out, so that its optimum may be below the least that can be had.
    """
    return replace(
        problem,
        costs=copied(problem.costs, objective.alone, unit=unit),
        constraints=replace(problem.constraints, latency_s={}),
        horizon=1.0,
        objective="work",
    )


def weighted(
    problem: PlacementProblem, objective: Objective, seconds_a_unit: float
) -> PlacementProblem:
    """Return the problem whose fragments cost seconds for each unit of the objective as well."""
    priced = copied(problem.costs, objective.alone, unit=1.0)
    costs = copied(problem.costs, _Weighted, priced=priced, weight=seconds_a_unit)
    return replace(problem, costs=costs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Alone(CostModel):
    """Prices by one objective alone: what is not overridden is free. `unit` keeps numbers handy."""

    unit: float

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:  # noqa: ARG002
        return _only(0.0)

    def upkeep_s(self, table_bytes: int, writes: float, store: Store) -> float:  # noqa: ARG002
        return 0.0

    def load_s(self, table_bytes: int, store: Store) -> float:  # noqa: ARG002
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _MoneyAlone(_Alone):
    """Prices fragments and copies in money."""

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:  # noqa: ARG002
        return _only(self.transfer_money(fragment, store, 1.0) / self.unit)

    def upkeep_s(self, table_bytes: int, writes: float, store: Store) -> float:  # noqa: ARG002
        return self.storage_money(table_bytes, store) / self.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class _BytesAlone(_Alone):
    """Prices fragments in bytes handed to the engine."""

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:  # noqa: ARG002
        return _only(fragment.bytes_moved / self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class _MovesAlone(_Alone):
    """Prices new copies in bytes."""

    def load_s(self, table_bytes: int, store: Store) -> float:  # noqa: ARG002
        return table_bytes / self.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighted(CostModel):
    """Adds to every fragment its cost by another model, times `weight`."""

    priced: CostModel
    weight: float

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:
        own = CostModel.fragment(self, fragment, store, query_sources)
        other = self.priced.fragment(fragment, store, query_sources)
        return replace(own, transfer_s=own.transfer_s + self.weight * other.total_s)


def _only(cost: float) -> FragmentCost:
    return FragmentCost(
        start_s=0.0, scan_s=0.0, join_s=0.0, aggregate_s=0.0, transfer_s=cost, engine_s=0.0
    )


def _bound_moved(problem: PlacementProblem, bound: float) -> PlacementProblem | None:
    """Bound the bytes handed out through the limit on money, at prices that count only bytes."""
    if problem.constraints.max_money is not None:
        return None
    per_byte = Prices(storage_gb_month=0.0, transfer_gb=1.0)
    a_month = DAYS_OF_MONTH / problem.costs.period_days
    return replace(
        problem,
        stores=tuple(replace(store, prices=per_byte) for store in problem.stores),
        constraints=replace(problem.constraints, max_money=bound / GIGABYTE * a_month),
    )


def _bound_money(problem: PlacementProblem, bound: float) -> PlacementProblem | None:
    own = problem.constraints.max_money
    most = bound if own is None else min(own, bound)
    return replace(problem, constraints=replace(problem.constraints, max_money=most))


def _bound_migration(problem: PlacementProblem, bound: float) -> PlacementProblem | None:
    own = problem.constraints.max_move_bytes
    most = round(bound) if own is None else min(own, round(bound))
    return replace(problem, constraints=replace(problem.constraints, max_move_bytes=most))


OBJECTIVES: tuple[Objective, ...] = (
    Objective(
        name="moved_bytes",
        value=lambda found: found.moved_bytes,
        alone=_BytesAlone,
        bound=_bound_moved,
    ),
    Objective(
        name="money",
        value=lambda found: found.money,
        alone=_MoneyAlone,
        bound=_bound_money,
    ),
    Objective(
        name="migration_bytes",
        value=lambda found: float(found.migration_bytes),
        alone=_MovesAlone,
        bound=_bound_migration,
    ),
)
"""Objectives beside predicted seconds."""
