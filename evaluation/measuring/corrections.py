"""Corrections of prices by measured queries.

The seconds of a query are those of its longest fragment and the rest: planning, connecting, keys,
the engine's work. Each part is held against the same part of the prediction. A fragment that was
measured in a store is priced there by what was measured. Of the others only tendencies are known:
geometric means of the measured factors of the store, drawn towards 1 as if `PRIOR` more fragments
had been predicted exactly, and of the query there, drawn towards that of the store. So one wild
fragment does not condemn a store, and its query does not escape into other fragments there.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from evaluation.measuring.fragment_measurement import FragmentMeasurement
from evaluation.measuring.measurement import Measurements, QueryMeasurement
from evaluation.measuring.prediction_quality import LEAST_S
from placement.corrections import Corrections, Factors
from placement.fragment_cost import FragmentCost
from placement.fragment_work import work
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import Objective, PlacementProblem

PRIOR = 2.0
"""The number of fragments, predicted exactly, that a store is taken to have shown beforehand."""
QUERY_PRIOR = 1.0
"""The number of fragments, as far off as the store's, that a query is taken to have shown there."""
LEAST_REST_S = 1e-4
"""Seconds of the rest of a query below this count as so many: a factor of nearly 0 is noise."""

Seconds = tuple[float, float]
"""Predicted and measured seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A fragment that was read: its prediction by the formula, and what was measured."""

    routed: RoutedFragment
    cost: FragmentCost
    measured: FragmentMeasurement


@dataclass(slots=True)
class _Seen:
    """All that was measured of one fragment in one store: of its work, and of its queries' rest."""

    query: str
    work: list[Seconds] = field(default_factory=list)
    rest: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Misjudged:
    """A fragment in a store with its seconds by the formula and as measured, start and rest apart.

    `executions` are its query's.
    """

    query: str
    name: str
    store: str
    executions: float
    predicted_s: float
    measured_s: float

    @property
    def off_s(self) -> float:
        """Return by how much all executions were off."""
        return self.executions * abs(self.measured_s - self.predicted_s)


def corrections(problem: PlacementProblem, runs: Sequence[Measurements]) -> Corrections:
    """Return what the measurements make of the formula's prices; nothing depends on their order.

    A query that was not verified corrects nothing: it has no seconds.
    """
    fragments, rests = _seen(problem, runs)
    measured: dict[str, dict[str, Factors]] = {}
    logs: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for (store, name), seen in sorted(fragments.items()):
        ratios = [took_s / predicted_s for predicted_s, took_s in seen.work if predicted_s > 0]
        measured.setdefault(store, {})[name] = Factors(
            work=median(ratios) if ratios else 1.0, rest=median(seen.rest)
        )
        if (log := _log(seen.work)) is not None:
            logs[store].append((seen.query, log))
    rest = tendency([math.log(median(each)) for each in rests.values()])
    tendencies = {store: tendencies_of(each) for store, each in logs.items()}
    return Corrections(
        measured=measured,
        queries={
            store: {query: math.exp(log) for query, log in queries.items()}
            for store, (_, queries) in tendencies.items()
        },
        stores={store: math.exp(log) for store, (log, _) in tendencies.items()},
        rest=math.exp(rest),
    )


def tendencies_of(logs: Sequence[tuple[str, float]]) -> tuple[float, Mapping[str, float]]:
    """Return what a store's factors tend to, and those of each query there, as logarithms.

    `logs` are (query, logarithm of a factor), one for each fragment that was measured there.
    """
    of_store = tendency([log for _, log in logs])
    by_query: dict[str, list[float]] = defaultdict(list)
    for query, log in logs:
        by_query[query].append(log)
    return of_store, {
        query: tendency(each, towards=of_store, prior=QUERY_PRIOR)
        for query, each in by_query.items()
    }


def tendency(logs: Sequence[float], *, towards: float = 0.0, prior: float = PRIOR) -> float:
    """Return the mean of logarithms with `prior` more at `towards`."""
    return (math.fsum(logs) + prior * towards) / (len(logs) + prior)


def misjudged(problem: PlacementProblem, runs: Sequence[Measurements]) -> tuple[Misjudged, ...]:
    """Return the measured fragments, those first whose seconds were most off."""
    executions = {query.name: query.executions for query in problem.queries}
    found = [
        Misjudged(
            query=seen.query,
            name=name,
            store=store,
            executions=executions[seen.query],
            predicted_s=median(predicted_s for predicted_s, _ in seen.work),
            measured_s=median(took_s for _, took_s in seen.work),
        )
        for (store, name), seen in _seen(problem, runs)[0].items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.off_s, each.name, each.store)))


