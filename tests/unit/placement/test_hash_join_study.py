"""The study's figures come out of its machine: hash joins on SSDs and HDDs."""

from dataclasses import replace
from itertools import pairwise

import pytest

from placement.memory.choice import choose
from placement.memory.disk import DiskRates
from placement.memory.hybrid_hash import JoinCost, batches, pipeline_cost
from placement.memory.machine import Machine
from tests.unit.placement.study import (
    DRAM_S,
    GB,
    HDD_PROBING_S,
    KB,
    L3_BYTES,
    MB,
    ON_HDD,
    ON_SSD,
    SSD_PROBING_S,
    STORE,
    SWEEP,
    TABLE_BYTES,
    orders_join,
    single_join,
)


def single(memory_bytes: float, machine: Machine) -> JoinCost:
    return pipeline_cost([single_join(memory_bytes)], memory_bytes, machine, STORE)


def io_s(cost: JoinCost) -> float:
    assert cost.io_s is not None
    return cost.io_s


SMALL = [each for each in SWEEP if each <= 16 * MB]


def test_io_is_flat_from_64_kb_to_16_mb_on_ssd() -> None:
    """Figure 3a: "approximately not changed in every point"."""
    on_ssd = [io_s(single(each, ON_SSD)) for each in SMALL]
    assert max(on_ssd) / min(on_ssd) < 1.15


def test_io_grows_on_hdd_as_memory_shrinks() -> None:
    """Figure 3b: the smaller work_mem is, the more I/O cost is stacked up."""
    on_hdd = [io_s(single(each, ON_HDD)) for each in SMALL]
    assert on_hdd == sorted(on_hdd, reverse=True)
    assert on_hdd[0] > 1.5 * on_hdd[-1]
    assert all(io_s(single(each, ON_SSD)) < io_s(single(each, ON_HDD)) for each in SWEEP)


def test_cpu_is_flat_up_to_16_mb_and_grows_from_32_mb() -> None:
    """Figures 3a and 4, without the lengths of buckets, which differ only in small memory."""

    def cpu_s(memory_bytes: float) -> float:
        join = replace(single_join(256 * KB), references=single_join(GB).references)
        return pipeline_cost([join], memory_bytes, ON_SSD, STORE).cpu_s

    small = [cpu_s(each) for each in SMALL]
    assert max(small) == pytest.approx(min(small))
    above = [cpu_s(each) for each in SWEEP if 16 * MB <= each <= GB]
    assert above == sorted(above)
    assert all(less < more for less, more in pairwise(above))


def test_7e9_more_misses_at_1_gb_than_at_4_mb_cost_700_s() -> None:
    """Section 5.2. The study counted them, here they follow from sizes and lengths of buckets."""
    small, large = single(4 * MB, ON_SSD), single(GB, ON_SSD)
    assert large.misses - small.misses == pytest.approx(7e9, rel=0.1)
    # The buckets are longer, but what is in the cache costs nothing.
    assert large.cpu_s - small.cpu_s == pytest.approx(700, rel=0.1)
    assert large.cpu_s - small.cpu_s == pytest.approx((large.misses - small.misses) * DRAM_S)


def test_longer_buckets_make_3e9_more_misses_from_512_mb_to_1_gb() -> None:
    """Section 5.2: (10.5 - 5.7) · 6e8, "which fits the difference"."""
    more = single(GB, ON_SSD).misses - single(512 * MB, ON_SSD).misses
    assert more == pytest.approx(3e9, rel=0.1)


def test_there_is_one_batch_above_800_mb() -> None:
    """Section 5.2: nothing is spilled then, and more memory changes nothing."""
    assert batches(TABLE_BYTES, 512 * MB) == 2
    assert batches(TABLE_BYTES, TABLE_BYTES) == 1
    one, more = single(GB, ON_SSD), single(2 * GB, ON_SSD)
    assert (one.batches, one.spilled_bytes, one.request_bytes) == (1, 0, None)
    assert more.seconds == one.seconds


def test_three_tables_fill_the_cache_at_8_mb_each() -> None:
    """Section 5.3: query 8 has three hash tables at once, so 8 MB of work_mem fill the L3 cache."""

    def cost(memory_bytes: float, tables: int) -> JoinCost:
        joins = [replace(orders_join(), table_bytes=512 * MB)] * tables
        return pipeline_cost(joins, memory_bytes, ON_SSD, STORE)

    assert cost(8 * MB, 3).table_bytes == L3_BYTES
    assert cost(8 * MB, 3).misses == 0
    assert cost(16 * MB, 3).misses > 0
    assert cost(16 * MB, 1).misses == 0


def test_probing_is_2_7_times_slower_on_hdd_at_128_kb() -> None:
    """Section 5.3, figure 7: 350 s after 130 s. No figure here was fitted to it: 2.7 come out."""
    memory = 128 * KB
    disk = ON_HDD.disk
    assert disk is not None
    cost = pipeline_cost([orders_join()], memory, ON_HDD, STORE)
    assert cost.request_bytes is not None
    read_s = reading_s(disk, cost)
    assert read_s / SSD_PROBING_S == pytest.approx(HDD_PROBING_S / SSD_PROBING_S, rel=0.03)
    on_ssd = ON_SSD.disk
    assert on_ssd is not None
    # The SSDs are waited for by nobody: the processor takes longer.
    assert reading_s(on_ssd, cost) < SSD_PROBING_S


def reading_s(disk: DiskRates, cost: JoinCost) -> float:
    """Return the disk's seconds of reading the batches of query 8's join."""
    join = orders_join()
    assert cost.request_bytes is not None
    files = [
        disk.partition_read_s(side / cost.batches, cost.request_bytes)
        for side in (join.build_bytes, join.probe_bytes)
    ]
    return (cost.batches - 1) * sum(map(sum, files))


def test_rows_in_the_order_of_their_keys_miss_a_quarter() -> None:
    """Section 6: four rows of lineitem with one orderkey lie one after another."""
    clustered = pipeline_cost([orders_join()], GB, ON_SSD, STORE)
    spread = pipeline_cost([replace(orders_join(), successive=1.0)], GB, ON_SSD, STORE)
    assert clustered.misses == pytest.approx(spread.misses / 4)


def test_the_single_join_wants_little_memory_on_ssd_and_more_on_hdd() -> None:
    """Section 6: on SSDs the table should fit the cache, on HDDs I/O asks for more memory."""
    on_ssd = choose([single(each, ON_SSD) for each in SWEEP]).chosen
    on_hdd = choose([single(each, ON_HDD) for each in SWEEP]).chosen
    assert on_ssd.memory_bytes <= L3_BYTES
    assert on_hdd.memory_bytes > on_ssd.memory_bytes
