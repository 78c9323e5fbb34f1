"""The rates of stores and of the engine that explain measured queries best, and how well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.calibration.least_squares import Array, fit
from evaluation.calibration.observation import Observation
from evaluation.calibration.terms import ENGINE, TIED, terms_of, value_of
from placement.stores import Engine, Strength

# A rate that is e times as fast or as slow counts as one query that is off by this share.
_TRUST = 0.2
_RESAMPLES = 100
_LOW, _HIGH = 5, 95


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A rate, or seconds where its name ends in ``_s``, with the bounds of 90 % of resamples.

    `low` and `high` are None where too little was measured for bounds. `seen` is the share of all
    measured seconds that it explains: near 0 nothing tells it, and the value is what it was
    beforehand, or in a quick calibration that times the factor of its store.
    """

    value: float
    low: float | None
    high: float | None
    seen: float

    def times(self, factor: float) -> "Rate":
        """Return the rate of what is so many times as fast, by the same measurements."""
        low = None if self.low is None else factor * self.low
        high = None if self.high is None else factor * self.high
        return replace(self, value=factor * self.value, low=low, high=high)

    def is_apart_from(self, other: "Rate") -> bool:
        """Tell whether the bounds of both are known and do not meet."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return False
        return self.high < other.low or self.low > other.high


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
    terms = terms_of(observations, strengths, engine, fetch_size)
    units, seconds, before = terms.units, terms.seconds, terms.before
    best = fit(units, seconds, before, _TRUST)
    low, high = _bounds(units, seconds, before, seed)
    explained = units * best.seconds_per_unit
    seen = explained.sum(axis=0) / max(float(explained.sum()), 1e-12)
    rates: dict[str, dict[str, Rate]] = {}
    for index, (store, term) in enumerate(terms.names):
        values = [value_of(term, each[index]) for each in (best.seconds_per_unit, low, high)]
        rates.setdefault(store, {})[term] = Rate(
            value=values[0],
            low=min(values),
            high=max(values),
            seen=round(float(seen[index]), 4),
        )
    wrong = _held_out(observations, units, seconds, before, seed) - seconds
    return FittedRates(
        rates=with_tied(rates, strengths),
        errors=_errors(observations, wrong / terms.measured, strengths),
    )


def with_tied(
    rates: Mapping[str, Mapping[str, Rate]], strengths: Mapping[str, Strength]
) -> dict[str, dict[str, Rate]]:
    """Return the rates with those that are in the term of another (`terms.TIED`)."""
    found = {store: dict(each) for store, each in rates.items()}
    for store, strength in strengths.items():
        for tied, leading in TIED.items():
            own = getattr(strength, tied)
            if own is not None:
                factor = own / getattr(strength, leading)
                found[store][tied] = found[store][leading].times(factor)
    return found


def with_rates(
    of: Strength, rates: Mapping[str, Rate], source: str, load_bytes_per_s: float | None
) -> Strength:
    """Return a store's strength with the measured rates instead of its own."""
    fitted: dict[str, Any] = {name: rate.value for name, rate in rates.items()}
    if load_bytes_per_s is not None:
        fitted["load_bytes_per_s"] = load_bytes_per_s
    return replace(of, **fitted, source=source)


def engine_with_rates(of: Engine, rates: Mapping[str, Rate], source: str) -> Engine:
    """Return the engine with the fitted rates instead of its own."""
    fitted: dict[str, Any] = {name: rate.value for name, rate in rates.items()}
    return replace(of, **fitted, source=source)


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
