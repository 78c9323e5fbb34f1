"""What a store finds in memory when it reads a table again, and what reading past it costs."""

from dataclasses import replace

import pytest

from evaluation.calibration.disk import DiskProfile, ReadRate
from evaluation.calibration.scan_cache import scan_cache
from evaluation.calibration.uncached_file import PageCache
from evaluation.server_settings.settings import ServerSettings
from evaluation.stores.mysql.backend import MySQL
from placement.fragment_work import FragmentWork

MEMORY = 24_000
BYPASSED = ReadRate(reads=100, block_bytes=10, seconds=1.0, page_cache=PageCache.BYPASSED)
DISK = DiskProfile(
    file_bytes=1000,
    sequential_read=replace(BYPASSED, reads=700),
    single_read=replace(BYPASSED, reads=200),
)
POOL = ServerSettings(
    cache_bytes=500, found_again_bytes=185, stored_bytes=240, reads_past_page_cache=True
)
WORK = FragmentWork(
    scanned_bytes=3000.0,
    join_rows=0.0,
    aggregate_rows=0.0,
    rows_out=1.0,
    bytes_out=8.0,
    reducers=0,
    keys=0.0,
    combining=0.0,
    arriving=0,
    combined_rows=0.0,
    tables_bytes=1000.0,
)


def found(settings: ServerSettings, disk: DiskProfile = DISK):
    return scan_cache(settings, disk, table_bytes=200, memory_bytes=MEMORY)


def test_a_pool_past_the_page_cache_is_its_old_part_in_bytes_of_the_catalog():
    cache = found(POOL)
    assert cache is not None
    assert cache.stored_bytes_per_byte == pytest.approx(1.2)
    assert cache.kept_bytes == pytest.approx(185 / 1.2)
    assert cache.missed_bytes_per_s == pytest.approx(2000 / 1.2)
    # Pages that indexes ask for have all of it, and come one at a time.
    assert cache.pool_bytes == pytest.approx(500 / 1.2)
    assert cache.missed_pages_per_s == pytest.approx(200)


def test_tables_that_fit_in_all_of_the_pool_are_found_again_by_scans_too():
    cache = found(POOL)
    assert cache is not None
    known, most = cache.strength(MySQL().strength), 500 / 1.2
    assert known.holding(most) == replace(known, kept_bytes=None)
    assert most > cache.kept_bytes
    assert known.holding(most + 1) == known
    # Where single pages were not measured, its old part is all that is known.
    unknown = replace(known, pool_bytes=None)
    assert unknown.holding(1.0) == unknown


def test_what_reads_through_the_page_cache_has_the_machine_s_memory():
    cache = found(replace(POOL, reads_past_page_cache=False))
    assert cache is not None
    assert cache.kept_bytes == pytest.approx(MEMORY / 1.2)
    assert cache.missed_bytes_per_s == pytest.approx(7000 / 1.2)
    assert cache.pool_bytes == cache.kept_bytes
    assert cache.missed_pages_per_s == pytest.approx(200)


def test_a_store_that_does_not_say_what_it_stores_is_taken_for_the_catalog_s():
    cache = found(replace(POOL, stored_bytes=None))
    assert cache is not None
    assert (cache.kept_bytes, cache.stored_bytes_per_byte) == (185, 1.0)


def test_a_strength_has_what_is_known_of_the_memory():
    cache, plain = found(POOL), MySQL().strength
    known = cache.strength(plain)
    assert (known.kept_bytes, known.pool_bytes) == (cache.kept_bytes, cache.pool_bytes)
    assert known.missed_pages_per_s == cache.missed_pages_per_s
    # As an earlier version measured it.
    older = replace(cache, pool_bytes=None, missed_pages_per_s=None).strength(plain)
    assert (older.kept_bytes, older.pool_bytes) == (cache.kept_bytes, None)
    assert older.missed_pages_per_s == plain.missed_pages_per_s


def test_a_disk_whose_single_pages_nobody_measured_has_no_rate_of_them():
    cache = found(replace(POOL, reads_past_page_cache=False), replace(DISK, single_read=None))
    assert (cache.pool_bytes, cache.missed_pages_per_s) == (None, None)


def test_without_a_rate_of_the_disk_nothing_is_known():
    kept = replace(BYPASSED, page_cache=PageCache.KEPT)
    assert found(POOL, replace(DISK, single_read=None)) is None
    assert found(POOL, replace(DISK, single_read=kept)) is None
    assert found(replace(POOL, found_again_bytes=None)) is None


def test_tables_beyond_the_cache_are_read_from_the_disk_each_time():
    strength = MySQL().strength
    assert WORK.missed_s(strength) == 0
    small = replace(strength, kept_bytes=1000.0, missed_bytes_per_s=100.0)
    assert WORK.missed_s(small) == 0
    # Three readings, of which each finds a quarter of a quarter.
    quarter = replace(small, kept_bytes=250.0)
    assert WORK.missed_s(quarter) == pytest.approx(3 * 1000 * 15 / 16 / 100)
