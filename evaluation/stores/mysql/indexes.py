"""The indexes of a copy in MariaDB and MySQL: of long text they hold the beginning."""

import re
from collections.abc import Mapping, Sequence

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.indexes import is_unique
from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes
from workloads.indexes import Index

_MARK = "`"
_MOST_BYTES = 3_072
"""Bytes of an entry of InnoDB's indexes."""
_NUMBER_BYTES = 20
"""Bytes of the widest value that is neither text nor bytes."""
_CHARACTER_BYTES = 4
_MOST_COLUMNS = 16
_MOST_INDEXES = 64
_VARCHAR = re.compile(r"VARCHAR\((\d+)\)")
_NAME = "advisor_{}"


def index_statements(table: Table, target: str, types: Mapping[str, str]) -> tuple[str, ...]:
    """Return the statement that gives the copy `target` its indexes; none without any.

    `types` are those of its columns. A primary key of text without a width cannot be made: it
    becomes an index like the others.
    """
    keyed = all(_characters(types[name]) != 0 for name in table.primary_key)
    key = () if keyed else (Index(columns=table.primary_key, unique=True),)
    made = [
        _added(table, each, types, number)
        for number, each in enumerate((*key, *copied_indexes(table)), start=1)
    ]
    return (f"ALTER TABLE {target} {', '.join(made[:_MOST_INDEXES])}",) if made else ()


def _added(table: Table, index: Index, types: Mapping[str, str], number: int) -> str:
    columns = index.columns[:_MOST_COLUMNS]
    prefixes = _prefixes(columns, types)
    parts = [
        quoted(name, _MARK) + (f"({prefixes[name]})" if name in prefixes else "")
        for name in columns
    ]
    unique = "UNIQUE " if not prefixes and is_unique(table, index, columns) else ""
    return f"ADD {unique}INDEX {quoted(_NAME.format(number), _MARK)} ({', '.join(parts)})"


def _prefixes(columns: Sequence[str], types: Mapping[str, str]) -> Mapping[str, int]:
    """Return column → characters, or bytes, of those of which an entry has no room for all."""
    characters = {name: _characters(types[name]) for name in columns}
    widths = {name: width for name, width in characters.items() if width is not None}
    free_bytes = _MOST_BYTES - _NUMBER_BYTES * (len(columns) - len(widths))
    if all(widths.values()) and sum(widths.values()) * _CHARACTER_BYTES <= free_bytes:
        return {}
    share = free_bytes // (_CHARACTER_BYTES * len(widths))
    return {name: share for name, width in widths.items() if not 0 < width <= share}


def _characters(type_: str) -> int | None:
    """Return the most characters of a text, 0 where there is no limit; None for other types."""
    if found := _VARCHAR.fullmatch(type_):
        return int(found[1])
    return 0 if type_ in ("LONGTEXT", "LONGBLOB") else None
