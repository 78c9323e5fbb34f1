"""The indexes of a copy in PostgreSQL, where their names are those of one namespace."""

import math
from collections.abc import Mapping

from evaluation.store_protocol.columns import is_bytes, is_text, quoted
from evaluation.store_protocol.indexes import is_unique, named_indexes
from evaluation.store_protocol.register import STAGING
from workloads.catalog import Table
from workloads.indexes import Index

_MOST_BYTES = 2_600
"""Bytes of an entry: an ordered index refuses a third of a page, 2,704."""
_NUMBER_BYTES = 24
"""Bytes of the widest value that is no text."""
_MOST_COLUMNS = 32


def index_statements(
    table: Table, target: str, widths: Mapping[str, int] | None = None
) -> tuple[str, ...]:
    """Return the statements that give the staged copy `target` its indexes.

    Until it is published, the copy before it has the names of its own.
    `widths` are the bytes of the widest values of columns of text; without them each may be too
    wide for an ordered index. Where one is, the index has the columns before it, or finds the rows
    by the hash of its values.
    """
    return tuple(
        index_statement(table, each, f"{quoted(STAGING + name)} ON {target}", widths or {})
        for name, each in named_indexes(table).items()
    )


def renaming(table: Table, namespace: str) -> tuple[str, ...]:
    """Return the statements that give the indexes of a copy their names once it is published."""
    return tuple(
        f"ALTER INDEX {quoted(namespace)}.{quoted(STAGING + name)} RENAME TO {quoted(name)}"
        for name in named_indexes(table)
    )


def adding(table: Table, index: Index, name: str, namespace: str) -> tuple[str, ...]:
    """Return the statement that gives a published copy one index, if it has not got it."""
    named = f"IF NOT EXISTS {quoted(name)} ON {quoted(namespace)}.{quoted(table.name)}"
    return (index_statement(table, index, named, {}),)


def dropping(_: Table, name: str, namespace: str) -> tuple[str, ...]:
    """Return the statement that drops one index of a copy, if it is there."""
    return (f"DROP INDEX IF EXISTS {quoted(namespace)}.{quoted(name)}",)


def index_statement(table: Table, index: Index, named: str, widths: Mapping[str, int]) -> str:
    """Return the statement that makes one index, `named` by its name and the copy's."""
    kept, left_bytes = list[str](), float(_MOST_BYTES)
    for name in index.columns[:_MOST_COLUMNS]:
        left_bytes -= _bytes(table, name, widths)
        if left_bytes < 0:
            break
        kept.append(name)
    if not kept:
        return f"CREATE INDEX {named} USING hash ({quoted(index.columns[0])})"
    unique = "UNIQUE " if is_unique(table, index, kept) else ""
    return f"CREATE {unique}INDEX {named} ({', '.join(map(quoted, kept))})"


def _bytes(table: Table, name: str, widths: Mapping[str, int]) -> float:
    column = table.column(name)
    return widths.get(name, math.inf) if is_text(column) or is_bytes(column) else _NUMBER_BYTES
