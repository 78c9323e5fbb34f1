"""Hash joins over a machine: disks, caches, passes, queries at the same time, the choice."""

from dataclasses import replace

import pytest

from placement.memory.block_hash import block_pipeline_cost, passes
from placement.memory.choice import choose, told_bytes
from placement.memory.disk import DiskRates
from placement.memory.hybrid_hash import JoinCost, batches, pipeline_cost
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import CacheLevel, LookedUp, Machine

KB, MB = 1 << 10, 1 << 20
DISK = DiskRates(
    read_s={4 * KB: 1e-4, 64 * KB: 2e-4},
    append_s={4 * KB: 1e-4, 64 * KB: 2e-4},
    sequential_read_bytes_per_s=1e9,
    mixed_read_bytes_per_s=0.5e9,
    gathered_bytes=1 * MB,
)
PRIVATE = CacheLevel(size_bytes=1 * MB, miss_s=10e-9, shared=False)
SHARED = CacheLevel(size_bytes=8 * MB, miss_s=90e-9)
MACHINE = Machine(caches=(PRIVATE, SHARED), disk=DISK)
STORE = StoreJoins(row_s=1e-7)
JOIN = HashJoin(
    build_rows=1e6, table_bytes=64 * MB, build_bytes=32 * MB, probe_rows=5e6, probe_bytes=128 * MB
)


def test_a_request_between_two_known_sizes_takes_what_lies_between() -> None:
    assert DISK.scattered_read_s(34 * KB, 34 * KB) == pytest.approx(1.5e-4)


def test_a_smaller_request_takes_as_long_as_the_smallest() -> None:
    assert DISK.scattered_read_s(KB, KB) == pytest.approx(1e-4)


def test_nothing_is_read_faster_anywhere_than_in_order() -> None:
    fast = replace(DISK, sequential_read_bytes_per_s=1e6)
    assert fast.scattered_read_s(2e6, 64 * KB) == pytest.approx(2.0)


def test_appends_take_from_reads_what_the_mixed_rate_says() -> None:
    """Three bytes are read in 6 ns instead of 3: the appended byte took 3 ns."""
    slowed = DISK.scan_s(3e9, 1e9, 1e9)
    assert slowed == pytest.approx(6.0)
    side_by_side = replace(DISK, mixed_read_bytes_per_s=1e9)
    assert side_by_side.scan_s(3e9, 1e8, 64 * KB) == pytest.approx(3.0)


def test_more_files_have_smaller_runs_within_the_known_sizes() -> None:
    assert [DISK.run_bytes(files) for files in (1, 32, 1024)] == [64 * KB, 32 * KB, 4 * KB]
    ahead = replace(DISK, read_ahead_bytes=16 * KB)
    assert [ahead.run_bytes(files) for files in (1, 32, 1024)] == [16 * KB, 16 * KB, 4 * KB]
    unknown = replace(DISK, gathered_bytes=None)
    assert unknown.run_bytes(1) == 4 * KB
    without = replace(DISK, read_ahead_bytes=0.0)
    assert without.run_bytes(1) == 4 * KB
    assert without.scan_s(3e9, 1e9, without.largest_bytes) > 0
    assert sum(without.partition_read_s(1e6, 4 * KB)) > 0


def test_a_partition_is_read_ahead_in_growing_windows() -> None:
    """As Linux does: four blocks at first, four times as much until a sixteenth, then twice."""
    steady = DiskRates(
        read_s={4 * KB: 1e-3, 8 * MB: 1e-3},
        append_s={4 * KB: 1e-3},
        sequential_read_bytes_per_s=1e12,
        mixed_read_bytes_per_s=1e12,
        gathered_bytes=None,
        read_ahead_bytes=8 * MB,
    )

    def requests(file_bytes: float, run_bytes: float = 8 * MB) -> tuple[float, float]:
        waited_s, ahead_s = steady.partition_read_s(file_bytes, run_bytes)
        return round(waited_s * 1e3, 3), round(ahead_s * 1e3, 3)

    assert requests(0) == (0, 0)
    assert requests(32 * KB) == (1, 0)
    # 32, 128, 512 kB, then the rest of 1 MB.
    assert requests(1 * MB) == (1, 3)
    # 32, 128, 512 kB, 1, 2, 4 MB make 7.66 MB: windows of 8 MB follow.
    assert requests(7.65625 * MB) == (1, 5)
    assert requests(31.65625 * MB) == (1, 8)
    # Runs of 64 kB: each is a request of its own.
    assert requests(160 * KB, 64 * KB) == (1, 2)
    little = replace(steady, read_ahead_bytes=128 * KB)
    # 16, 32, 64 and 128 kB.
    assert little.partition_read_s(240 * KB, MB) == pytest.approx((1e-3, 3e-3))


