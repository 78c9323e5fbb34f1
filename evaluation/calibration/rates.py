"""The rates of stores and of the engine that explain measured queries best, and how well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.calibration.least_squares import Array, fit
from evaluation.calibration.observation import Observation
from placement.costs import FragmentWork
from placement.stores import Engine, Strength

STORE_TERMS = (
    "start_s",
    "scan_bytes_per_s",
    "join_rows_per_s",
    "aggregate_rows_per_s",
    "transfer_rows_per_s",
    "transfer_bytes_per_s",
    "index_rows_per_s",
)
"""Rates of stores; one that a store has none of is no term of it (`_terms`)."""
ENGINE_TERMS = (
    "start_s",
    "fragment_s",
    "rows_per_s",
    "keys_s",
    "keys_per_s",
    "delivered_rows_per_s",
)
ENGINE = ""
"""The engine's name among the stores' names."""

# A rate that is off by its own size counts as one query that is off by this share.
_TRUST = 0.1
_MOST_KNOWN = 0.9
_RESAMPLES = 100
_LOW, _HIGH = 5, 95


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A rate, or seconds where its name ends in ``_s``, with the bounds of 90 % of resamples.

    `seen` is the share of all measured seconds that it explains: near 0 nothing tells it, and the
    value is what it was beforehand.
    """

    value: float
    low: float
    high: float
    seen: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Relative errors of queries that a fit without them predicts; `number` is how many.

    `bias` is their median with sign, above 0 where too much is predicted.
    """

    number: int
    median: float
    p90: float
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedRates:
    """Rates by store (`ENGINE` is the engine's) and name, and the errors of each store's queries.

    `errors` has ENGINE for the queries that more than one fragment answered.
    """

    rates: Mapping[str, Mapping[str, Rate]]
    errors: Mapping[str, Errors]


def fitted_rates(
    observations: Sequence[Observation],
    strengths: Mapping[str, Strength],
    engine: Engine,
    *,
    fetch_size: int,
    seed: int,
) -> FittedRates:
    """Fit the rates of the stores in `strengths` and of the engine, all at once.

    `strengths` and `engine` hold what is known beforehand; the `link` of each is kept, what it
    reads past its cache, and the keys that it loads: their seconds are taken off. Errors are those
    of ten folds by statement: a query is predicted by rates that no candidate's run of it went
    into.

    Raises:
        ValueError: There are no observations.
    """
    names = [(store, term) for store, known in strengths.items() for term in _terms(known)]
    names += [(ENGINE, term) for term in ENGINE_TERMS]
    units = np.array([_units(each, strengths) for each in observations])
    known = np.array([_known_s(each, strengths, fetch_size) for each in observations])
    measured = np.array([each.seconds for each in observations])
    # What is known is itself estimated: it never explains a query alone.
    seconds = np.maximum(measured - np.minimum(known, _MOST_KNOWN * measured), 1e-4)
    before = np.array(
        [_seconds_per_unit(engine if s == ENGINE else strengths[s], term) for s, term in names]
    )
    best = fit(units, seconds, before, _TRUST)
    low, high = _bounds(units, seconds, before, seed)
    explained = units * best.seconds_per_unit
    seen = explained.sum(axis=0) / max(float(explained.sum()), 1e-12)
    rates: dict[str, dict[str, Rate]] = {}
    for index, (store, term) in enumerate(names):
        values = [_value(term, each[index]) for each in (best.seconds_per_unit, low, high)]
        rates.setdefault(store, {})[term] = Rate(
            value=values[0],
            low=min(values),
            high=max(values),
            seen=round(float(seen[index]), 4),
        )
    wrong = _held_out(observations, units, seconds, before, seed) - seconds
    return FittedRates(rates=rates, errors=_errors(observations, wrong / measured, strengths))


def with_rates(
    of: Strength, rates: Mapping[str, Rate], source: str, load_bytes_per_s: float
) -> Strength:
    """Return a store's strength with the measured rates instead of its own."""
    fitted: dict[str, Any] = {name: rate.value for name, rate in rates.items()}
    return replace(of, **fitted, load_bytes_per_s=load_bytes_per_s, source=source)


def engine_with_rates(of: Engine, rates: Mapping[str, Rate], source: str) -> Engine:
    """Return the engine with the fitted rates instead of its own."""
    return replace(of, **{name: rate.value for name, rate in rates.items()}, source=source)


def _units(observation: Observation, strengths: Mapping[str, Strength]) -> list[float]:
    """Return the amounts of every store's terms, then of the engine's."""
    row = {store: (0.0,) * len(_terms(strength)) for store, strength in strengths.items()}
    engine = (0.0,) * len(ENGINE_TERMS)
    for store, work in observation.work:
        amounts = _of_store(work)
        row[store] = _added(row[store], [amounts[term] for term in _terms(strengths[store])])
        engine = _added(engine, _of_engine(work))
    return [amount for amounts in (*row.values(), engine) for amount in amounts]


def _terms(strength: Strength) -> tuple[str, ...]:
    """Return the rates of a store that may be fitted: those that it has."""
    return tuple(term for term in STORE_TERMS if getattr(strength, term) is not None)


def _of_store(work: FragmentWork) -> dict[str, float]:
    return {
        "start_s": float(work.starts),
        "scan_bytes_per_s": work.scanned_bytes,
        "join_rows_per_s": work.join_rows,
        "aggregate_rows_per_s": work.aggregate_rows,
        "transfer_rows_per_s": work.rows_out,
        "transfer_bytes_per_s": work.bytes_out,
        "index_rows_per_s": work.index_rows,
    }


def _of_engine(work: FragmentWork) -> tuple[float, ...]:
    return (
        work.combining,
        float(work.arriving),
        work.combined_rows,
        float(work.reducers),
        work.keys,
        work.delivered_rows,
    )


def _added(left: tuple[float, ...], right: Sequence[float]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(left, right, strict=True))


def _known_s(observation: Observation, strengths: Mapping[str, Strength], fetch_size: int) -> float:
    return sum(
        work.fetching_s(strengths[store], fetch_size)
        + work.missed_s(strengths[store])
        + work.key_tables_s(strengths[store])
        for store, work in observation.work
    )


def _seconds_per_unit(of: Strength | Engine, term: str) -> float:
    value = float(getattr(of, term))
    return value if term.endswith("_s") and "_per_" not in term else 1.0 / value


def _value(term: str, seconds_per_unit: float) -> float:
    if term.endswith("_s") and "_per_" not in term:
        return float(seconds_per_unit)
    return 1.0 / float(seconds_per_unit)


def _bounds(units: Array, seconds: Array, before: Array, seed: int) -> tuple[Array, Array]:
    """Return the bounds of the middle 90 % of fits to observations drawn with replacement."""
    draw = np.random.default_rng(seed)
    number = len(seconds)
    fits = []
    for _ in range(_RESAMPLES):
        chosen = draw.integers(0, number, number)
        fits.append(fit(units[chosen], seconds[chosen], before, _TRUST).seconds_per_unit)
    return np.percentile(fits, _LOW, axis=0), np.percentile(fits, _HIGH, axis=0)


def _held_out(
    observations: Sequence[Observation], units: Array, seconds: Array, before: Array, seed: int
) -> Array:
    """Return every observation's seconds as predicted without any of its own statement."""
    statements = sorted({each.query for each in observations})
    order = np.random.default_rng(seed).permutation(len(statements))
    fold_of = {statements[index]: place % 10 for place, index in enumerate(order)}
    folds = np.array([fold_of[each.query] for each in observations])
    predicted = np.zeros(len(seconds))
    for number in np.unique(folds):
        inside = folds != number
        if not inside.any():  # one statement alone: there is nothing else to predict it by
            inside = ~inside
        fitted = fit(units[inside], seconds[inside], before, _TRUST)
        predicted[folds == number] = units[folds == number] @ fitted.seconds_per_unit
    return predicted


def _errors(
    observations: Sequence[Observation], relative: Array, strengths: Mapping[str, Strength]
) -> dict[str, Errors]:
    found = {}
    for name in (*strengths, ENGINE):
        chosen = [
            error
            for each, error in zip(observations, relative, strict=True)
            if (len(each.work) > 1 if name == ENGINE else name in each.stores)
        ]
        if chosen:
            found[name] = Errors(
                number=len(chosen),
                median=float(np.median(np.abs(chosen))),
                p90=float(np.percentile(np.abs(chosen), 90)),
                bias=float(np.median(chosen)),
            )
    return found
