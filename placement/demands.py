"""The seconds that queries take on each machine."""

from collections.abc import Iterable, Mapping

from placement.machines import Machines
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem
from placement.throughput import throughput

Seconds = Mapping[str, float]
"""Machine → seconds of a mean query."""


def by_machine(
    machines: Machines, asked: Iterable[tuple[float, Iterable[RoutedFragment]]]
) -> Seconds:
    """Return the seconds on each machine of queries, each so many times, with their fragments."""
    found: dict[str, float] = {}
    for times, fragments in asked:
        for each in fragments:
            machine, store_s = machines.of(each.store), each.predicted_s - each.engine_s
            found[machine] = found.get(machine, 0.0) + times * store_s
            found[machines.engine] = found.get(machines.engine, 0.0) + times * each.engine_s
    return found


def executions(problem: PlacementProblem) -> float:
    """Return how many queries are run in a period."""
    return sum(query.executions for query in problem.queries)


def mean_query(problem: PlacementProblem, machines: Machines, plan: PlacementPlan) -> Seconds:
    """Return the seconds of a mean query of the workload on every machine of the problem.

    What copies cost a period, their writes and moves, is shared out over its executions, of which
    there are some.
    """
    period = dict.fromkeys(machines.names(store.name for store in problem.stores), 0.0)
    asked = ((each.executions, plan.routing[each.name]) for each in problem.queries)
    period |= by_machine(machines, asked)
    for table, held in plan.placement.items():
        for name in held:
            period[machines.of(name)] += problem.copy_s(table, problem.store(name))
    return {machine: taken_s / executions(problem) for machine, taken_s in period.items()}


def queries_per_s(problem: PlacementProblem, plan: PlacementPlan) -> float | None:
    """Return the queries a second that are predicted for the problem's clients.

    None where the machines are not known, nobody asks, or a query takes no time.
    """
    machines = problem.machines
    if machines is None or not executions(problem):
        return None
    demands = machines.demands(mean_query(problem, machines, plan))
    return throughput(demands, problem.clients)