def test_the_first_request_of_a_partition_is_waited_for() -> None:
    slow = Machine(caches=(), disk=replace(DISK, read_s={4 * KB: 0.1, 64 * KB: 0.1}))
    cost = pipeline_cost([JOIN], 16 * MB, slow, STORE)
    assert cost.io_s is not None
    busy = pipeline_cost([JOIN], 16 * MB, slow, replace(STORE, row_s=1.0))
    # Three batches are read, of two files each.
    assert busy.seconds == pytest.approx(busy.cpu_s + 6 * 0.1)


def test_a_page_cache_that_is_read_through_keeps_less_than_it_holds() -> None:
    """Half of 120 MB fits, and 0.86 is read: what is read takes the place of the rest."""
    kept = pipeline_cost([JOIN], 16 * MB, replace(MACHINE, page_cache_bytes=60 * MB), STORE)
    all_read = pipeline_cost([JOIN], 16 * MB, MACHINE, STORE)
    assert kept.spilled_bytes == 120 * MB
    assert kept.io_s is not None
    assert all_read.io_s is not None
    assert 0.85 < kept.io_s / all_read.io_s < 0.95


def test_a_disk_without_rates_is_refused() -> None:
    with pytest.raises(ValueError, match="seconds of a read"):
        replace(DISK, read_s={})


def test_what_a_cache_has_room_for_does_not_miss() -> None:
    assert SHARED.missing_share(8 * MB) == 0
    assert SHARED.missing_share(32 * MB) == 0.75


def test_the_table_that_is_looked_up_most_for_its_size_stays_in_the_cache() -> None:
    """TPC-H's query 8: each line looks up a few parts, and few of them look up many orders."""
    parts = LookedUp(used_bytes=1 * MB, density=100.0)
    orders = LookedUp(used_bytes=14 * MB, density=0.1)
    assert SHARED.missing_shares([orders, parts]) == (0.5, 0.0)
    # Two queries have two of each.
    assert SHARED.missing_shares([orders, parts], 2) == (1 - 6 / 28, 0.0)
    first, second = MACHINE.waits([parts, orders])
    assert (first.seconds, first.from_memory) == (0.0, 0.0)
    assert second.from_memory == 0.5


def test_tables_that_are_looked_up_alike_share_the_cache_by_their_sizes() -> None:
    alike = [LookedUp(used_bytes=each * MB, density=1.0) for each in (4, 12)]
    assert SHARED.missing_shares(alike) == (0.5, 0.5)
    assert SHARED.missing_shares([]) == ()


def test_two_queries_share_the_shared_level_alone() -> None:
    """A table of 8 MB fits the shared cache once, and not twice."""
    alone = MACHINE.miss_s(8 * MB)
    assert alone == pytest.approx(10e-9 * 7 / 8)
    assert MACHINE.miss_s(8 * MB, queries=2) == pytest.approx(alone + 90e-9 / 2)


def test_queries_at_once_wait_for_each_others_io_and_hold_their_own_tables() -> None:
    one = pipeline_cost([JOIN], 4 * MB, MACHINE, STORE)
    two = pipeline_cost([JOIN], 4 * MB, MACHINE, STORE, queries=2)
    assert two.table_bytes == 2 * one.table_bytes
    assert one.io_s is not None
    assert two.io_s is not None
    assert two.io_s >= 2 * one.io_s


@pytest.mark.parametrize(("memory", "number"), [(64, 1), (63, 2), (32, 2), (31, 4), (1, 64)])
def test_batches_are_a_power_of_two(memory: int, number: int) -> None:
    assert batches(64, memory) == number


def test_postgresql_18_weighs_buffers_against_the_table() -> None:
    """Measured: 64 batches of 1.6 MB for a table of 92 MB, at each work_mem up to 2 MB."""
    table = 92 * MB
    asked = [batches(table, memory, 8 * KB) for memory in (64 * KB, MB, 2 * MB, 4 * MB, 128 * MB)]
    assert asked == [64, 64, 64, 32, 1]


