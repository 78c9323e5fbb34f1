"""The terms of a fit: amounts of work that measured statements took, and seconds a unit of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evaluation.calibration.least_squares import Array
from evaluation.calibration.observation import Observation
from placement.fragment_work import FragmentWork
from placement.stores import Engine, Strength

STORE_TERMS = (
    "start_s",
    "scan_bytes_per_s",
    "join_rows_per_s",
    "aggregate_rows_per_s",
    "transfer_rows_per_s",
    "transfer_bytes_per_s",
    "index_rows_per_s",
    "conditions_per_s",
    "transfer_decimals_per_s",
    "driver_rows_per_s",
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
TIED: Mapping[str, str] = MappingProxyType(
    {"scan_rows_per_s": "scan_bytes_per_s", "scan_values_per_s": "scan_bytes_per_s"}
)
"""Rate of a store → the rate that it keeps its ratio to: one term stands for these together.

All large tables of TPC-H have rows of 100 to 160 bytes, so that rows and bytes are not told apart,
and values are a small part of both. Tables of other widths gave the ratios
(``benchmarks/scan_widths.py``).
"""
ENGINE = ""
"""The engine's name among the stores' names."""

_MOST_KNOWN = 0.9
_LEAST_S = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Observations as amounts of each term, and seconds.

    `names` are of a store (or ENGINE) and a rate. `units` (observations, terms) are amounts of
    work, `measured` and `seconds` (observations,) what a statement took, with and without what is
    known beforehand: the `link` of each store, and what it reads past its cache. `before` (terms,)
    is what a unit is taken to cost.
    """

    names: tuple[tuple[str, str], ...]
    units: Array
    measured: Array
    seconds: Array
    before: Array


def terms_of(
    observations: Sequence[Observation],
    strengths: Mapping[str, Strength],
    engine: Engine,
    fetch_size: int,
) -> Terms:
    """Return the terms of the stores in `strengths` and of the engine."""
    names = [(store, term) for store, known in strengths.items() for term in _terms(known)]
    names += [(ENGINE, term) for term in ENGINE_TERMS]
    known = np.array([_known_s(each, strengths, fetch_size) for each in observations])
    measured = np.array([each.seconds for each in observations])
    return Terms(
        names=tuple(names),
        units=np.array([_units(each, strengths) for each in observations]),
        measured=measured,
        # What is known is itself estimated: it never explains a query alone.
        seconds=np.maximum(measured - np.minimum(known, _MOST_KNOWN * measured), _LEAST_S),
        before=np.array(
            [_seconds_per_unit(engine if s == ENGINE else strengths[s], term) for s, term in names]
        ),
    )


def value_of(term: str, seconds_per_unit: float) -> float:
    """Return the seconds or the rate that so many seconds a unit are."""
    return float(seconds_per_unit) if _is_seconds(term) else 1.0 / float(seconds_per_unit)


def times_slower(strength: Strength, factor: float) -> dict[str, float]:
    """Return rate → its value in a store of which all takes `factor` times as long."""
    return {
        term: value_of(term, factor * _seconds_per_unit(strength, term))
        for term in (*_terms(strength), *TIED)
        if getattr(strength, term) is not None
    }


def _units(observation: Observation, strengths: Mapping[str, Strength]) -> list[float]:
    """Return the amounts of every store's terms, then of the engine's."""
    row = {store: (0.0,) * len(_terms(strength)) for store, strength in strengths.items()}
    engine = (0.0,) * len(ENGINE_TERMS)
    for store, work in observation.work:
        amounts = _of_store(work, strengths[store])
        row[store] = _added(row[store], [amounts[term] for term in _terms(strengths[store])])
        engine = _added(engine, _of_engine(work))
    return [amount for amounts in (*row.values(), engine) for amount in amounts]


def _terms(strength: Strength) -> tuple[str, ...]:
    """Return the rates of a store that may be fitted: those that it has."""
    return tuple(term for term in STORE_TERMS if getattr(strength, term) is not None)


def _of_store(work: FragmentWork, strength: Strength) -> dict[str, float]:
    return {
        "start_s": float(work.starts),
        # Rows and values count as bytes that take as long.
        "scan_bytes_per_s": work.scan_s(strength) * strength.scan_bytes_per_s,
        "join_rows_per_s": work.join_rows,
        "aggregate_rows_per_s": work.aggregate_rows,
        "transfer_rows_per_s": work.rows_out - work.driver_rows,
        "transfer_bytes_per_s": work.bytes_out,
        "index_rows_per_s": work.index_rows,
        "conditions_per_s": work.conditions,
        "transfer_decimals_per_s": work.decimals_out,
        "driver_rows_per_s": work.driver_rows,
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
    return value if _is_seconds(term) else 1.0 / value


def _is_seconds(term: str) -> bool:
    return term.endswith("_s") and "_per_" not in term
