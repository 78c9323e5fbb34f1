"""How a store joins, by a short sweep; joins of PostgreSQL's plans; the setting that follows."""

from dataclasses import replace
from typing import Any

import pytest

from evaluation.calibration.join_memory import (
    MOST_MISSES,
    SHORT_SWEEP_BYTES,
    JoinSweep,
    fitted,
    memory_settings,
)
from evaluation.calibration.postgresql_joins import hash_joins
from placement.memory.block_hash import block_pipeline_cost
from placement.memory.choice import SWEPT_BYTES, JoinMethod
from placement.memory.hash_table import table_bytes
from placement.memory.hybrid_hash import pipeline_cost
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import CacheLevel, Machine

MB = 1 << 20
MACHINE = Machine(caches=(CacheLevel(size_bytes=4 * MB, miss_s=100e-9),))
SHORT = HashJoin(
    build_rows=2e5,
    table_bytes=19 * MB,
    build_bytes=14e6,
    probe_rows=8e5,
    probe_bytes=3e7,
    joined_rows=8e5,
)
FEW = replace(SHORT, joined_rows=5e4)
LARGE = HashJoin(
    build_rows=1e6,
    table_bytes=96 * MB,
    build_bytes=7e7,
    probe_rows=5e6,
    probe_bytes=2e8,
    joined_rows=1e6,
)
TRUE = StoreJoins(row_s=3e-7, joined_row_s=4e-7, spilled_row_s=2e-7, batch_s=1e-4, misses=0.6)


@pytest.mark.parametrize("method", [pipeline_cost, block_pipeline_cost])
def test_a_sweep_tells_the_steps_that_made_it(method: JoinMethod) -> None:
    """Two sweeps of short joins predict a larger one: here without noise, so exactly."""
    sweeps = [
        JoinSweep(
            joins=[join],
            cpu_s={each: method([join], each, MACHINE, TRUE).cpu_s for each in SHORT_SWEEP_BYTES},
        )
        for join in (SHORT, FEW)
    ]
    other = replace(TRUE, row_s=1.0, misses=1.0)
    fit = fitted(sweeps, MACHINE, method, [replace(other, table_share=3.0), other])
    assert fit.error == pytest.approx(0, abs=1e-6)
    found = fit.joins
    assert found.table_share == TRUE.table_share
    for memory in SWEPT_BYTES:
        predicted = method([LARGE], memory, MACHINE, found).cpu_s
        assert predicted == pytest.approx(method([LARGE], memory, MACHINE, TRUE).cpu_s)


def test_what_is_measured_backwards_gives_no_step_back_its_time() -> None:
    """Less time with more misses: the wait is found to be nothing, not below it."""
    swept = {64 << 10: 2.0, 1 * MB: 1.5, 16 * MB: 1.0, 64 * MB: 0.9}
    sweep = JoinSweep(joins=[SHORT], cpu_s=swept)
    found = fitted([sweep], MACHINE, pipeline_cost, [TRUE]).joins
    assert found.misses == 0
    assert min(found.row_s, found.spilled_row_s, found.batch_s) >= 0


def test_noise_is_not_taken_for_waits_without_end() -> None:
    """Five times the seconds with more memory are not what references can wait: the fit is bad."""
    swept = {64 << 10: 0.2, 1 * MB: 0.3, 4 * MB: 0.4, 16 * MB: 2.0}
    small = HashJoin(
        build_rows=2e4, table_bytes=6 * MB, build_bytes=1e6, probe_rows=6e4, probe_bytes=6e6
    )
    sweep = JoinSweep(joins=[small], cpu_s=swept)
    fit = fitted([sweep], MACHINE, pipeline_cost, [TRUE])
    assert fit.joins.misses <= MOST_MISSES
    assert fit.error > 0.2


def test_settings_of_the_store_that_are_no_steps_stay() -> None:
    store = replace(TRUE, buffer_bytes=8192.0, table_share=2.0)
    sweep = JoinSweep(joins=[SHORT], cpu_s={MB: 1.0})
    found = fitted([sweep], MACHINE, pipeline_cost, [store]).joins
    assert (found.buffer_bytes, found.table_share) == (8192.0, 2.0)


@pytest.mark.parametrize("swept", [{}, {MB: 0.0}])
def test_a_sweep_without_seconds_is_refused(swept: dict[int, float]) -> None:
    with pytest.raises(ValueError, match="some CPU time"):
        fitted([JoinSweep(joins=[SHORT], cpu_s=swept)], MACHINE, pipeline_cost, [TRUE])


