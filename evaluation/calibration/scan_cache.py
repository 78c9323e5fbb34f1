"""What of its tables a store finds in memory when it reads them again, and what the rest takes."""

from dataclasses import dataclass, replace

from evaluation.calibration.disk import DiskProfile
from evaluation.calibration.server_settings import ServerSettings
from evaluation.calibration.uncached_file import PageCache
from placement.stores import Strength


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanCache:
    """`bytes` are found in memory, others come at `missed_bytes_per_s`: both of the catalog's.

    `stored_share` is how many bytes the store's own format takes for one of the catalog's.
    """

    bytes: float
    missed_bytes_per_s: float
    stored_share: float

    def strength(self, of: Strength) -> Strength:
        """Return a store's strength with what is known of its memory."""
        return replace(of, cache_bytes=self.bytes, missed_bytes_per_s=self.missed_bytes_per_s)


def scan_cache(
    settings: ServerSettings, disk: DiskProfile, *, table_bytes: int, memory_bytes: int
) -> ScanCache | None:
    """Return what a store of this machine keeps of tables that it reads in order; None if unknown.

    `table_bytes` are the catalog's bytes of the tables that `settings.stored_bytes` are of. What
    reads through the operating system's page cache finds as much as the machine's memory holds,
    and the disk sees its reads come. InnoDB past it finds the old part of its pool, and waits for
    each page.
    """
    single = disk.single_read
    rate = disk.sequential_read if not settings.reads_past_page_cache else single
    if rate is None or rate.page_cache is PageCache.KEPT:
        return None
    kept = settings.found_again_bytes if settings.reads_past_page_cache else memory_bytes
    if kept is None:
        return None
    share = 1.0
    if settings.stored_bytes and table_bytes:
        share = settings.stored_bytes / table_bytes
    return ScanCache(
        bytes=kept / share, missed_bytes_per_s=rate.bytes_per_s / share, stored_share=share
    )
