"""Fitted rates: known ones come back from what they make, and what nothing tells stays."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from evaluation.calibration.least_squares import FARTHEST, fit
from evaluation.calibration.observation import Observation
from evaluation.calibration.rates import FittedRates, engine_with_rates, fitted_rates
from evaluation.calibration.terms import ENGINE
from evaluation.stores.duckdb.backend import DuckDB
from evaluation.stores.postgresql.backend import PostgreSQL
from placement.costs import DEFAULT_COSTS
from placement.fragment_work import FragmentWork
from placement.stores import Engine, Strength
from placement.transfer.link import FREE

DEFAULTS = {"pg": PostgreSQL.strength, "duck": DuckDB.strength}
TRUE = {
    "pg": replace(
        PostgreSQL.strength,
        start_s=0.03,
        scan_bytes_per_s=0.8e9,
        # They keep their ratio to that of bytes.
        scan_rows_per_s=23e6 * 0.8 / 3,
        scan_values_per_s=370e6 * 0.8 / 3,
        join_rows_per_s=25e6,
        aggregate_rows_per_s=3e6,
        transfer_rows_per_s=1e6,
        transfer_bytes_per_s=40e6,
        link=FREE,
    ),
    "duck": replace(DuckDB.strength, start_s=0.02, scan_bytes_per_s=9e9, aggregate_rows_per_s=2e7),
}
TRUE_ENGINE = Engine(
    start_s=0.3,
    fragment_s=0.04,
    rows_per_s=1e6,
    keys_s=0.2,
    keys_per_s=30_000.0,
    delivered_rows_per_s=200_000.0,
)
FETCH_SIZE = 10_000
# What is known of a store's memory, and not fitted.
CACHED = {"kept_bytes": 2e8, "missed_bytes_per_s": 2e9}


def works(draw: np.random.Generator, *, whole: bool) -> FragmentWork:
    rows = float(draw.choice([1, 100, 10_000, 300_000]))
    return FragmentWork(
        scanned_bytes=(scanned := float(10 ** draw.uniform(3, 9))),
        scanned_rows=(rows_read := scanned / float(draw.uniform(20, 200))),
        scanned_values=rows_read * float(draw.uniform(1, 20)),
        join_rows=float(draw.choice([0, 10 ** draw.uniform(3, 7)])),
        aggregate_rows=float(draw.choice([0, 10 ** draw.uniform(3, 7)])),
        rows_out=rows,
        bytes_out=rows * float(draw.uniform(8, 400)),
        reducers=0 if whole else int(draw.integers(0, 2)),
        keys=0.0 if whole else float(draw.uniform(10, 20_000)),
        combining=0.0 if whole else 0.5,
        arriving=0 if whole else 1,
        combined_rows=0.0 if whole else float(10 ** draw.uniform(2, 6)),
        delivered_rows=float(draw.choice([1, 100, 200_000])),
        tables_bytes=float(10 ** draw.uniform(5, 9)),
    )


def seconds_of(store: str, work: FragmentWork) -> float:
    """Price work as `CostModel.fragment` does, by the true rates."""
    rates, engine = replace(TRUE[store], **CACHED), TRUE_ENGINE
    return (
        rates.start_s
        + work.scan_s(rates)
        + work.join_rows / rates.join_rows_per_s
        + work.aggregate_rows / rates.aggregate_rows_per_s
        + work.rows_out / rates.transfer_rows_per_s
        + work.bytes_out / rates.transfer_bytes_per_s
        + work.reducers * engine.keys_s
        + work.keys / engine.keys_per_s
        + work.arriving * engine.fragment_s
        + work.combining * engine.start_s
        + work.combined_rows / engine.rows_per_s
        + work.delivered_rows / engine.delivered_rows_per_s
        + work.missed_s(rates)
    )


def observed(*, noise: float, number: int = 60, wild: int = 0) -> Iterator[Observation]:
    """Yield runs of statements alone in each store and split over both.

    `noise` is the standard deviation of the logarithm of the measured seconds; `wild` of them are
    ten times as slow as they should be.
    """
    draw = np.random.default_rng(7)
    for index in range(number):
        for stores in (("pg",), ("duck",), ("pg", "duck")):
            parts = tuple((s, works(draw, whole=len(stores) == 1)) for s in stores)
            seconds = sum(seconds_of(store, work) for store, work in parts)
            off = 10.0 if index < wild else 1.0
            yield Observation(
                candidate="+".join(stores),
                query=f"statement_{index}",
                work=parts,
                seconds=seconds * off * float(np.exp(draw.normal(0, noise))),
            )


def fitted(observations: Iterator[Observation], **changes: Mapping[str, Strength]) -> FittedRates:
    strengths = {**DEFAULTS, **changes.get("strengths", {})}
    strengths = {name: replace(each, link=FREE, **CACHED) for name, each in strengths.items()}
    return fitted_rates(
        tuple(observations), strengths, DEFAULT_COSTS.engine, fetch_size=FETCH_SIZE, seed=0
    )


def test_rates_come_back_from_what_they_make() -> None:
    found = fitted(observed(noise=0.0))
    for store, true in TRUE.items():
        for name, rate in found.rates[store].items():
            if rate.seen > 0.01:
                assert rate.value == pytest.approx(getattr(true, name), rel=0.15), (store, name)
    engine = engine_with_rates(DEFAULT_COSTS.engine, found.rates[ENGINE], "measured")
    assert engine.start_s + 2 * engine.fragment_s == pytest.approx(
        TRUE_ENGINE.start_s + 2 * TRUE_ENGINE.fragment_s, rel=0.2
    )
    assert engine.source == "measured"


def test_the_rate_of_an_index_comes_back_and_a_store_without_one_has_none() -> None:
    draw, true = np.random.default_rng(3), 250_000.0
    found = fitted(_by_index(each, float(10 ** draw.uniform(0, 5)), true) for each in looked_up())
    rate = found.rates["pg"]["index_rows_per_s"]
    assert rate.seen > 0.01
    assert rate.value == pytest.approx(true, rel=0.15)
    assert "index_rows_per_s" not in found.rates["duck"]


def test_the_rate_of_conditions_comes_back() -> None:
    draw, true = np.random.default_rng(4), 30e6

    def tested(observation: Observation) -> Observation:
        number = float(10 ** draw.uniform(3, 8))
        ((store, work),) = observation.work
        return replace(
            observation,
            work=((store, replace(work, conditions=number)),),
            seconds=observation.seconds + number / true,
        )

    found = fitted(tested(each) for each in looked_up())
    for store in ("pg", "duck"):
        assert found.rates[store]["conditions_per_s"].value == pytest.approx(true, rel=0.15)


def looked_up() -> Iterator[Observation]:
    """Yield runs of statements in each store alone."""
    yield from (each for each in observed(noise=0.0) if each.candidate in DEFAULTS)


def _by_index(observation: Observation, rows: float, rows_per_s: float) -> Observation:
    """Return a run in PostgreSQL in which an index found rows as well."""
    ((store, work),) = observation.work
    if store != "pg":
        return observation
    return replace(
        observation,
        work=((store, replace(work, index_rows=rows)),),
        seconds=observation.seconds + rows / rows_per_s,
    )


def test_noise_is_told_by_the_errors_and_the_bounds() -> None:
    calm, noisy = fitted(observed(noise=0.02)), fitted(observed(noise=0.4))
    assert calm.errors["pg"].median < 0.1
    assert 0.15 < noisy.errors["pg"].median < 0.6
    width = [
        rates.rates["pg"]["start_s"].high - rates.rates["pg"]["start_s"].low
        for rates in (calm, noisy)
    ]
    assert width[0] < width[1]
    assert noisy.errors["pg"].number == 120
    assert noisy.errors[ENGINE].number == 60


def test_a_few_wild_measurements_change_little() -> None:
    found = fitted(observed(noise=0.05, wild=3))
    assert found.rates["pg"]["scan_bytes_per_s"].value == pytest.approx(0.8e9, rel=0.3)
    assert found.errors["pg"].median < 0.2


def test_what_nothing_tells_is_what_it_was_taken_for() -> None:
    without = [
        replace(
            each,
            work=tuple((s, replace(w, join_rows=0.0, aggregate_rows=0.0)) for s, w in each.work),
        )
        for each in observed(noise=0.05)
    ]
    rate = fitted(iter(without)).rates["pg"]["join_rows_per_s"]
    assert rate.value == pytest.approx(PostgreSQL.strength.join_rows_per_s)
    assert rate.seen == 0.0


def test_terms_that_go_together_have_rates_near_what_they_were_taken_for() -> None:
    draw = np.random.default_rng(1)
    one = draw.uniform(1, 2, 40)
    units = np.column_stack([np.ones(40), one, one + draw.normal(0, 0.001, 40)])
    seconds = (0.5 + 3 * one) * draw.normal(1, 0.05, 40)
    plain, *_ = np.linalg.lstsq(units, seconds, rcond=None)
    assert plain.min() < 0
    beforehand = np.array([0.1, 1.0, 1.0])
    factors = fit(units, seconds, beforehand, 0.1).seconds_per_unit / beforehand
    assert factors.min() >= 1 / FARTHEST
    assert factors.max() <= FARTHEST


def test_rates_that_hardly_count_stay_near_what_they_were_taken_for_on_both_sides() -> None:
    draw = np.random.default_rng(3)
    main, little = draw.uniform(1, 2, 60), draw.uniform(0, 0.02, 60)
    for truth in (0.0, 20.0):
        seconds = (main + truth * little) * draw.normal(1, 0.05, 60)
        found = fit(np.column_stack([main, little]), seconds, np.array([1.0, 1.0]), 0.2)
        assert 1 / 5 < found.seconds_per_unit[1] < 25
        assert found.seconds_per_unit[0] == pytest.approx(1.0, rel=0.05)


def test_a_rate_is_as_far_away_however_many_times_faster_or_slower() -> None:
    """By itself a rate that is half as fast costs as much as one that is twice as fast."""
    one = np.ones((1, 1))
    slow, fast = (
        fit(one, np.array([seconds]), np.array([1.0]), 1.0).seconds_per_unit[0]
        for seconds in (1.1, 1 / 1.1)
    )
    assert slow == pytest.approx(1 / fast)
    assert 1.0 < slow < 1.1


@pytest.mark.parametrize("tied", ["scan_rows_per_s", "scan_values_per_s"])
def test_rows_values_and_bytes_of_a_scan_keep_their_ratio(tied: str) -> None:
    found = fitted(observed(noise=0.05))
    of_bytes, of_rows = (found.rates["pg"][each] for each in ("scan_bytes_per_s", tied))
    ratio = getattr(PostgreSQL.strength, tied) / PostgreSQL.strength.scan_bytes_per_s
    for each in ("value", "low", "high"):
        assert getattr(of_rows, each) == pytest.approx(ratio * getattr(of_bytes, each))
    assert of_rows.seen == of_bytes.seen > 0.01
    assert tied not in found.rates["duck"]
    assert of_bytes.times(2.0).high == 2.0 * of_bytes.high
    assert replace(of_bytes, low=None, high=None).times(2.0).low is None


def test_too_much_and_too_little_count_alike() -> None:
    units, seconds = np.ones((2, 1)), np.array([0.9, 1 / 0.9])
    found = fit(units, seconds, np.array([1.0]), 0.001)
    assert found.seconds_per_unit[0] == pytest.approx(1.0, rel=0.005)


def test_statements_whose_work_is_estimated_wrongly_hardly_move_the_others() -> None:
    # A fifth takes three times as long, as its rows were estimated too low.
    seconds = np.where(np.arange(50) % 5 == 0, 3.0, 1.0)
    seconds *= np.random.default_rng(2).normal(1, 0.05, 50)
    found = fit(np.ones((50, 1)), seconds, np.array([1.0]), 0.001)
    assert found.seconds_per_unit[0] == pytest.approx(1.0, rel=0.055)


def test_nothing_measured_is_no_fit() -> None:
    with pytest.raises(ValueError, match="observations"):
        fit(np.zeros((0, 1)), np.zeros(0), np.ones(1), 0.1)


def test_what_a_disk_is_taken_to_need_never_explains_a_query_alone() -> None:
    """A disk that is far faster than was measured leaves rates and errors that can be read."""
    slow = {"kept_bytes": 1e6, "missed_bytes_per_s": 1e6}
    strengths = {name: replace(each, **slow) for name, each in DEFAULTS.items()}
    found = fitted_rates(
        tuple(observed(noise=0.05)), strengths, DEFAULT_COSTS.engine, fetch_size=FETCH_SIZE, seed=0
    )
    assert found.errors["pg"].p90 < 1.5
