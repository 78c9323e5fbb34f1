"""Block nested-loop hash joins over a machine: passes over one side, and cache misses.

MariaDB joins so (`join_cache_level` 3 and more): as many rows of one side as the join buffer takes
are hashed in it, the other side is read whole and looked up in them, and so on with the next rows.
Nothing is spilled: less memory is paid with more passes. The study has no such join. The parts
that it shares with hybrid hash joins (`hybrid_hash`) are the same.
"""

import math
from collections.abc import Sequence

from placement.memory.hybrid_hash import JoinCost, looked_up
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import Machine


def passes(table_bytes: float, memory_bytes: float) -> int:
    """Return how often the other side is read: once for each part that fits into the memory."""
    if memory_bytes <= 0:
        raise ValueError(f"working memory must be above 0 bytes, not {memory_bytes}")
    return max(1, math.ceil(table_bytes / memory_bytes))


def block_pipeline_cost(
    joins: Sequence[HashJoin],
    memory_bytes: float,
    machine: Machine,
    store: StoreJoins,
    *,
    queries: int = 1,
) -> JoinCost:
    """Return what joins cost whose buffers are alive at once, as each has `memory_bytes`.

    Caches and the disk are shared as in `hybrid_hash.pipeline_cost`. `batches` of the answer are
    the passes of the join with most. A side is read again from the page cache, as far as it holds
    it. `store.spilled_row_s` is of no use here, and `batch_s` is what a pass takes on its own.
    """
    memory = memory_bytes * store.table_share
    sizes = [min(join.table_bytes, memory) / store.table_share for join in joins]
    tables = [looked_up(join, size, store, 1) for join, size in zip(joins, sizes, strict=True)]
    cpu_s = misses = io_s = 0.0
    most = 1
    for join, wait in zip(joins, machine.waits(tables, queries), strict=True):
        number = passes(join.table_bytes, memory)
        cpu_s += (join.build_rows + number * join.probe_rows) * store.row_s
        cpu_s += join.joined_rows * store.joined_row_s
        cpu_s += join.looked_up * number * wait.seconds * store.misses
        cpu_s += (number - 1) * store.batch_s
        misses += join.looked_up * number * wait.from_memory
        again = max(0.0, join.probe_bytes - machine.page_cache_bytes / queries) * (number - 1)
        if machine.disk is not None:
            read_bytes = (join.scanned_bytes + again) * queries
            io_s += machine.disk.scan_s(read_bytes, 0.0, machine.disk.largest_bytes)
        most = max(most, number)
    return JoinCost(
        memory_bytes=memory_bytes,
        batches=most,
        spilled_bytes=0.0,
        request_bytes=None,
        table_bytes=sum(sizes) * queries,
        misses=misses,
        cpu_s=cpu_s,
        io_s=io_s if machine.disk is not None else None,
        seconds=max(cpu_s, io_s),
    )
