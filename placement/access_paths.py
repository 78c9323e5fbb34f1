"""The access paths of a fragment's sources in a store: scans, or indexes where these are cheaper.

Selinger et al., "Access Path Selection in a Relational Database Management System", SIGMOD 1979.
"""

from placement.fragment import EstimatedWork, IndexRead
from placement.stores import Strength
from workloads.indexes import NamedIndex

CHOOSING_RATES = frozenset(
    {"scan_bytes_per_s", "join_rows_per_s", "index_rows_per_s", "missed_bytes_per_s"}
)
"""The rates of a store that decide between a scan and an index."""


def cheapest_reads(estimated: EstimatedWork, strength: Strength) -> tuple[IndexRead, ...]:
    """Return the reads by indexes that are cheaper than scans in a store, one a source at most."""
    if strength.index_rows_per_s is None:
        return ()
    best: dict[str, tuple[float, IndexRead]] = {}
    for each in estimated.index_reads:
        if each.clustered is not strength.clustered or not _has(strength, each):
            continue
        gain_s = preferred_s(each, estimated, strength)
        if gain_s > (best[each.source][0] if each.source in best else 0.0):
            best[each.source] = gain_s, each
    return tuple(each for _, each in best.values())


def chosen_reads(estimated: EstimatedWork, strength: Strength) -> tuple[NamedIndex, ...]:
    """Return the indexes that were chosen for a store's copies, of those that it reads by."""
    read = {each.index for each in cheapest_reads(estimated, strength) if each.index is not None}
    return tuple(sorted(read))


def preferred_s(read: IndexRead, estimated: EstimatedWork, strength: Strength) -> float:
    """Return by how many seconds a read by an index is faster than a scan, at least.

    That is `spared_s` with what the scan would read from the store's disk, of this table alone.
    """
    kept, scanned = strength.kept_bytes, read.spared_bytes
    missed = 0.0
    if kept is not None and scanned > kept and strength.index_rows_per_s is not None:
        missed = scanned * (1.0 - (kept / scanned) ** 2)
    return spared_s(read, estimated, strength) + missed / strength.missed_bytes_per_s


def spared_s(read: IndexRead, estimated: EstimatedWork, strength: Strength) -> float:
    """Return by how many seconds a read by an index is faster than a scan that is in memory.

    A store without a rate of indexes spares nothing.
    """
    if strength.index_rows_per_s is None:
        return 0.0
    return (
        read.spared_bytes / strength.scan_bytes_per_s
        + read.spared_rows / strength.join_rows_per_s
        - read.rows / strength.index_rows_per_s
        - missed_bytes(read, estimated, strength) / strength.missed_bytes_per_s
    )


def missed_bytes(read: IndexRead, estimated: EstimatedWork, strength: Strength) -> float:
    """Return the bytes of pages that a read by an index takes from the store's disk.

    The tables of a query share the pool by their sizes, so that reads of several sources add up.
    Pages are asked for in no order: of more than their share each is missed as often as any other.
    """
    if strength.pool_bytes is None:
        return 0.0
    others = max(1.0, estimated.query_bytes / read.table_bytes) if read.table_bytes else 1.0
    share = strength.pool_bytes / others
    if read.touched_bytes <= share:
        return 0.0
    return read.fetched_bytes * (1.0 - share / read.touched_bytes)


def _has(strength: Strength, read: IndexRead) -> bool:
    return read.index is None or read.index in strength.indexes
