"""Re-indexing a copy in PostgreSQL: each index in a transaction of its own."""

from collections.abc import Mapping
from threading import Event

from evaluation.bulk.bulk import LoadStoppedError
from evaluation.store_protocol.columns import is_bytes, is_text, quoted
from evaluation.store_protocol.indexes import NAME, named_indexes
from evaluation.store_protocol.register import STAGING
from evaluation.stores.copies import TransactionalCopies
from evaluation.stores.postgresql.indexes import index_statement
from evaluation.stores.reindexing import difference
from workloads.catalog import Table
from workloads.indexes import Index

_OURS = (
    "SELECT c.relname FROM pg_catalog.pg_index i"
    " JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid"
    " JOIN pg_catalog.pg_class t ON t.oid = i.indrelid"
    " JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace"
    " WHERE n.nspname = %s AND t.relname = %s AND NOT i.indisprimary"
    " AND (starts_with(c.relname, %s) OR starts_with(c.relname, %s))"
)


def change(copies: TransactionalCopies, table: Table, stop: Event | None) -> None:
    """Drop our indexes that `table` lacks, and make its own that are missing.

    What is dropped goes first: of both there may be no room.

    Raises:
        LoadStoppedError: `stop` was set before all were made.
    """
    namespace = copies.connection.namespace
    target = copies.name(table.name)
    indexes = named_indexes(table)
    dropped, missing = difference(_ours(copies, table), dict.fromkeys(indexes, ""))
    for name in dropped:
        copies.execute(f"DROP INDEX IF EXISTS {quoted(namespace)}.{quoted(name)}")
    widths = _widths(copies, table, [indexes[name] for name in missing])
    for name in missing:
        if stop is not None and stop.is_set():
            raise LoadStoppedError
        with copies.transaction():
            # A server may still build what an advisor that was killed has asked for.
            copies.execute(f"LOCK TABLE {target} IN SHARE ROW EXCLUSIVE MODE")
            if name not in _ours(copies, table):
                named = f"{quoted(name)} ON {target}"
                copies.execute(index_statement(table, indexes[name], named, widths))


def _ours(copies: TransactionalCopies, table: Table) -> frozenset[str]:
    """Return the names of the copy's indexes that we have made.

    Those of a copy as older versions made them begin as the name that it had while it was loaded.
    """
    found = copies.execute(_OURS, (copies.connection.namespace, table.name, NAME, STAGING))
    return frozenset(str(row[0]) for row in found)


def _widths(copies: TransactionalCopies, table: Table, indexes: list[Index]) -> Mapping[str, int]:
    """Return column → bytes of its widest value, of the text and bytes that indexes are over."""
    names = sorted({name for each in indexes for name in each.columns})
    columns = [each for each in map(table.column, names) if is_text(each) or is_bytes(each)]
    if not columns:
        return {}
    asked = ", ".join(f"coalesce(max(octet_length({quoted(each.name)})), 0)" for each in columns)
    (row,) = copies.execute(f"SELECT {asked} FROM {copies.name(table.name)}")  # noqa: S608 - quoted
    return {each.name: int(width) for each, width in zip(columns, row, strict=True)}
