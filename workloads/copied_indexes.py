"""Indexes that copies of a table get, and what these take."""

from workloads.catalog import Catalog, Table
from workloads.indexes import Index

_ENTRY_BYTES = 12
"""Bytes of an entry of an index beside its values: its header and its pointer in PostgreSQL."""


def copied_indexes(table: Table) -> tuple[Index, ...]:
    """Return the indexes that a copy gets in a store that makes any, beside its primary key."""
    return tuple(each for each in table.indexes if not each.obstacle)


def copy_bytes(table: Table) -> int:
    """Return the size of a copy: that of the rows, and of the indexes that copies get."""
    entry_bytes = sum(
        _ENTRY_BYTES + sum(table.column(name).width_bytes for name in each.columns)
        for each in copied_indexes(table)
    )
    return table.bytes + round(table.rows * entry_bytes)


def copies_bytes(catalog: Catalog) -> int:
    """Return the size of one copy of each table."""
    return sum(map(copy_bytes, catalog.tables.values()))
