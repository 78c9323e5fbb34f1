"""The seconds that queries take in each store, and in the engine."""

from collections.abc import Iterable

from placement.machines import ENGINE, Seconds
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem
from placement.throughput import throughput


def by_store(asked: Iterable[tuple[float, Iterable[RoutedFragment]]]) -> Seconds:
    """Return the seconds in each store and in the engine of queries, each so many times.

    What goes on before a store begins (a session) is on the engine's side for the most part, and
    keeps no more than one core busy whatever the store does then.
    """
    found: dict[str, float] = {}
    for times, fragments in asked:
        for each in fragments:
            engine_s = each.engine_s + (each.start_s or 0.0)
            found[each.store] = found.get(each.store, 0.0) + times * (each.predicted_s - engine_s)
            found[ENGINE] = found.get(ENGINE, 0.0) + times * engine_s
    return found


def executions(problem: PlacementProblem) -> float:
    """Return how many queries are run in a period."""
    return sum(query.executions for query in problem.queries)


def mean_query(problem: PlacementProblem, plan: PlacementPlan) -> Seconds:
    """Return the seconds of a mean query of the workload in every store, and in the engine.

    What copies cost a period, their writes and moves, is shared out over its executions, of which
    there are some.
    """
    problem = problem.with_indexes(plan.indexes)
    period = dict.fromkeys((ENGINE, *(store.name for store in problem.stores)), 0.0)
    period |= by_store((each.executions, plan.routing[each.name]) for each in problem.queries)
    for table, held in plan.placement.items():
        for name in held:
            period[name] += problem.copy_s(table, problem.store(name))
    return {name: taken_s / executions(problem) for name, taken_s in period.items()}


def queries_per_s(problem: PlacementProblem, plan: PlacementPlan) -> float | None:
    """Return the queries a second that are predicted for the problem's clients.

    None where the machines are not known, nobody asks, or a query takes no time.
    """
    machines = problem.machines
    if machines is None or not executions(problem):
        return None
    return throughput(machines.demands(mean_query(problem, plan)), problem.clients)