def test_where_spilling_is_cheap_the_table_is_kept_in_the_cache() -> None:
    store = replace(TRUE, spilled_row_s=1e-8)
    choice = memory_settings([LARGE], MACHINE, pipeline_cost, store, SWEPT_BYTES)
    assert choice.chosen.memory_bytes <= 4 * MB
    assert "more cache misses" in choice.reason


def test_a_machine_with_little_memory_for_hash_tables_bounds_the_choice() -> None:
    """Where misses cost nothing one batch is best, and where it has no room, two are."""
    store = replace(TRUE, misses=0.0)
    free = memory_settings([LARGE], MACHINE, pipeline_cost, store, SWEPT_BYTES)
    assert free.chosen.batches == 1
    little = replace(MACHINE, memory_bytes=100 * MB)
    two = memory_settings([LARGE], little, pipeline_cost, store, SWEPT_BYTES, queries=2)
    assert two.chosen.batches == 2


def test_tables_that_share_the_cache_with_streaming_rows_miss_earlier() -> None:
    """The cache share is found that made a sweep: a table of 3 MB misses in half of 4 MB."""
    half = replace(TRUE, cache_share=0.5)
    swept = {each: pipeline_cost([SHORT], each, MACHINE, half).cpu_s for each in SHORT_SWEEP_BYTES}
    sweep = JoinSweep(joins=[SHORT], cpu_s=swept)
    shares = [replace(TRUE, cache_share=each) for each in (1.0, 0.5, 0.25)]
    assert fitted([sweep], MACHINE, pipeline_cost, shares).joins.cache_share == 0.5


def test_a_limit_of_all_that_a_query_holds_is_chosen_large() -> None:
    """Where settings are alike, DuckDB's limit leaves room for what is no hash table."""
    store = replace(TRUE, misses=0.0, spilled_row_s=0.0, batch_s=0.0)
    choice = memory_settings([LARGE], MACHINE, pipeline_cost, store, SWEPT_BYTES, bounds_all=True)
    assert choice.chosen.memory_bytes == max(SWEPT_BYTES)
    # Elsewhere it is the least memory that makes one batch: more batches gain nothing.
    small = memory_settings([LARGE], MACHINE, pipeline_cost, store, SWEPT_BYTES)
    assert small.chosen.batches == 1
    fewer = max(each for each in SWEPT_BYTES if each < small.chosen.memory_bytes)
    assert pipeline_cost([LARGE], fewer, MACHINE, store).batches > 1


def node(kind: str, rows: float, width: int, *below: dict[str, Any]) -> dict[str, Any]:
    of = ("Outer", "Inner", "SubPlan")
    plans = [{"Parent Relationship": side, **each} for side, each in zip(of, below, strict=False)]
    return {"Node Type": kind, "Plan Rows": rows, "Plan Width": width, "Plans": plans}


def test_joins_of_a_plan_are_found_with_their_sides() -> None:
    """The second side of a hash join is the hash; joins below it are joins of the plan too."""
    hashed, subplan = node("Hash", 20, 4), node("Index Scan", 1, 4)
    inner = node("Hash Join", 50, 12, node("Seq Scan", 400, 8), hashed, subplan)
    outer = node("Hash Join", 9, 20, node("Seq Scan", 1000, 16), node("Hash", 50, 12, inner))
    first, second = hash_joins(node("Aggregate", 1, 8, outer))
    assert (first.build_rows, first.probe_rows, first.joined_rows) == (50, 1000, 9)
    assert (second.build_rows, second.probe_rows) == (20, 400)
    assert (first.build_bytes, first.probe_bytes) == (50 * 32, 1000 * 36)


def test_measured_rows_come_before_estimated_ones() -> None:
    ran = {"Actual Rows": 7, "Actual Loops": 3}
    join = node("Hash Join", 9, 20, node("Seq Scan", 9, 8) | ran, node("Hash", 20, 4))
    (found,) = hash_joins(join)
    assert (found.probe_rows, found.build_rows) == (21, 20)


def test_a_hash_table_has_the_size_that_postgresql_tells() -> None:
    """Measured: "Peak Memory Usage" of 94,130 kB for 1,000,000 rows of 49 bytes in one batch."""
    assert table_bytes(1e6, 49) == pytest.approx(94_130 * 1024, rel=0.01)
