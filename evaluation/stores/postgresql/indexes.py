"""The indexes of a copy in PostgreSQL, which names them itself, after the copy."""

import math
from collections.abc import Mapping

from evaluation.store_protocol.columns import is_bytes, is_text, quoted
from evaluation.store_protocol.indexes import is_unique
from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes
from workloads.indexes import Index

_MOST_BYTES = 2_600
"""Bytes of an entry: an ordered index refuses a third of a page, 2,704."""
_NUMBER_BYTES = 24
"""Bytes of the widest value that is no text."""
_MOST_COLUMNS = 32


def index_statements(
    table: Table, target: str, widths: Mapping[str, int] | None = None
) -> tuple[str, ...]:
    """Return the statements that give the copy `target` its indexes.

    `widths` are the bytes of the widest values of columns of text; without them each may be too
    wide for an ordered index. Where one is, the index has the columns before it, or finds the rows
    by the hash of its values.
    """
    return tuple(_statement(table, each, target, widths or {}) for each in copied_indexes(table))


def _statement(table: Table, index: Index, target: str, widths: Mapping[str, int]) -> str:
    kept, left_bytes = list[str](), float(_MOST_BYTES)
    for name in index.columns[:_MOST_COLUMNS]:
        left_bytes -= _bytes(table, name, widths)
        if left_bytes < 0:
            break
        kept.append(name)
    if not kept:
        return f"CREATE INDEX ON {target} USING hash ({quoted(index.columns[0])})"
    unique = "UNIQUE " if is_unique(table, index, kept) else ""
    return f"CREATE {unique}INDEX ON {target} ({', '.join(map(quoted, kept))})"


def _bytes(table: Table, name: str, widths: Mapping[str, int]) -> float:
    column = table.column(name)
    return widths.get(name, math.inf) if is_text(column) or is_bytes(column) else _NUMBER_BYTES
