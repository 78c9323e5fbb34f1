"""Measured queries that are further from their predictions than the calibration says."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from evaluation.calibration.calibration import Calibration
from evaluation.calibration.rates import Errors
from evaluation.measuring.measurement import Measurements
from evaluation.measuring.prediction_quality import LEAST_S

# Of the queries that a calibration was held against, this share was off by more than its p90.
_OUTSIDE = 0.1
_CHANCE = 0.01
QUICK_FACTOR = 1.5
"""Queries that take so many times their predicted seconds, or that part, contradict quick rates.

Of the machines in `docs/calibration.md` quick rates are off by less, in the median and either way.
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


def quick_contradiction(
    measurements: Measurements, calibration: Calibration | None
) -> float | None:
    """Return how many times their predicted seconds the queries took, if that is too far off.

    It is the median over the queries, each of which counts once: by its median over the candidates.
    None where it is within `QUICK_FACTOR`, where fewer than five queries are long enough to tell,
    and of a full calibration, which states errors of its own.
    """
    if calibration is None or not calibration.quick or not calibration.stores:
        return None
    logs: dict[str, list[float]] = {}
    for query, predicted_s, measured_s in _compared(measurements):
        if max(predicted_s, measured_s) >= LEAST_S:
            ratio = max(measured_s, LEAST_S) / max(predicted_s, LEAST_S)
            logs.setdefault(query, []).append(math.log(ratio))
    if len(logs) < _FEWEST_QUERIES:
        return None
    typical = median(median(of_query) for of_query in logs.values())
    return math.exp(typical) if abs(typical) > math.log(QUICK_FACTOR) else None


def chance_of(outside: int, queries: int) -> float:
    """Return the chance (0..1) that `outside` or more of `queries` are off by more than the p90.

    Each is with a chance of 10 %, by itself: the exact one-sided binomial test.
    """
    # scipy.stats has the test by its name, and takes a second to import, in every command.
    from scipy.special import bdtrc

    return float(bdtrc(outside - 1, queries, _OUTSIDE))


def _errors(measurements: Measurements, store: str) -> Iterator[tuple[str, float]]:
    for query, predicted_s, measured_s in _compared(measurements, store):
        yield query, (predicted_s - measured_s) / measured_s


def _compared(
    measurements: Measurements, store: str | None = None
) -> Iterator[tuple[str, float, float]]:
    """Yield a query with its predicted and measured seconds, for each candidate.

    With a `store` only where it answered some fragment.
    """
    by_rates = [each for each in measurements.candidates if each.plan.corrections is None]
    for candidate in by_rates:
        for query in candidate.queries:
            there = store is None or any(each.store == store for each in query.fragments)
            if query.measured_s and there:
                yield query.query, candidate.plan.query_s(query.query), query.measured_s
