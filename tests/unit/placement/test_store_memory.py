"""The working memory of a store's hash joins, chosen from what a calibration found of it."""

from dataclasses import replace

from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.hash_joins import estimated_pipelines
from placement.memory.hash_table import spilled_bytes, table_bytes
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import CacheLevel
from placement.memory.store_memory import MOST_BYTES, StoreMemory
from placement.stores import Capability
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

KB, MB = 1 << 10, 1 << 20
CATALOG = shop()
FOOTPRINT = footprint(
    statement("SELECT sum(i_price) AS p FROM orders JOIN item ON i_order = o_id"), CATALOG, "duckdb"
)
CHAIN = (
    "SELECT c_name, sum(i_price) AS p FROM customer JOIN orders ON o_customer = c_id "
    "JOIN item ON i_order = o_id{condition} GROUP BY c_name"
)
MEMORY = StoreMemory(
    set_bytes=64 * MB,
    joins=StoreJoins(row_s=1e-7, spilled_row_s=1e-8, misses=1.0),
    caches=(CacheLevel(size_bytes=2 * MB, miss_s=100e-9),),
)
JOIN = HashJoin(
    build_rows=4e5,
    table_bytes=32 * MB,
    build_bytes=2e7,
    probe_rows=4e6,
    probe_bytes=1e8,
    joined_rows=4e6,
)


def test_a_table_that_fits_the_cache_is_worth_its_batches() -> None:
    found = MEMORY.choice([[JOIN]])
    assert found is not None
    assert found.chosen.memory_bytes <= 2 * MB
    assert found.chosen.seconds < MEMORY.cost([[JOIN]], 64 * MB).seconds
    assert {each.memory_bytes for each in found.curve} >= {64 * KB, 64 * MB}


def test_where_nothing_is_gained_sessions_keep_what_their_server_gives_them() -> None:
    dear = replace(MEMORY, joins=replace(MEMORY.joins, spilled_row_s=1e-6))
    assert dear.choice([[JOIN]]) is None


def test_a_gain_within_the_error_of_the_measured_joins_is_none():
    found = MEMORY.choice([[JOIN]])
    assert found is not None
    gain = 1 - found.chosen.seconds / MEMORY.cost([[JOIN]], MEMORY.set_bytes).seconds
    assert replace(MEMORY, error=gain * 0.9).choice([[JOIN]]) == found
    assert replace(MEMORY, error=gain * 1.1).choice([[JOIN]]) is None


def test_no_session_is_given_more_than_a_limit_or_than_its_server_gives_all() -> None:
    """Where one batch is best, a server of little memory is still not asked for much."""
    wants_much = replace(
        MEMORY,
        set_bytes=1 * MB,
        caches=(),
        joins=replace(MEMORY.joins, misses=0.0, spilled_row_s=1e-6),
    )
    large = replace(JOIN, table_bytes=1e9)
    found = wants_much.choice([[large]])
    assert found is not None
    assert found.chosen.memory_bytes == MOST_BYTES
    generous = replace(wants_much, set_bytes=256 * MB)
    assert generous.choice([[large]]) is None


def test_what_is_grouped_and_sorted_keeps_its_memory() -> None:
    found = MEMORY.choice([[JOIN]], least_bytes=5 * MB)
    assert found is None or found.chosen.memory_bytes >= 5 * MB


def test_pipelines_follow_one_another() -> None:
    one, two = MEMORY.cost([[JOIN]], MB), MEMORY.cost([[JOIN], [JOIN]], MB)
    assert two.seconds == 2 * one.seconds
    assert two.table_bytes == one.table_bytes


def test_the_largest_source_goes_through_the_others() -> None:
    estimator = Estimator(CATALOG, FOOTPRINT)
    whole = max(enumerate_fragments(FOOTPRINT, estimator), key=lambda each: len(each.sources))
    (pipeline,) = estimated_pipelines(whole, FOOTPRINT, estimator)
    (join,) = pipeline
    assert (join.build_rows, join.probe_rows, join.joined_rows) == (10_000, 50_000, 10_000)
    width = estimator.width(FOOTPRINT.blocks[0].name, ["orders"])
    assert join.table_bytes == table_bytes(10_000, width)
    assert join.build_bytes == spilled_bytes(10_000, width)


def test_rows_that_left_one_join_go_on_to_the_next() -> None:
    ((first, second),) = _chain("")
    assert (first.build_rows, first.probe_rows) == (10_000, 50_000)
    assert (second.build_rows, second.probe_rows) == (1_000, first.joined_rows)


def test_few_rows_so_far_are_hashed_and_a_new_pipeline_begins() -> None:
    """Of ten orders' items no table of 1,000 customers is made: they look up the ten."""
    (first,), (second,) = _chain(" WHERE o_id <= 10")
    assert first.probe_rows == 50_000
    assert first.build_rows < 20
    assert second.build_rows == first.joined_rows < 1_000
    assert second.probe_rows == 1_000


def _chain(condition: str) -> tuple[tuple[HashJoin, ...], ...]:
    read = footprint(statement(CHAIN.format(condition=condition)), CATALOG, "duckdb")
    estimator = Estimator(CATALOG, read)
    whole = max(enumerate_fragments(read, estimator), key=lambda each: len(each.sources))
    return estimated_pipelines(whole, read, estimator)


def test_a_scan_has_no_join() -> None:
    estimator = Estimator(CATALOG, FOOTPRINT)
    scans = [
        each for each in enumerate_fragments(FOOTPRINT, estimator) if each.kind is Capability.SCAN
    ]
    assert scans
    assert [_pipelines(each, estimator) for each in scans] == [()] * len(scans)


def _pipelines(fragment: Fragment, estimator: Estimator) -> tuple[tuple[HashJoin, ...], ...]:
    return estimated_pipelines(fragment, FOOTPRINT, estimator)
