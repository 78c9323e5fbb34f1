"""The gain of each index that is chosen for a plan's copies."""

from collections.abc import Mapping
from dataclasses import dataclass

from placement.advising.gains import indexes_read
from placement.plan import PlacementPlan, execution_s
from placement.problem import PlacementProblem
from placement.routing.routing import route_query
from workloads.indexes import NamedIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexGain:
    """A chosen index of a copy in `store`, and what a period of the workload costs more without it.

    `gain_s` is without all else changed, and less than the seconds saved by the `upkeep_s` that it
    costs. `queries` are those that read by it. `size_bytes` are its own.
    """

    store: str
    index: NamedIndex
    size_bytes: int
    upkeep_s: float
    gain_s: float
    queries: tuple[str, ...]


def index_gains(problem: PlacementProblem, plan: PlacementPlan) -> tuple[IndexGain, ...]:
    """Return what each chosen index of a plan gains, the largest gain first.

    Queries that read by it are routed again without it; others cost the same. Gains do not add up:
    one index stands in for another.

    Raises:
        KeyError: The plan is of other queries or stores than the problem.
    """
    problem = problem.with_indexes(plan.indexes)
    readers = _readers(problem, plan)
    found = []
    for store, indexes in plan.indexes.items():
        for index in indexes:
            queries = readers.get((store, index), ())
            left = {**plan.indexes, store: tuple(each for each in indexes if each != index)}
            without = problem.with_indexes(left)
            saved_s = sum(_more_s(without, plan, query) for query in queries)
            upkeep_s = problem.index_s(index, problem.store(store))
            found.append(
                IndexGain(
                    store=store,
                    index=index,
                    size_bytes=problem.index_bytes[index],
                    upkeep_s=upkeep_s,
                    gain_s=saved_s - upkeep_s,
                    queries=queries,
                )
            )
    return tuple(sorted(found, key=lambda each: (-each.gain_s, each.store, each.index)))


def _readers(
    problem: PlacementProblem, plan: PlacementPlan
) -> Mapping[tuple[str, NamedIndex], tuple[str, ...]]:
    """Return store and index → the queries that read by it."""
    found: dict[tuple[str, NamedIndex], tuple[str, ...]] = {}
    for query, routed in plan.routing.items():
        for store, indexes in indexes_read(problem, {query: routed}).items():
            for index in indexes:
                found[store, index] = (*found.get((store, index), ()), query)
    return found


def _more_s(without: PlacementProblem, plan: PlacementPlan, name: str) -> float:
    query = without.query(name)
    routed = route_query(without, query, plan.placement)
    return query.executions * (execution_s(routed, without.objective) - plan.query_s(name))
