"""Rates from few statements: the default rates, each times a factor of the group that it is in."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from evaluation.calibration.least_squares import Array
from evaluation.calibration.observation import Observation
from evaluation.calibration.rates import FittedRates, Rate, with_tied
from evaluation.calibration.terms import ENGINE, terms_of, times_slower, value_of
from placement.stores import Engine, Strength

_GROUP = {
    "start_s": "start",
    "scan_bytes_per_s": "work",
    "join_rows_per_s": "work",
    "aggregate_rows_per_s": "work",
    "index_rows_per_s": "work",
    "conditions_per_s": "work",
    "transfer_rows_per_s": "transfer",
    "transfer_bytes_per_s": "transfer",
    "transfer_decimals_per_s": "transfer",
    "driver_rows_per_s": "work",
}
"""Rate of a store → the group that it is scaled with; all rates of the engine are one group."""
_SPREAD = {"start": 1.0, "work": 0.3, "transfer": 1.0, "engine": 0.3}
"""The expected distance of a group's factor from that of the whole machine, as a logarithm.

Stores of one machine are slower and faster together. A network makes transfers an exception, and
so does a limit of the processors' time, which a start of a millisecond may not reach, starts.
"""
_MACHINE = 1.5
"""The expected distance of a machine's factor from that of the defaults, as a logarithm."""
_MISFIT = 0.3
"""The expected error of a statement's seconds where all rates are right, as a logarithm.

The estimate of its work is wrong by that much.
"""
NO_STORES: Mapping[str, Strength] = MappingProxyType({})


def quick_rates(
    observations: Sequence[Observation],
    strengths: Mapping[str, Strength],
    engine: Engine,
    *,
    fetch_size: int,
    unseen: Mapping[str, Strength] = NO_STORES,
) -> FittedRates:
    """Scale the rates in `strengths` and `engine` by what few statements took.

    Three factors a store (its start, its work and its transfer) and one of the engine are fitted,
    and a factor of the whole machine that they are expected to be near: least squares of
    logarithms, in which errors far beyond the expected count linearly. A rate that no statement
    tells so follows the others. Stores of the machine that are `unseen`, as no statement of theirs
    was measured, have its factor for all rates: by the defaults they would look faster or slower
    than the others for no other reason. There are no bounds and no errors: so few statements tell
    none. Rates are those of a warm engine: each observation says how warm it was.

    Raises:
        ValueError: There are no observations.
    """
    if not observations:
        raise ValueError("a fit needs observations")
    terms = terms_of(observations, strengths, engine, fetch_size)
    groups = [(s, "engine" if s == ENGINE else _GROUP[term]) for s, term in terms.names]
    kinds = list(dict.fromkeys(groups))
    by_term = terms.units * terms.before
    by_group = np.array([by_term[:, [each == kind for each in groups]].sum(1) for kind in kinds]).T
    slowness = np.array([each.slowness if each.has_tasks else 1.0 for each in observations])
    for index, (_, kind) in enumerate(kinds):
        if kind != "work":  # What a store does by itself is as fast, however warm the engine is.
            by_group[:, index] *= slowness
    machine, factors = _factors(
        by_group, terms.seconds, np.array([_SPREAD[kind] for _, kind in kinds])
    )
    factor_of = np.array([factors[kinds.index(each)] for each in groups])
    explained = (by_term * factor_of).sum(axis=0)
    seen = explained / max(float(explained.sum()), 1e-12)
    rates: dict[str, dict[str, Rate]] = {}
    for index, (store, term) in enumerate(terms.names):
        rates.setdefault(store, {})[term] = Rate(
            value=value_of(term, terms.before[index] * factor_of[index]),
            low=None,
            high=None,
            seen=round(float(seen[index]), 4),
        )
    found = with_tied(rates, strengths)
    for store, strength in unseen.items():
        found[store] = {
            term: Rate(value=value, low=None, high=None, seen=0.0)
            for term, value in times_slower(strength, machine).items()
        }
    return FittedRates(rates=found, errors={})


def warm(observations: Sequence[Observation]) -> Sequence[Observation]:
    """Return the observations without those in which an engine may have loaded a connector.

    It is the only one in which its tasks read from a store. Nothing is left out where nothing would
    be left.
    """
    read = [{store for store, work in each.work if work.arriving} for each in observations]
    statements = Counter(store for stores in read for store in stores)
    kept = [
        each
        for each, stores in zip(observations, read, strict=True)
        if all(statements[store] > 1 for store in stores)
    ]
    return kept or observations


def _factors(predicted: Array, seconds: Array, spreads: Array) -> tuple[float, Array]:
    """Return the factors that fit best: the machine's, and each group's.

    The groups are the columns of `predicted`, in seconds.
    """
    # Every command imports this module, and only calibrating fits: SciPy takes a second to import.
    from scipy.optimize import least_squares

    def residuals(logarithms: Array) -> Array:
        machine, groups = logarithms[0], logarithms[1:]
        off = np.log(predicted @ np.exp(groups)) - np.log(seconds)
        return np.concatenate([off / _MISFIT, (groups - machine) / spreads, [machine / _MACHINE]])

    found = least_squares(residuals, np.zeros(1 + len(spreads)), loss="soft_l1")
    factors: Array = np.exp(found.x)
    return float(factors[0]), factors[1:]
