"""A plan whose large results are fetched with settings of their own, chosen by their links."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from placement.fetching import Budget, client_bytes, fetched_in_portions, settings_of
from placement.fragment import Fragment
from placement.limits.limits import limits
from placement.plan import Outcome, PlacementPlan, RoutedFragment, execution_s
from placement.problem import PlacementProblem, QueryProblem
from placement.stores import Store
from placement.streaming import Divided, Division, divided
from placement.transfer.link import TransferSettings

_LEAST_BATCH = 100
NO_DIVISIONS: Mapping[str, Division] = {}


def tuned(
    problem: PlacementProblem,
    plan: PlacementPlan,
    budget: Budget,
    divisions: Mapping[str, Division] = NO_DIVISIONS,
) -> PlacementPlan:
    """Return the plan with settings for each of its large results, and priced with them.

    `divisions` has the names of the fragments that may be read by several statements: of these
    their number is chosen too. A bound of plans that are fetched otherwise says nothing of it.
    """
    stores = {store.name: store for store in problem.stores}

    def fetched(query: QueryProblem, each: RoutedFragment) -> RoutedFragment:
        store, division = stores[each.store], divisions.get(each.fragment.name)
        found = division and divided(problem.costs, each.fragment, store, division, budget)
        if found:
            transfer = _stated(found, store, each.fragment)
        else:
            transfer = settings_of(each.fragment, store, budget, problem.costs.fetch_size)
        return with_transfer(problem, query, each, transfer)

    routing = {}
    for query in problem.queries:
        before = plan.routing[query.name]
        found = tuple(fetched(query, each) for each in before)
        # Work that is divided may be done again: no setting breaks a query's ceiling.
        ceiling = problem.constraints.latency_s.get(query.name, inf)
        breaks = execution_s(before, plan.objective) <= ceiling < execution_s(found, plan.objective)
        routing[query.name] = before if breaks else found
    return rerouted(problem, plan, routing)


def _stated(found: Divided, store: Store, fragment: Fragment) -> TransferSettings | None:
    """Return what a plan states of the settings: not what the run does of itself."""
    if not found.is_usual:
        return found.transfer
    plain = replace(found.transfer, streams=None)
    return plain if fetched_in_portions(fragment, store) else None


def with_transfer(
    problem: PlacementProblem,
    query: QueryProblem,
    routed: RoutedFragment,
    transfer: TransferSettings | None,
) -> RoutedFragment:
    """Return a fragment that is fetched with other settings, and its price."""
    store = problem.store(routed.store)
    cost = problem.costs.fetched(routed.fragment, store, len(query.sources), transfer)
    return replace(routed.at(cost), transfer=transfer)


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
    broken = limits(problem, plan.placement, routing)
    return replace(
        plan,
        routing=routing,
        predicted_s=plan.predicted_s - gained_s,
        bound_s=None,
        violations=broken,
        outcome=Outcome.INFEASIBLE if broken else Outcome.FEASIBLE,
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
