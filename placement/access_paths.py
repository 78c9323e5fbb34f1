"""The access paths of a fragment's sources in a store: scans, or indexes where these are cheaper.

Selinger et al., "Access Path Selection in a Relational Database Management System", SIGMOD 1979.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from placement.fragment import EstimatedWork, IndexRead
from placement.stores import Strength
from workloads.indexes import NamedIndex

CHOOSING_RATES = frozenset(
    {
        "scan_bytes_per_s",
        "scan_rows_per_s",
        "scan_values_per_s",
        "join_rows_per_s",
        "index_rows_per_s",
        "missed_bytes_per_s",
        "missed_pages_per_s",
    }
)
"""The rates of a store that decide between a scan and an index."""
_ROUNDING_S = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Combination:
    """Reads by indexes, one a source at most, with the bytes and seconds that they spare.

    The seconds are those of `worth_s`.
    """

    spared_bytes: float = 0.0
    spared_s: float = 0.0
    reads: tuple[IndexRead, ...] = ()

    def with_read(self, read: IndexRead, seconds: float) -> "_Combination":
        return _Combination(
            spared_bytes=self.spared_bytes + read.spared_bytes,
            spared_s=self.spared_s + seconds,
            reads=(*self.reads, read),
        )


def cheapest_reads(estimated: EstimatedWork, strength: Strength) -> tuple[IndexRead, ...]:
    """Return the reads by indexes that are cheaper than scans in a store, one a source at most.

    Where the tables are larger than the store's memory, the combination of reads is the one that
    takes least with what is read from the disk. So one index more never makes a fragment dearer, on
    which proven bounds rest.
    """
    offered = offered_reads(estimated, strength)
    if not offered:
        return ()
    fastest = _Combination()
    for reads in offered.values():
        seconds, read = max(reads, key=lambda each: each[0])
        fastest = fastest.with_read(read, seconds) if seconds > 0.0 else fastest
    read_bytes = scan_bytes(estimated, strength)
    if disk_s(read_bytes, estimated.tables_bytes, strength) == 0.0:
        return fastest.reads

    def taken_s(each: _Combination) -> float:
        left_bytes = read_bytes - each.spared_bytes
        return disk_s(left_bytes, estimated.tables_bytes, strength) - each.spared_s

    known, may_spare_s = taken_s(fastest), fastest.spared_s
    found = [_Combination()]
    for reads in offered.values():
        may_spare_s -= max(0.0, *(seconds for seconds, _ in reads))
        more = [each.with_read(read, seconds) for each in found for seconds, read in reads]
        found = [
            each
            for each in _undominated([*found, *more])
            # Without a byte from the disk it would still take longer than what is known.
            if -each.spared_s - may_spare_s <= known + _ROUNDING_S
        ]
    return min(found, key=taken_s).reads


def chosen_reads(estimated: EstimatedWork, strength: Strength) -> tuple[NamedIndex, ...]:
    """Return the indexes that were chosen for a store's copies, of those that it reads by."""
    read = {each.index for each in cheapest_reads(estimated, strength) if each.index is not None}
    return tuple(sorted(read))


def offered_reads(
    estimated: EstimatedWork, strength: Strength
) -> Mapping[str, Sequence[tuple[float, IndexRead]]]:
    """Return source → the reads by indexes that the store has, each after its worth."""
    found: dict[str, list[tuple[float, IndexRead]]] = {}
    if strength.index_rows_per_s is None:
        return found
    for each in estimated.index_reads:
        if each.clustered is strength.clustered and is_there(strength, each):
            seconds = worth_s(each, estimated, strength)
            found.setdefault(each.source, []).append((seconds, each))
    return found


def worth_s(read: IndexRead, estimated: EstimatedWork, strength: Strength) -> float:
    """Return by how many seconds a read by an index is faster than a scan of a table in memory.

    The read's own pages are not all in memory. A store without a rate of indexes spares nothing.
    """
    if strength.index_rows_per_s is None:
        return 0.0
    return (
        read.spared_bytes * scan_s_per_byte(estimated, strength)
        + read.spared_rows / strength.join_rows_per_s
        - read.rows / strength.index_rows_per_s
        - missed_pages(read, estimated, strength) / strength.missed_pages_per_s
    )


def missed_pages(read: IndexRead, estimated: EstimatedWork, strength: Strength) -> float:
    """Return the pages that a read by an index takes from the store's disk.

    A fragment's tables share the store's memory by their sizes, so that reads of several sources
    add up. Pages are asked for in no order: of more than a table's share each is missed as often as
    any other.
    """
    pool_bytes = strength.kept_bytes if strength.pool_bytes is None else strength.pool_bytes
    if pool_bytes is None:
        return 0.0
    others = max(1.0, estimated.tables_bytes / read.table_bytes) if read.table_bytes else 1.0
    share = pool_bytes / others
    if read.touched_bytes <= share:
        return 0.0
    return read.fetched_pages * (1.0 - share / read.touched_bytes)


def is_there(strength: Strength, read: IndexRead) -> bool:
    """Tell whether copies in the store have the index of a read."""
    return read.index is None or read.index in strength.indexes


def scan_bytes(estimated: EstimatedWork, strength: Strength) -> float:
    """Return the bytes that a store reads which scans all sources."""
    if strength.columnar:
        return estimated.column_bytes
    if strength.clustered and estimated.clustered_bytes is not None:
        return estimated.clustered_bytes
    if strength.key_ranges and estimated.key_range_bytes is not None:
        return estimated.key_range_bytes
    return estimated.scan_bytes


def read_rows(read_bytes: float, estimated: EstimatedWork) -> float:
    """Return the rows that so many bytes are, of what is read; 0 where their width is not known."""
    return read_bytes / estimated.read_row_bytes if estimated.read_row_bytes else 0.0


def scan_s_per_byte(estimated: EstimatedWork, strength: Strength) -> float:
    """Return the seconds of a byte that a scan in memory reads, with its share of a row's."""
    return 1.0 / strength.scan_bytes_per_s + read_rows(1.0, estimated) * strength.scan_row_s(
        estimated.read_row_values
    )


def disk_s(read_bytes: float, tables_bytes: float, strength: Strength) -> float:
    """Return the seconds of reading from the store's disk what its memory does not hold.

    A scan of tables that are larger than the cache evicts its own first pages: the hit rate is
    (cache / table bytes) squared. InnoDB misses somewhat more than that
    (``benchmarks/scan_cache.py``).
    """
    cache, working_set = strength.kept_bytes, min(read_bytes, tables_bytes)
    if cache is None or working_set <= cache:
        return 0.0
    return read_bytes * (1.0 - (cache / working_set) ** 2) / strength.missed_bytes_per_s


def _undominated(combinations: Iterable[_Combination]) -> list[_Combination]:
    """Return those of which no other spares as many bytes and as many seconds."""
    found: list[_Combination] = []
    for each in sorted(combinations, key=lambda each: (-each.spared_bytes, -each.spared_s)):
        if not found or each.spared_s > found[-1].spared_s:
            found.append(each)
    return found
