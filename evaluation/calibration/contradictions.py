"""Measured queries that are further from their predictions than the calibration says."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from evaluation.calibration.calibration import Calibration
from evaluation.calibration.rates import Errors
from evaluation.measuring.measurement import Measurements

# Of the queries that a calibration was held against, this share was off by more than its p90.
_OUTSIDE = 0.1
_CHANCE = 0.01


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


def chance_of(outside: int, queries: int) -> float:
    """Return the chance (0..1) that `outside` or more of `queries` are off by more than the p90.

    Each is with a chance of 10 %, by itself: the exact one-sided binomial test.
    """
    # scipy.stats has the test by its name, and takes a second to import, in every command.
    from scipy.special import bdtrc

    return float(bdtrc(outside - 1, queries, _OUTSIDE))


def _errors(measurements: Measurements, store: str) -> Iterator[tuple[str, float]]:
    by_rates = [each for each in measurements.candidates if each.plan.corrections is None]
    for candidate in by_rates:
        for query in candidate.queries:
            if query.measured_s and any(each.store == store for each in query.fragments):
                predicted_s = candidate.plan.query_s(query.query)
                yield query.query, (predicted_s - query.measured_s) / query.measured_s
