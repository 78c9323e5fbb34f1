"""The machine and the joins of the study on hash joins and SSDs (Suzuki and others, ADC 2014).

The study's text gives ratios of its disks, and its pictures have no numbers. Each figure here is
the text's own, or is derived from the text as the comment beside it says.
"""

from dataclasses import replace

from placement.memory.disk import DiskRates
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import CacheLevel, Machine

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
LINEITEM_ROWS, LINEITEM_BYTES = 6e8, 86e9
PART_ROWS, PART_BYTES = 2e7, 20e9
TABLE_BYTES = 800 * MB
DRAM_S = 100e-9
# Table 1.
L3_BYTES = 24 * MB
# Section 5.3, figures 7a and 7b: the scan of lineitem, and the probing after it, at 128 kB.
SSD_SCAN_S, HDD_SCAN_S = 550 - 90, 700 - 100
SSD_PROBING_S, HDD_PROBING_S = 680 - 550, 1050 - 700
# Section 4.3: three bytes are read for each one that is written, as in the hash joins; so a scan of
# lineitem writes a third of it. That is 48 bytes for each of its rows.
PROBE_BYTES = LINEITEM_BYTES / 3
# Section 4.3: 0.74 of the rate of reading alone is left while there are writes. The scan of
# lineitem waits for the HDDs, so that it tells this rate.
HDD_MIXED = LINEITEM_BYTES / HDD_SCAN_S
HDD_SEQUENTIAL = HDD_MIXED / 0.74
# Section 4.2.
SSD_SEQUENTIAL = 3.1 * HDD_SEQUENTIAL
SMALL_REQUESTS, LARGE_REQUESTS = 23.7, 8.6
# Section 3.2 has reads anywhere 100 to 1,000 times slower than in order on HDDs, and not by an
# order of magnitude on SSDs. Only with 100, for the smallest request, is this nearly so for SSDs
# whose reads anywhere are 23.7 times as fast.
SLOWEST = 100
SIZES = tuple(4 * KB << power for power in range(9))
# No text of the study: Linux writes a page at the latest 30 s after it was changed.
GATHERED_S = 30


def hdd_read_s(size: int) -> float:
    """A wait and the transfer: throughput is proportional to size while the wait is long."""
    wait_s = SIZES[0] * (SLOWEST - 1) / HDD_SEQUENTIAL
    return wait_s + size / HDD_SEQUENTIAL


def ssd_read_s(size: int) -> float:
    """23.7 times as fast for the smallest requests, 8.6 for the largest, never beyond in order."""
    share = SIZES.index(size) / (len(SIZES) - 1)
    times = SMALL_REQUESTS ** (1 - share) * LARGE_REQUESTS**share
    return max(hdd_read_s(size) / times, size / SSD_SEQUENTIAL)


# Writes have a third of the rate of the reads that they were mixed with: at least as much is known.
HDD = DiskRates(
    read_s={size: hdd_read_s(size) for size in SIZES},
    append_s={size: size / (HDD_MIXED / 3) for size in SIZES},
    sequential_read_bytes_per_s=HDD_SEQUENTIAL,
    mixed_read_bytes_per_s=HDD_MIXED,
    gathered_bytes=GATHERED_S * PROBE_BYTES / HDD_SCAN_S,
)
# Section 4.3: reading is as fast as alone while there are writes.
SSD = DiskRates(
    read_s={size: ssd_read_s(size) for size in SIZES},
    append_s={size: size / (SSD_SEQUENTIAL / 3) for size in SIZES},
    sequential_read_bytes_per_s=SSD_SEQUENTIAL,
    mixed_read_bytes_per_s=SSD_SEQUENTIAL,
    gathered_bytes=GATHERED_S * PROBE_BYTES / SSD_SCAN_S,
)
CACHES = (CacheLevel(size_bytes=L3_BYTES, miss_s=DRAM_S),)
ON_HDD, ON_SSD = Machine(caches=CACHES, disk=HDD), Machine(caches=CACHES, disk=SSD)
# Figure 7a: without a bottleneck of I/O, probing lasts as long as the processor takes for it.
STORE = StoreJoins(row_s=SSD_PROBING_S / LINEITEM_ROWS)
SWEEP = tuple(64 * KB << power for power in range(16))


def bucket_length(memory_bytes: float) -> float:
    """The mean length of a bucket as PostgreSQL had it then (section 5.2)."""
    if memory_bytes <= 64 * KB:
        return 2.2
    if memory_bytes <= 128 * KB:
        return 3.8
    return 5.7 if memory_bytes <= 512 * MB else 10.5


def single_join(memory_bytes: float) -> HashJoin:
    """Part and lineitem on partkey: a probe looks at the bucket, and at each row in it."""
    return HashJoin(
        build_rows=PART_ROWS,
        table_bytes=TABLE_BYTES,
        build_bytes=TABLE_BYTES,
        probe_rows=LINEITEM_ROWS,
        probe_bytes=PROBE_BYTES,
        scanned_bytes=LINEITEM_BYTES + PART_BYTES,
        references=1 + bucket_length(memory_bytes),
    )


def orders_join() -> HashJoin:
    """The join of query 8 with most I/O: 400 MB of hash table, probes in the order of keys."""
    return replace(
        single_join(128 * KB),
        build_rows=9e6,
        table_bytes=400 * MB,
        build_bytes=400 * MB,
        scanned_bytes=LINEITEM_BYTES,
        successive=4.0,
    )
