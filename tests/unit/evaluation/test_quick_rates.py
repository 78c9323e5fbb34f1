"""Quick rates: few statements tell a store's factors, which hold for its other rates too."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from evaluation.calibration.observation import Observation
from evaluation.calibration.quick_rates import quick_rates, warm
from evaluation.calibration.rates import FittedRates
from evaluation.calibration.terms import ENGINE
from evaluation.calibration.warming import slowness
from evaluation.stores.duckdb.backend import DuckDB
from evaluation.stores.postgresql.backend import PostgreSQL
from placement.costs import DEFAULT_COSTS
from placement.fragment_work import FragmentWork
from placement.stores import Strength
from placement.transfer.link import FREE

FETCH_SIZE = 10_000
DEFAULTS = {
    "pg": replace(PostgreSQL.strength, link=FREE),
    "duck": replace(DuckDB.strength, link=FREE),
}
ENGINE_RATES = DEFAULT_COSTS.engine


def work(*, scanned: float = 0.0, joined: float = 0.0, rows: float = 1.0, whole: bool = True):
    return FragmentWork(
        scanned_bytes=scanned,
        join_rows=joined,
        aggregate_rows=joined / 2,
        rows_out=rows,
        bytes_out=50.0 * rows,
        reducers=0,
        keys=0.0,
        combining=0.0 if whole else 0.5,
        arriving=0 if whole else 1,
        combined_rows=0.0 if whole else rows,
    )


ALONE = (
    work(),
    work(scanned=30e6, joined=300e3),
    work(scanned=30e6),
    work(scanned=8e6, joined=75e3),
    work(scanned=40e6, joined=400e3),
    work(scanned=1e6, rows=20_000.0),
)
CROSSING = (work(joined=75e3, rows=75_000.0, whole=False), work(rows=7_000.0, whole=False))


def seconds_of(asked: FragmentWork, strength: Strength, slower: dict[str, float]) -> float:
    """Price work by the default rates, each kind of it so many times slower."""
    machine = slower["machine"]
    start = slower.get("start", machine)
    engine_s = (
        asked.arriving * ENGINE_RATES.fragment_s
        + asked.combining * ENGINE_RATES.start_s
        + asked.combined_rows / ENGINE_RATES.rows_per_s
    )
    work_s = (
        asked.scan_s(strength)
        + asked.join_rows / strength.join_rows_per_s
        + asked.aggregate_rows / strength.aggregate_rows_per_s
    )
    transfer_s = asked.rows_out / strength.transfer_rows_per_s
    transfer_s += asked.bytes_out / strength.transfer_bytes_per_s
    return (
        start * strength.start_s
        + slower.get("work", machine) * work_s
        + slower.get("transfer", machine) * transfer_s
        + machine * engine_s
    )


def observed(seed: int, misfit: float, **slower: dict[str, float]) -> Iterator[Observation]:
    """Yield the statements of each store alone, and of both; estimates are off by `misfit`."""
    draw = np.random.default_rng(seed)

    def off() -> float:
        return float(np.exp(draw.normal(0.0, misfit)))

    for store, strength in DEFAULTS.items():
        for number, one in enumerate(ALONE):
            each = replace(one, arriving=0 if strength.most_driver_rows else 1)
            seconds = seconds_of(each, strength, slower[store]) * off()
            yield Observation(
                candidate=store, query=f"q{number}", work=((store, each),), seconds=seconds
            )
    for number in range(2):
        parts = tuple(zip(DEFAULTS, CROSSING, strict=True))
        seconds = sum(seconds_of(each, DEFAULTS[s], slower[s]) for s, each in parts)
        yield Observation(candidate="x", query=f"x{number}", work=parts, seconds=seconds * off())


def found(seed: int = 0, misfit: float = 0.0, **slower: dict[str, float]) -> FittedRates:
    seen = tuple(observed(seed, misfit, **slower))
    return quick_rates(seen, DEFAULTS, ENGINE_RATES, fetch_size=FETCH_SIZE)


def factor(rates: FittedRates, store: str, name: str) -> float:
    """How many times slower than beforehand a rate was found."""
    beforehand = ENGINE_RATES if store == ENGINE else DEFAULTS[store]
    times = rates.rates[store][name].value / getattr(beforehand, name)
    return times if name in ("start_s", "fragment_s", "keys_s") else 1 / times


@pytest.mark.parametrize("slower", [0.4, 1.0, 3.0])
def test_a_machine_s_factor_holds_for_all_rates_also_those_that_nothing_tells(slower: float):
    both = {"machine": slower}
    rates = found(pg=both, duck=both)
    for store in ("pg", "duck", ENGINE):
        for name in rates.rates[store]:
            assert factor(rates, store, name) == pytest.approx(slower, rel=0.05), (store, name)
    assert rates.rates["pg"]["index_rows_per_s"].seen == 0.0
    assert "index_rows_per_s" not in rates.rates["duck"]


def test_a_store_with_a_slow_network_has_a_slow_transfer_alone():
    rates = found(pg={"machine": 1.0, "transfer": 15.0}, duck={"machine": 1.0})
    for name in ("transfer_rows_per_s", "transfer_bytes_per_s"):
        assert factor(rates, "pg", name) == pytest.approx(15.0, rel=0.35)
        assert factor(rates, "duck", name) == pytest.approx(1.0, rel=0.25)
    assert factor(rates, "pg", "scan_bytes_per_s") == pytest.approx(1.0, rel=0.25)


def test_starts_that_a_limit_of_the_processors_time_does_not_reach_tell_little_of_the_machine():
    slower = {"machine": 2.0, "start": 0.4}
    tiny = work(rows=0.0)
    seen = [
        Observation(
            candidate=store,
            query="tiny",
            work=((store, tiny),),
            seconds=seconds_of(tiny, strength, slower),
        )
        for store, strength in DEFAULTS.items()
    ]
    seen += [
        each
        for each in observed(0, 0.0, pg=slower, duck=slower)
        if (each.candidate, each.query) == ("pg", "q1")
    ]
    assert len(seen) == 3
    rates = quick_rates(seen, DEFAULTS, ENGINE_RATES, fetch_size=FETCH_SIZE)
    assert factor(rates, ENGINE, "start_s") > 1.2


@pytest.mark.parametrize("slower", [0.4, 5.0])
def test_a_store_that_nothing_was_measured_of_is_as_slow_as_its_machine(slower: float):
    seen = [
        each
        for each in observed(0, 0.1, pg={"machine": slower}, duck={"machine": slower})
        if each.candidate == "pg"
    ]
    beside = {"duck": DEFAULTS["duck"]}
    rates = quick_rates(
        seen, {"pg": DEFAULTS["pg"]}, ENGINE_RATES, fetch_size=FETCH_SIZE, unseen=beside
    )
    assert (
        rates.rates["duck"].keys()
        == found(pg={"machine": 1}, duck={"machine": 1}).rates["duck"].keys()
    )
    for name, rate in rates.rates["duck"].items():
        assert factor(rates, "duck", name) == pytest.approx(slower, rel=0.25)
        assert rate.seen == 0.0


def test_a_store_s_only_statement_of_an_engine_may_have_loaded_its_connector():
    like = {"machine": 2.0}
    seen = [
        each
        for each in observed(0, 0.1, pg=like, duck=like)
        if each.candidate == "pg" or (each.candidate, each.query) == ("duck", "q0")
    ]
    cold = seen[-1]
    assert cold.has_tasks
    assert warm(seen) == seen[:-1]
    # A second one that the engine reads tells that it is warm, and none of its own driver.
    again = replace(cold, query="q1")
    assert warm([*seen, again]) == [*seen, again]
    by_driver = replace(again, work=(("duck", replace(again.work[0][1], arriving=0)),))
    assert warm([*seen, by_driver]) == [*seen[:-1], by_driver]
    assert warm(seen[:1]) == seen[:1]
    # Of a store beside another the engine may read nothing.
    beside = replace(again, work=(*again.work, ("pg", by_driver.work[0][1])))
    assert warm([*seen, beside]) == [*seen, beside]
    # Where there is nothing else, it counts.
    assert warm([cold]) == [cold]


def test_rates_of_one_group_keep_the_ratio_that_they_have_beforehand():
    rates = found(pg={"machine": 1.0, "work": 2.5}, duck={"machine": 1.0})
    factors = {
        name: factor(rates, "pg", name)
        for name in (
            "scan_bytes_per_s",
            "scan_rows_per_s",
            "scan_values_per_s",
            "join_rows_per_s",
            "aggregate_rows_per_s",
        )
    }
    first = factors["scan_bytes_per_s"]
    assert first > 1.5
    assert list(factors.values()) == pytest.approx([first] * len(factors))
    assert factor(rates, "duck", "scan_bytes_per_s") < first


def test_wrong_estimates_do_not_make_rates_of_noise():
    both = {"machine": 2.0}
    errors = [
        abs(factor(found(seed, 0.3, pg=both, duck=both), store, name) / 2.0 - 1)
        for seed in range(20)
        for store in ("pg", "duck")
        for name in ("start_s", "scan_bytes_per_s", "transfer_rows_per_s")
    ]
    # The default rates are off by half.
    assert np.median(errors) < 0.15
    assert np.percentile(errors, 90) < 0.5


def test_one_wild_statement_hardly_counts():
    seen = list(observed(0, 0.0, pg={"machine": 1.0}, duck={"machine": 1.0}))
    seen[1] = replace(seen[1], seconds=20 * seen[1].seconds)
    rates = quick_rates(seen, DEFAULTS, ENGINE_RATES, fetch_size=FETCH_SIZE)
    assert 1 / 1.4 < factor(rates, "pg", "scan_bytes_per_s") < 1.4
    assert factor(rates, "duck", "start_s") == pytest.approx(1.0, rel=0.1)


def test_no_bound_and_no_error_is_stated():
    rates = found(pg={"machine": 1.0}, duck={"machine": 1.0})
    assert rates.errors == {}
    assert {(r.low, r.high) for of in rates.rates.values() for r in of.values()} == {(None, None)}
    with pytest.raises(ValueError, match="observations"):
        quick_rates((), DEFAULTS, ENGINE_RATES, fetch_size=FETCH_SIZE)


def test_statements_of_an_engine_that_warms_up_tell_the_rates_of_a_warm_one():
    warm = list(observed(0, 0.0, pg={"machine": 1.0}, duck={"machine": 1.0}))
    cold = [
        # What its store answers alone has no part of the engine.
        replace(each, seconds=(2.0 if each.has_tasks else 1.0) * each.seconds, slowness=2.0)
        for each in warm
        if all(not asked.scanned_bytes for _, asked in each.work)
    ]
    assert {each.query for each in cold} >= {"q0", "x0", "x1"}
    assert {each.has_tasks for each in cold} == {False, True}
    rates = quick_rates(cold, DEFAULTS, ENGINE_RATES, fetch_size=FETCH_SIZE)
    for store, name in (("pg", "start_s"), ("duck", "start_s"), (ENGINE, "start_s")):
        assert factor(rates, store, name) == pytest.approx(1.0, rel=0.1), (store, name)


def test_a_store_s_own_work_is_as_fast_in_an_engine_that_warms_up():
    warm = list(observed(0, 0.0, pg={"machine": 1.0}, duck={"machine": 1.0}))
    large = work(scanned=30e9, joined=300e6)
    work_s = seconds_of(large, DEFAULTS["pg"], {"machine": 1.0})
    seen = [
        *warm,
        Observation(
            candidate="pg", query="large", work=(("pg", large),), seconds=work_s, slowness=2.4
        ),
    ]
    rates = quick_rates(seen, DEFAULTS, ENGINE_RATES, fetch_size=FETCH_SIZE)
    assert factor(rates, "pg", "scan_bytes_per_s") == pytest.approx(1.0, rel=0.05)


def test_an_engine_is_slow_at_first_and_then_less_and_less():
    by_runs = [slowness(runs) for runs in (0, 10, 50, 100, 500)]
    assert by_runs == sorted(by_runs, reverse=True)
    assert by_runs[0] > 2
    assert by_runs[-1] == pytest.approx(1.0, abs=0.01)
