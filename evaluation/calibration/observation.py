"""Observations for the fit: queries with their work in each store and measured seconds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement
from placement.fragment_work import FragmentWork, work
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One verified query of one candidate: each fragment's store and work, and median seconds.

    `slowness` says how many times as long as in a warm engine the engine's part took
    (`evaluation.calibration.warming`).
    """

    candidate: str
    query: str
    work: tuple[tuple[str, FragmentWork], ...]
    seconds: float
    slowness: float = 1.0

    @property
    def has_tasks(self) -> bool:
        """Whether the engine ran tasks for it: nothing else warms up."""
        return any(work.arriving for _, work in self.work)

    @property
    def stores(self) -> frozenset[str]:
        """Return the stores that took part."""
        return frozenset(store for store, _ in self.work)


def observations(
    problem: PlacementProblem, candidates: Sequence[CandidateMeasurement]
) -> Iterator[Observation]:
    """Yield what was measured and verified, beside the work that the model sees in it.

    A query that lost a store in any of its executions, and ran elsewhere, tells of no plan. Nor
    does one whose answer came about otherwise than planned, which its message says.
    """
    for candidate in candidates:
        for query in candidate.queries:
            routed = candidate.plan.routing[query.query]
            if query.measured_s is None or not as_planned(query, routed):
                continue
            yield Observation(
                candidate=candidate.plan.strategy,
                query=query.query,
                work=works(problem, query.query, routed),
                seconds=query.measured_s,
            )


def as_planned(query: QueryMeasurement, routed: Sequence[RoutedFragment]) -> bool:
    """Tell whether the stores of the plan, and none else, gave the answer in the planned way."""
    planned = {each.store for each in routed}
    return not query.message and query.stores_s.keys() <= planned


def works(
    problem: PlacementProblem, query: str, routed: Sequence[RoutedFragment]
) -> tuple[tuple[str, FragmentWork], ...]:
    """Return the store of each fragment of a query, and the work that the model sees in it."""
    sources = len(problem.query(query).sources)
    own_drivers = problem.costs.engine.own_drivers
    return tuple(
        (
            each.store,
            work(
                each.fragment,
                problem.store(each.store).strength,
                sources,
                own_drivers=own_drivers,
            ),
        )
        for each in routed
    )
