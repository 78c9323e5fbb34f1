"""The seconds that queries take in each place: stores, their rows' way, the engine, disks."""

from collections import defaultdict
from collections.abc import Iterable

from placement.machines import DISKS, ENGINE, Place, Seconds
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem
from placement.throughput import throughput


def by_place(asked: Iterable[tuple[float, Iterable[RoutedFragment]]]) -> Seconds:
    """Return the seconds in each place of queries, each so many times.

    What goes on before a store begins (a session) is on the engine's side for the most part, and
    keeps no more than one core busy whatever the store does then. What a store waits for its disk
    keeps none busy.
    """
    found: dict[Place, float] = defaultdict(float)
    for times, fragments in asked:
        for each in fragments:
            engine_s, disk_s = each.engine_s + (each.start_s or 0.0), each.disk_s or 0.0
            rows_s = each.rows_s or 0.0
            in_store_s = each.predicted_s - engine_s - disk_s - rows_s
            found[Place("store", each.store)] += times * in_store_s
            found[Place("rows", each.store)] += times * rows_s
            found[ENGINE] += times * engine_s
            found[DISKS] += times * disk_s
    return dict(found)


def places(problem: PlacementProblem) -> tuple[Place, ...]:
    """Return where the problem's queries can spend seconds."""
    names = [store.name for store in problem.stores]
    return (
        ENGINE,
        DISKS,
        *(Place("store", name) for name in names),
        *(Place("rows", name) for name in names),
    )


def executions(problem: PlacementProblem) -> float:
    """Return how many queries are run in a period."""
    return sum(query.executions for query in problem.queries)


def mean_query(problem: PlacementProblem, plan: PlacementPlan) -> Seconds:
    """Return the seconds of a mean query of the workload in every place.

    What copies cost a period, their writes and moves, is shared out over its executions, of which
    there are some.
    """
    problem = problem.with_indexes(plan.indexes)
    period = dict.fromkeys(places(problem), 0.0)
    period |= by_place((each.executions, plan.routing[each.name]) for each in problem.queries)
    for table, held in plan.placement.items():
        for name in held:
            period[Place("store", name)] += problem.copy_s(table, problem.store(name))
    return {place: taken_s / executions(problem) for place, taken_s in period.items()}


def queries_per_s(problem: PlacementProblem, plan: PlacementPlan) -> float | None:
    """Return the queries a second that are predicted for the problem's clients.

    None where the machines are not known, nobody asks, or a query takes no time.
    """
    machines = problem.machines
    if machines is None or not executions(problem):
        return None
    return throughput(machines.demands(mean_query(problem, plan)), problem.clients)
