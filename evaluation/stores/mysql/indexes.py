"""The indexes of a copy in MariaDB and MySQL: of long text they hold the beginning."""

import re
from collections.abc import Mapping, Sequence

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.indexes import index_name, is_unique, named_indexes
from workloads.catalog import Table
from workloads.indexes import Index

_MARK = "`"
MOST_BYTES = 3_072
"""Bytes of an entry of InnoDB's indexes."""
NUMBER_BYTES = 20
"""Bytes of the widest value that is neither text nor bytes."""
CHARACTER_BYTES = 4
MOST_COLUMNS = 16
_MOST_INDEXES = 64
_VARCHAR = re.compile(r"VARCHAR\((\d+)\)")


def index_statements(table: Table, target: str, types: Mapping[str, str]) -> tuple[str, ...]:
    """Return the statement that gives the copy `target` its indexes; none without any.

    `types` are those of its columns.
    """
    made = additions(table, types).values()
    return (f"ALTER TABLE {target} {', '.join(made)}",) if made else ()


def additions(table: Table, types: Mapping[str, str]) -> Mapping[str, str]:
    """Return name → what ALTER TABLE is told to add, for the indexes of a copy.

    A primary key of text without a width cannot be made: it becomes an index like the others.
    """
    keyed = all(_characters(types[name]) != 0 for name in table.primary_key)
    found = dict(named_indexes(table))
    if not keyed:
        key = Index(columns=table.primary_key, unique=True)
        found = {index_name(table, key): key, **found}
    kept = list(found.items())[:_MOST_INDEXES]
    return {name: _added(table, each, types, name) for name, each in kept}


def _added(table: Table, index: Index, types: Mapping[str, str], name: str) -> str:
    columns = index.columns[:MOST_COLUMNS]
    prefixes = _prefixes(columns, types)
    parts = [
        quoted(name, _MARK) + (f"({prefixes[name]})" if name in prefixes else "")
        for name in columns
    ]
    unique = "UNIQUE " if not prefixes and is_unique(table, index, columns) else ""
    return f"ADD {unique}INDEX {quoted(name, _MARK)} ({', '.join(parts)})"


def _prefixes(columns: Sequence[str], types: Mapping[str, str]) -> Mapping[str, int]:
    """Return column → characters, or bytes, of those of which an entry has no room for all."""
    characters = {name: _characters(types[name]) for name in columns}
    widths = {name: width for name, width in characters.items() if width is not None}
    free_bytes = MOST_BYTES - NUMBER_BYTES * (len(columns) - len(widths))
    if all(widths.values()) and sum(widths.values()) * CHARACTER_BYTES <= free_bytes:
        return {}
    share = free_bytes // (CHARACTER_BYTES * len(widths))
    return {name: share for name, width in widths.items() if not 0 < width <= share}


def _characters(type_: str) -> int | None:
    """Return the most characters of a text, 0 where there is no limit; None for other types."""
    if found := _VARCHAR.fullmatch(type_):
        return int(found[1])
    return 0 if type_ in ("LONGTEXT", "LONGBLOB") else None
