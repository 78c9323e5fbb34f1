"""Measured queries that are further from their predictions than the calibration says."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from evaluation.calibration.calibration import Calibration
from evaluation.calibration.rates import Errors
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
    QueryMeasurement,
)
from evaluation.measuring.prediction_quality import LEAST_S
from placement.plan import execution_s

# Of the queries that a calibration was held against, this share was off by more than its p90.
_OUTSIDE = 0.1
_CHANCE = 0.01

QUICK_FACTOR = 1.5
"""Queries that take so many times their predicted seconds, or that part, contradict quick rates.

Over the plans of whole runs quick rates were off by less, in the median and either way, on all
machines of `docs/calibration.md`.
"""
_FEWEST_QUERIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A store, some fragment of each of whose `queries` it answered, and what is `stated` of it.

    `outside` of them are off by more than the stated p90; `error` is the median of predicted less
    measured, as a share of measured: below 0 where they took longer.
    """

    store: str
    queries: int
    outside: int
    error: float
    stated: Errors


def contradictions(
    measurements: Measurements, calibration: Calibration | None
) -> tuple[Contradiction, ...]:
    """Return the stores of `calibration` that measurements contradict.

    More of a store's queries lie outside of what holds 90 % of them than chance explains (a
    binomial test, at 1 %). A query counts once: by its median over the candidates. Predictions that
    other measurements have corrected say nothing of a calibration.
    """
    found = []
    for store, calibrated in ({} if calibration is None else calibration.stores).items():
        stated = calibrated.errors
        errors: dict[str, list[float]] = {}
        for query, error in _errors(measurements, store):
            errors.setdefault(query, []).append(error)
        if stated is None or not errors:
            continue
        each = [median(of_query) for of_query in errors.values()]
        outside = sum(abs(error) > stated.p90 for error in each)
        if chance_of(outside, len(each)) < _CHANCE:
            found.append(
                Contradiction(
                    store=store,
                    queries=len(each),
                    outside=outside,
                    error=median(each),
                    stated=stated,
                )
            )
    return tuple(found)


def quick_factor(measurements: Measurements) -> float | None:
    """Return how many times their predicted seconds queries took; None where too few can tell.

    It is the median over the queries, each of which counts once: by its median over the candidates.
    Queries below `LEAST_S` do not count, and five must be left. Stores work at the same time as far
    as the machine lets them: seconds between those of the slowest store and the sum over all are as
    predicted. Predictions that other measurements have corrected say nothing of rates.
    """
    logs: dict[str, list[float]] = {}
    for candidate, query in _by_rates(measurements):
        routed, measured_s = candidate.plan.routing[query.query], query.measured_s or 0.0
        most_s = execution_s(routed, "work")
        if max(most_s, measured_s) < LEAST_S:
            continue
        took = math.log(max(measured_s, LEAST_S))
        most, least = (
            math.log(max(each, LEAST_S)) for each in (most_s, execution_s(routed, "latency"))
        )
        off = took - most if took > most else min(0.0, took - least)
        logs.setdefault(query.query, []).append(off)
    if len(logs) < _FEWEST_QUERIES:
        return None
    return math.exp(median(median(of_query) for of_query in logs.values()))


def chance_of(outside: int, queries: int) -> float:
    """Return the chance (0..1) that `outside` or more of `queries` are off by more than the p90.

    Each is with a chance of 10 %, by itself: the exact one-sided binomial test.
    """
    # scipy.stats has the test by its name, and takes a second to import, in every command.
    from scipy.special import bdtrc

    return float(bdtrc(outside - 1, queries, _OUTSIDE))


def _errors(measurements: Measurements, store: str) -> Iterator[tuple[str, float]]:
    for candidate, query in _by_rates(measurements):
        if any(each.store == store for each in query.fragments):
            predicted_s = candidate.plan.query_s(query.query)
            measured_s = query.measured_s or 0.0
            yield query.query, (predicted_s - measured_s) / measured_s


def _by_rates(
    measurements: Measurements,
) -> Iterator[tuple[CandidateMeasurement, QueryMeasurement]]:
    """Yield the measured queries of the candidates whose prices are those of rates alone."""
    for candidate in measurements.candidates:
        if candidate.plan.corrections is None:
            for query in candidate.queries:
                if query.measured_s:
                    yield candidate, query
