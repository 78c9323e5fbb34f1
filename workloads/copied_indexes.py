"""Indexes that copies of a table get, and what these take."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workloads.catalog import Catalog, Table
from workloads.indexes import Index, NamedIndex

_ENTRY_BYTES = 12
"""Bytes of an entry of an index beside its values: its header and its pointer in PostgreSQL."""


def copied_indexes(table: Table) -> tuple[Index, ...]:
    """Return the indexes that a copy gets in a store that makes any, beside its primary key."""
    return tuple(each for each in table.indexes if not each.obstacle)


def copy_bytes(table: Table) -> int:
    """Return the size of a copy: that of the rows, and of the indexes that copies get."""
    entry_bytes = sum(_entry_bytes(table, each.columns) for each in copied_indexes(table))
    return table.bytes + round(table.rows * entry_bytes)


def index_bytes(table: Table, columns: Iterable[str]) -> int:
    """Return the size of one index over columns of a table."""
    return round(table.rows * _entry_bytes(table, columns))


def with_indexes(table: Table, indexes: Iterable[NamedIndex]) -> Table:
    """Return the table as a store has it that was given further indexes."""
    found = tuple(Index(columns=each.columns) for each in indexes if each.table == table.name)
    return replace(table, indexes=(*table.indexes, *found)) if found else table


def known_of(
    catalog: Catalog, indexes: Mapping[str, Iterable[NamedIndex]]
) -> Mapping[str, tuple[NamedIndex, ...]]:
    """Return the chosen indexes, by store, whose tables and columns the catalog still has.

    A copy that has another is of a table that was another.
    """
    columns = {
        table.name: {column.name for column in table.columns} for table in catalog.tables.values()
    }
    return {
        store: tuple(
            each for each in found if columns.get(each.table, set()).issuperset(each.columns)
        )
        for store, found in indexes.items()
    }


def of_copies(
    catalog: Catalog, indexes: Mapping[str, Iterable[NamedIndex]]
) -> Mapping[str, tuple[NamedIndex, ...]]:
    """Return the chosen indexes, by store, without those of live tables where these are.

    Such a table is its user's, as it was when the plan was made or only since.
    """
    kept = {
        store: tuple(each for each in found if not _is_own(catalog, each.table, store))
        for store, found in indexes.items()
    }
    return {store: found for store, found in kept.items() if found}


def _is_own(catalog: Catalog, table: str, store: str) -> bool:
    origin = catalog.table(table).origin
    return origin is not None and origin.store == store


def copies_bytes(catalog: Catalog) -> int:
    """Return the size of one copy of each table."""
    return sum(map(copy_bytes, catalog.tables.values()))


def _entry_bytes(table: Table, columns: Iterable[str]) -> float:
    return _ENTRY_BYTES + sum(table.column(name).width_bytes for name in columns)