def _seen(
    problem: PlacementProblem, runs: Sequence[Measurements]
) -> tuple[Mapping[tuple[str, str], _Seen], Mapping[object, list[float]]]:
    """Return (store, fragment) → what was measured, and a query's way → the factors of its rest.

    Ways without the engine are left out of the second.
    """
    fragments: dict[tuple[str, str], _Seen] = {}
    rests: dict[object, list[float]] = defaultdict(list)
    known = {query.name for query in problem.queries}
    for plan, query in _measured(runs):
        if query.query not in known or query.measured_s is None:
            continue
        routed, made_for = plan.routing.get(query.query, ()), problem.with_indexes(plan.indexes)
        read = list(_read(made_for, query, routed))
        in_stores_s = max((each.measured.elapsed_s for each in read), default=0.0)
        if not in_stores_s:
            continue
        expected_s = _combined(problem.objective, _rests(made_for, query.query, routed))
        rest_s = max(query.measured_s - in_stores_s, LEAST_REST_S)
        rest = rest_s / max(expected_s, LEAST_REST_S)
        if _is_of_engine(made_for, routed):
            way = query.query, frozenset((each.fragment.name, each.store) for each in routed)
            rests[way].append(rest)
        # Fragments that were read at the same time take no longer than the longest of them.
        elapsed = [(each.measured.store, each.measured.elapsed_s, 0.0) for each in read]
        share = in_stores_s / _combined(problem.objective, elapsed)
        for each in read:
            key = each.routed.store, each.routed.fragment.name
            seen = fragments.setdefault(key, _Seen(query=query.query))
            seen.work.append((each.cost.work_s, share * each.measured.elapsed_s))
            seen.rest.append(rest)
    return fragments, rests


def _is_of_engine(problem: PlacementProblem, routed: Sequence[RoutedFragment]) -> bool:
    """Whether the engine has a part in a query: what a store answers alone tells nothing of it."""
    return any(
        work(each.fragment, problem.store(each.store).strength, len(routed)).arriving
        for each in routed
    )


def _measured(runs: Sequence[Measurements]) -> Iterator[tuple[PlacementPlan, QueryMeasurement]]:
    for run in runs:
        for candidate in run.candidates:
            for query in candidate.queries:
                yield candidate.plan, query


def _read(
    problem: PlacementProblem, query: QueryMeasurement, routed: Sequence[RoutedFragment]
) -> Iterator[_Read]:
    """Yield the fragments that were read where the plan has them; others tell nothing."""
    measured = {(each.name, each.store): each for each in query.fragments if each.partitions}
    for each in routed:
        found = measured.get((each.fragment.name, each.store))
        if found is not None and each.fragment.reduction.repeats is None:
            cost = _formula(problem, query.query, each)
            yield _Read(routed=each, cost=cost, measured=found)


def _formula(problem: PlacementProblem, query: str, routed: RoutedFragment) -> FragmentCost:
    sources = len(problem.query(query).sources)
    store = problem.store(routed.store)
    return problem.costs.formula.fetched(routed.fragment, store, sources, routed.transfer)


def _rests(
    problem: PlacementProblem, query: str, routed: Sequence[RoutedFragment]
) -> list[tuple[str, float, float]]:
    """Return each fragment's store, its seconds of start and keys, and those in the engine."""
    costs = [(each.store, _formula(problem, query, each)) for each in routed]
    return [(store, cost.start_s + cost.keys_s, cost.engine_s) for store, cost in costs]


def _combined(objective: Objective, parts: Sequence[tuple[str, float, float]]) -> float:
    """Return what an objective makes of seconds in stores and in the engine."""
    in_store: dict[str, list[float]] = defaultdict(list)
    for store, store_s, _ in parts:
        in_store[store].append(store_s)
    each = [math.fsum(seconds) for seconds in in_store.values()]
    in_engine_s = math.fsum(engine_s for _, _, engine_s in parts)
    if objective == "latency":
        return in_engine_s + max(each, default=0.0)
    return in_engine_s + math.fsum(each)


def _log(work: Sequence[Seconds]) -> float | None:
    """Return the logarithm of measured over predicted seconds, each taken for at least `LEAST_S`.

    None where both are below: their ratio is mostly noise.
    """
    logs = [
        math.log(max(took_s, LEAST_S) / max(predicted_s, LEAST_S))
        for predicted_s, took_s in work
        if max(predicted_s, took_s) >= LEAST_S
    ]
    return median(logs) if logs else None