def test_a_store_may_give_a_table_several_times_its_setting() -> None:
    """PostgreSQL's hash_mem_multiplier is 2 by default."""
    twice = pipeline_cost([JOIN], 8 * MB, MACHINE, replace(STORE, table_share=2.0))
    assert twice.batches == pipeline_cost([JOIN], 16 * MB, MACHINE, STORE).batches


@pytest.mark.parametrize("count", [batches, passes])
def test_no_memory_is_refused(count: type) -> None:
    with pytest.raises(ValueError, match="above 0"):
        count(1.0, 0.0)


def test_the_first_batch_is_not_spilled() -> None:
    cost = pipeline_cost([JOIN], 16 * MB, MACHINE, STORE)
    assert cost.batches == 4
    assert cost.spilled_bytes == JOIN.spillable_bytes * 3 / 4


def test_what_the_page_cache_keeps_asks_nothing_of_the_disk() -> None:
    kept = pipeline_cost([JOIN], MB, replace(MACHINE, page_cache_bytes=1e12), STORE)
    assert (kept.io_s, kept.spilled_bytes > 0) == (0, True)


def test_an_unknown_disk_has_no_seconds() -> None:
    cost = pipeline_cost([JOIN], MB, replace(MACHINE, disk=None), STORE)
    assert (cost.io_s, cost.request_bytes) == (None, None)
    assert cost.seconds == pytest.approx(cost.cpu_s)


def test_look_ups_under_way_at_once_wait_less() -> None:
    waits = pipeline_cost([JOIN], 64 * MB, MACHINE, STORE)
    overlaps = pipeline_cost([JOIN], 64 * MB, MACHINE, replace(STORE, misses=0.5))
    rows_s = JOIN.rows * STORE.row_s
    assert overlaps.cpu_s - rows_s == pytest.approx((waits.cpu_s - rows_s) / 2)
    assert overlaps.misses == waits.misses


def test_less_join_buffer_reads_the_other_side_more_often() -> None:
    """MariaDB spills nothing: 16 parts of the table need 16 passes."""
    machine = replace(MACHINE, caches=())
    one = block_pipeline_cost([JOIN], 64 * MB, machine, STORE)
    many = block_pipeline_cost([JOIN], 4 * MB, machine, STORE)
    assert (one.batches, many.batches) == (1, 16)
    assert one.spilled_bytes == many.spilled_bytes == 0
    assert one.io_s == 0
    assert many.io_s == pytest.approx(15 * JOIN.probe_bytes / 1e9)
    more_rows = 15 * JOIN.probe_rows
    assert many.cpu_s - one.cpu_s == pytest.approx(more_rows * STORE.row_s)


def costs(**seconds: float) -> list[JoinCost]:
    one = pipeline_cost([JOIN], MB, MACHINE, STORE)
    return [
        replace(one, memory_bytes=int(name[1:]) * MB, table_bytes=int(name[1:]) * MB, seconds=each)
        for name, each in seconds.items()
    ]


def test_the_smallest_setting_near_the_fewest_seconds_is_chosen() -> None:
    choice = choose(costs(_1=9.0, _2=5.05, _4=5.0, _8=7.0))
    assert choice.chosen.memory_bytes == 2 * MB
    assert choice.reason.startswith("2 MB takes 5.05 s in 64 batches; 1 MB takes 9.00 s")
    assert "8 MB takes 7.00 s" in choice.reason


def test_a_setting_that_does_not_fit_into_memory_is_not_chosen() -> None:
    choice = choose(costs(_1=9.0, _2=8.0, _4=5.0), memory_bytes=2 * MB)
    assert choice.chosen.memory_bytes == 2 * MB
    assert "do not fit into memory" in choice.reason
    assert choose(costs(_4=5.0, _8=4.0), memory_bytes=1).chosen.memory_bytes == 4 * MB


def test_a_choice_needs_a_setting() -> None:
    with pytest.raises(ValueError, match="at least one"):
        choose([])


def test_sizes_are_told_as_settings_are_written() -> None:
    told = [told_bytes(each) for each in (64 * KB, 2 * MB, 1024 * MB)]
    assert told == ["64 kB", "2 MB", "1 GB"]
