"""The work of finding rows by an index, by how a store's rows lie."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from math import expm1, log1p

from placement.fragment import IndexRead, LookUp
from placement.fragments.look_ups import DEARER_ORDERED
from workloads.catalog import Column, Table
from workloads.footprint import Source
from workloads.indexes import Index, NamedIndex

HEAP_PAGE_BYTES = 8 << 10
CLUSTERED_PAGE_BYTES = 16 << 10
"""Bytes of a page where rows lie as they came (PostgreSQL), and by their key (InnoDB)."""
MOST_SHARE = 0.3
"""The share of a table's rows beyond which no store reads it by an index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFinding:
    """A share of a table's rows that an index finds by a number of keys."""

    table: Table
    source: Source
    index: Index
    share: float
    keys: float
    spared_rows: float = 0.0

    def reads(self) -> Iterator[IndexRead]:
        """Yield the reads in a store of each layout that reads less than the whole table."""
        if self.share <= MOST_SHARE:
            yield from (each for each in (self._heap(), self._clustered()) if each.spared_bytes > 0)

    def _heap(self) -> IndexRead:
        """Return the read of rows that lie as they came.

        Of rows whose order is that of the index, a part is read in order: the square of the
        correlation, as PostgreSQL interpolates (cost_index).
        """
        column = column_of(self.table, self.index.columns[0])
        known = None if column is None else column.statistics
        ordered = ((known and known.correlation) or 0.0) ** 2
        return self._read(clustered=False, ordered=ordered)

    def _clustered(self) -> IndexRead:
        """Return the read of rows in the order of their primary keys.

        An index of this layout ends with the primary key. What has all columns of the query is
        read in order, without the rows.
        """
        key = tuple(name.lower() for name in self.table.primary_key)
        columns = tuple(name.lower() for name in self.index.columns)
        if columns == key:
            return self._read(clustered=True, ordered=1.0)
        if {name.lower() for name in self.source.columns} <= {*columns, *key}:
            width = sum(_width(self.table, name) for name in {*columns, *key})
            share = width / max(1.0, self.table.row_bytes)
            return self._read(clustered=True, ordered=1.0, width_share=min(1.0, share))
        return self._read(clustered=True, ordered=0.0)

    def _read(self, *, clustered: bool, ordered: float, width_share: float = 1.0) -> IndexRead:
        in_order = ordered * DEARER_ORDERED * self.share * width_share
        found = self.share * self.table.rows * (1.0 - ordered)
        pages = self.table.bytes / (CLUSTERED_PAGE_BYTES if clustered else HEAP_PAGE_BYTES)
        return IndexRead(
            source=self.source.name,
            clustered=clustered,
            rows=max(self.keys, found),
            touched_bytes=self.table.bytes * _touched_share(found, pages),
            fetched_pages=found,
            table_bytes=float(self.table.bytes),
            spared_bytes=self.table.bytes * max(0.0, 1.0 - in_order),
            spared_rows=self.spared_rows,
            index=self._chosen,
        )

    @property
    def _chosen(self) -> NamedIndex | None:
        if not self.index.is_chosen:
            return None
        return NamedIndex(self.table.name, self.index.columns)


def spared_once(reads: Iterable[IndexRead], looked_up: Collection[LookUp]) -> tuple[IndexRead, ...]:
    """Return reads without the rows that look-ups of the same sources spare a join already."""
    spared = {each.source: each.spared_rows for each in looked_up}
    return tuple(
        replace(each, spared_rows=max(0.0, each.spared_rows - spared[each.source]))
        if each.source in spared
        else each
        for each in reads
    )


def column_of(table: Table, name: str) -> Column | None:
    """Return a table's column, its name in any case; None where there is none."""
    return next((each for each in table.columns if each.name.lower() == name.lower()), None)


def _touched_share(rows: float, pages: float) -> float:
    """Return in which share of `pages` so many rows lie that are anywhere in them.

    Cardenas, "Analysis and Performance of Inverted Data Base Structures", CACM 1975.
    """
    return -expm1(rows * log1p(-1.0 / pages)) if pages > 1.0 else min(rows, 1.0)


def _width(table: Table, name: str) -> float:
    column = column_of(table, name)
    return 0.0 if column is None else column.width_bytes
