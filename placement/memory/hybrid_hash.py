"""Hybrid hash joins over a machine: batches, what is spilled, I/O and cache misses.

A hybrid hash join (the study, section 3.1) splits both sides into batches so that the hash table of
one fits into the working memory. The first batch is joined at once, the others are written to a
file for each side and batch, and joined one after another. PostgreSQL, MySQL 8 and DuckDB join in
this way.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import LookedUp, Machine, Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinCost:
    """The cost of one pipeline's hash joins, with one working memory each.

    `batches` are those of the join with most. `spilled_bytes` are written once and read once, in
    requests of `request_bytes`; None where nothing is spilled, or no disk is known. `table_bytes`
    is the memory of all hash tables that are alive at once. `misses` are references that wait for
    memory. `io_s` None: no disk is known. The two phases, partitioning and probing, each last as
    long as the longer of CPU and I/O: the disk works while the processor does. The first request
    of each file is waited for.
    """

    memory_bytes: float
    batches: int
    spilled_bytes: float
    request_bytes: float | None
    table_bytes: float
    misses: float
    cpu_s: float
    io_s: float | None
    seconds: float


def batches(table_bytes: float, memory_bytes: float, buffer_bytes: float = 0.0) -> int:
    """Return the number of batches: n = S / working memory, rounded up to a power of two.

    The study has n = S / memory. PostgreSQL, which it measured, and MySQL and DuckDB number their
    batches by bits of the hash. PostgreSQL 18 halves them as long as their buffers, of which one is
    `buffer_bytes`, take as much as the hash table of a batch: it takes more memory than the setting
    then, but less in all.
    """
    if memory_bytes <= 0:
        raise ValueError(f"working memory must be above 0 bytes, not {memory_bytes}")
    needed = table_bytes / memory_bytes
    number = 1 if needed <= 1 else 1 << math.ceil(math.log2(needed))
    while number > 1 and number * buffer_bytes >= table_bytes / number:
        number //= 2
    return number


def pipeline_cost(
    joins: Sequence[HashJoin],
    memory_bytes: float,
    machine: Machine,
    store: StoreJoins,
    *,
    queries: int = 1,
) -> JoinCost:
    """Return what joins cost whose hash tables are alive at once, as each has `memory_bytes`.

    The rows that leave one join's probe look up the next (the study, section 5.3), so their tables
    share the caches. So do those of `queries` that run at the same time, each on a core of its
    own; they share the disk as well, and its seconds are those of all.
    """
    numbers = [_batches(join, memory_bytes, store) for join in joins]
    sizes = [join.table_bytes / number for join, number in zip(joins, numbers, strict=True)]
    tables = [
        looked_up(join, size, store, number)
        for join, size, number in zip(joins, sizes, numbers, strict=True)
    ]
    phases = [
        _phases(join, number, wait, machine, store, queries=queries)
        for join, number, wait in zip(joins, numbers, machine.waits(tables, queries), strict=True)
    ]
    partition_s = sum(each.partition_s for each in phases)
    probe_s = sum(each.probe_s for each in phases)
    io = [each.io_s for each in phases if each.io_s is not None]
    written_s, waited_s, ahead_s = (sum(each[part] for each in io) for part in range(3))
    requests = [each.request_bytes for each in phases if each.request_bytes is not None]
    return JoinCost(
        memory_bytes=memory_bytes,
        batches=max(each.batches for each in phases),
        spilled_bytes=sum(each.spilled_bytes for each in phases),
        request_bytes=min(requests, default=None),
        table_bytes=sum(sizes) * queries,
        misses=sum(each.misses for each in phases),
        cpu_s=partition_s + probe_s,
        io_s=written_s + waited_s + ahead_s if machine.disk is not None else None,
        seconds=max(partition_s, written_s) + waited_s + max(probe_s, ahead_s),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phases:
    """One join: CPU seconds of its two phases, and the disk's (None: no disk is known).

    `io_s` are those of writing, of the first requests of files that are read, and of later ones.
    """

    batches: int
    spilled_bytes: float
    request_bytes: float | None
    misses: float
    partition_s: float
    probe_s: float
    io_s: tuple[float, float, float] | None


def looked_up(join: HashJoin, used_bytes: float, store: StoreJoins, times: int) -> LookedUp:
    """Return a join's table as caches see it: `used_bytes` of it at once, so many `times`.

    It takes more of a cache than its size, since rows that stream by go through the cache too.
    """
    return LookedUp(
        used_bytes=used_bytes / store.cache_share,
        density=join.looked_up / times / max(1.0, used_bytes),
    )


def _batches(join: HashJoin, memory_bytes: float, store: StoreJoins) -> int:
    return batches(join.table_bytes, memory_bytes * store.table_share, store.buffer_bytes)


def _phases(
    join: HashJoin,
    number: int,
    wait: Wait,
    machine: Machine,
    store: StoreJoins,
    *,
    queries: int,
) -> _Phases:
    # The first batch stays in memory: that makes the join hybrid.
    spilled = 1.0 - 1.0 / number
    missed_s = join.looked_up * wait.seconds * store.misses
    spilling_s = join.rows * spilled * store.spilled_row_s / 2
    probing_s = join.probe_rows * store.row_s + join.joined_rows * store.joined_row_s + missed_s
    request, io = _io(join, number, spilled, machine, queries)
    return _Phases(
        batches=number,
        spilled_bytes=join.spillable_bytes * spilled,
        request_bytes=request,
        misses=join.looked_up * wait.from_memory,
        # The first batch is probed while the others are still written.
        partition_s=join.build_rows * store.row_s + spilling_s + probing_s * (1 - spilled),
        probe_s=spilling_s + probing_s * spilled + (number - 1) * store.batch_s,
        io_s=io,
    )


def _io(
    join: HashJoin, number: int, spilled: float, machine: Machine, queries: int
) -> tuple[float | None, tuple[float, float, float] | None]:
    """Return the bytes of a request for spilled rows, and the seconds of writing and reading."""
    disk = machine.disk
    if disk is None:
        return None, None
    written = join.spillable_bytes * spilled
    # While one side is split, a file for each later batch is written in turn.
    request = disk.run_bytes((number - 1) * queries)
    kept = machine.page_cache_bytes / queries
    write_s = disk.scan_s(join.scanned_bytes, written if kept < written else 0.0, request)
    waited_s = ahead_s = 0.0
    for side in (join.build_bytes, join.probe_bytes):
        from_disk = side / number * _evicted_share(written, kept)
        first_s, later_s = disk.partition_read_s(from_disk, request)
        waited_s += first_s * (number - 1)
        ahead_s += later_s * (number - 1)
    seconds = (write_s * queries, waited_s * queries, ahead_s * queries)
    return (request if written else None), seconds


def _evicted_share(written: float, kept: float) -> float:
    """Return the share of spilled bytes that are read from the disk, by a cache of `kept` bytes.

    The cache has the newest bytes of all files when reading begins. What is read of the first files
    takes the place of what later ones have there. With S written and C kept, r bytes read from the
    disk after a share x of the files grow by S - (C - r): r = (S - C) · (e - 1) after all.
    """
    if written <= kept:
        return 0.0
    return min(1.0, (1 - kept / written) * (math.e - 1))
