"""A plan whose large results are fetched with settings of their own, chosen by their links."""

from dataclasses import dataclass, replace

from placement.costs import FEW_BYTES
from placement.fragment import Fragment
from placement.plan import Outcome, PlacementPlan, RoutedFragment, execution_s
from placement.problem import PlacementProblem, QueryProblem
from placement.stores import Store
from placement.transfer.bounds import Bounds
from placement.transfer.closed_form import closed_form
from placement.transfer.link import Result, TransferSettings

CLIENT_BYTES_PER_BYTE = 8
"""Bytes that a driver takes for each byte of a batch: it holds every value as an object, of which
the header alone is twice a number's size, and drops a batch when the next one has come."""
_LEAST_BATCH = 100
MEMORY_BYTES = 64 << 20
"""Bytes of the client's memory that a fragment's rows may take unless it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The memory of the client that the rows of one fragment may take, and what it is worth."""

    memory_bytes: int = MEMORY_BYTES

    @property
    def bounds(self) -> Bounds:
        """Return the bounds of settings that keep it."""
        return Bounds(batch_bytes=self.memory_bytes / CLIENT_BYTES_PER_BYTE)


def client_bytes(fragment: Fragment, transfer: TransferSettings) -> float:
    """Return the memory that a batch of the fragment's rows takes in the client."""
    return CLIENT_BYTES_PER_BYTE * result_of(fragment).batch_bytes(transfer.fetch_rows)


def result_of(fragment: Fragment) -> Result:
    """Return the size of what a fragment hands over: a row of a byte at the least."""
    row_bytes = max(1.0, fragment.work.row_bytes_out)
    return Result(result_bytes=max(1.0, fragment.work.rows_out) * row_bytes, row_bytes=row_bytes)


def settings_of(fragment: Fragment, store: Store, budget: Budget) -> TransferSettings | None:
    """Return the settings to fetch a fragment's rows with; None for those of the run.

    They matter where a driver asks for portions: what is small comes at once, without any.
    """
    small = fragment.work.bytes_out <= FEW_BYTES or fragment.reduction.repeats is not None
    if small or not store.strength.portions:
        return None
    return closed_form(store.strength.link, result_of(fragment), budget.bounds)


def tuned(problem: PlacementProblem, plan: PlacementPlan, budget: Budget) -> PlacementPlan:
    """Return the plan with settings for each of its large results, and priced with them.

    A bound of plans that are fetched otherwise says nothing of it.
    """
    stores = {store.name: store for store in problem.stores}
    routing = {
        query.name: tuple(
            with_transfer(
                problem, query, each, settings_of(each.fragment, stores[each.store], budget)
            )
            for each in plan.routing[query.name]
        )
        for query in problem.queries
    }
    return rerouted(problem, plan, routing)


def with_transfer(
    problem: PlacementProblem,
    query: QueryProblem,
    routed: RoutedFragment,
    transfer: TransferSettings | None,
) -> RoutedFragment:
    """Return a fragment that is fetched with other settings, and its price."""
    store = problem.store(routed.store)
    cost = problem.costs.fetched(routed.fragment, store, len(query.sources), transfer)
    return replace(routed, predicted_s=cost.total_s, transfer=transfer)


def rerouted(
    problem: PlacementProblem,
    plan: PlacementPlan,
    routing: dict[str, tuple[RoutedFragment, ...]],
) -> PlacementPlan:
    """Return the plan with the same fragments in the same stores, fetched otherwise."""
    if routing == plan.routing:
        return plan
    gained_s = sum(
        query.executions
        * (
            execution_s(plan.routing[query.name], plan.objective)
            - execution_s(routing[query.name], plan.objective)
        )
        for query in problem.queries
    )
    proven = plan.outcome is Outcome.OPTIMAL
    return replace(
        plan,
        routing=routing,
        predicted_s=plan.predicted_s - gained_s,
        bound_s=None,
        outcome=Outcome.FEASIBLE if proven else plan.outcome,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Settings of a fragment, its predicted seconds, and what a batch takes in the client."""

    transfer: TransferSettings
    predicted_s: float
    memory_bytes: float


def curve(problem: PlacementProblem, query: QueryProblem, routed: RoutedFragment) -> list[Point]:
    """Return a fragment's seconds by the rows of a batch, with the messages that it states.

    The batches are 100 rows, ten times as many, and so on, then all rows, and those stated.
    """
    if routed.transfer is None:
        return []
    most = max(1, round(routed.fragment.work.rows_out))
    sizes = {routed.transfer.fetch_rows, most}
    rows = _LEAST_BATCH
    while rows < most:
        sizes.add(rows)
        rows *= 10
    points = []
    for size in sorted(sizes):
        transfer = replace(routed.transfer, fetch_rows=size)
        priced = with_transfer(problem, query, routed, transfer)
        memory = client_bytes(routed.fragment, transfer)
        points.append(Point(transfer=transfer, predicted_s=priced.predicted_s, memory_bytes=memory))
    return points
