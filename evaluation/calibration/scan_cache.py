"""The scan cache of a store: how much of a table it keeps, and how fast it reads the rest."""

from dataclasses import dataclass, replace

from evaluation.calibration.disk import DiskProfile
from evaluation.calibration.uncached_file import PageCache
from evaluation.server_settings.settings import ServerSettings
from placement.stores import Strength


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanCache:
    """`kept_bytes` are found in memory, others come at `missed_bytes_per_s`: of the catalog's.

    `stored_bytes_per_byte` is what the store's own format takes for one of the catalog's. Of pages
    that are asked for in no order it keeps `pool_bytes` of the catalog's, and others come at
    `missed_pages_per_s`: both None where the disk was not asked for single pages.
    """

    kept_bytes: float
    missed_bytes_per_s: float
    stored_bytes_per_byte: float
    pool_bytes: float | None = None
    missed_pages_per_s: float | None = None

    def strength(self, of: Strength) -> Strength:
        """Return a store's strength with what is known of its memory."""
        known = replace(of, kept_bytes=self.kept_bytes, missed_bytes_per_s=self.missed_bytes_per_s)
        if self.pool_bytes is None or self.missed_pages_per_s is None:
            return known
        return replace(
            known, pool_bytes=self.pool_bytes, missed_pages_per_s=self.missed_pages_per_s
        )


def scan_cache(
    settings: ServerSettings, disk: DiskProfile, *, table_bytes: int, memory_bytes: int
) -> ScanCache | None:
    """Return what a store of this machine keeps of tables that it reads in order; None if unknown.

    `table_bytes` are the catalog's bytes of the tables that `settings.stored_bytes` are of. What
    reads through the operating system's page cache finds as much as the machine's memory holds at
    the most, and the disk sees its reads come. InnoDB past it finds the old part of its pool, and
    waits for most of the pages that it lacks: where some are there, it hardly reads ahead. Pages
    that an index finds again and again become young, and have all of the pool.
    """
    single = disk.single_read
    rate = disk.sequential_read if not settings.reads_past_page_cache else single
    if rate is None or rate.page_cache is PageCache.KEPT:
        return None
    kept = settings.found_again_bytes if settings.reads_past_page_cache else memory_bytes
    if kept is None:
        return None
    stored = 1.0
    if settings.stored_bytes and table_bytes:
        stored = settings.stored_bytes / table_bytes
    found = ScanCache(
        kept_bytes=kept / stored,
        missed_bytes_per_s=rate.bytes_per_s / stored,
        stored_bytes_per_byte=stored,
    )
    pool = settings.cache_bytes if settings.reads_past_page_cache else memory_bytes
    if pool is None or single is None or single.page_cache is PageCache.KEPT:
        return found
    pages_per_s = single.reads / single.seconds
    return replace(found, pool_bytes=pool / stored, missed_pages_per_s=pages_per_s)
