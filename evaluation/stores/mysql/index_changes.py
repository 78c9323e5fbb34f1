"""SQL that changes an index of a copy in MariaDB or MySQL, which may be done already.

MySQL has no IF NOT EXISTS for indexes. How much of a text an entry holds depends on the type of the
column, which is another in a copy by hand: the server is asked for both, and then told a text.
"""

from evaluation.store_protocol.columns import is_bytes, is_text, quoted
from evaluation.stores.mysql.indexes import (
    CHARACTER_BYTES,
    MOST_BYTES,
    MOST_COLUMNS,
    NUMBER_BYTES,
)
from workloads.catalog import Table
from workloads.indexes import Index

_MARK = "`"
_STATEMENT = "placement_advisor_index"
_NOTHING = "'DO 0'"


def adding(table: Table, index: Index, name: str, namespace: str) -> tuple[str, ...]:
    """Return the statements that give a published copy one index, which is not unique."""
    columns = index.columns[:MOST_COLUMNS]
    texts = [each for each in map(table.column, columns) if is_text(each) or is_bytes(each)]
    free_bytes = MOST_BYTES - NUMBER_BYTES * (len(columns) - len(texts))
    share = free_bytes // (CHARACTER_BYTES * max(1, len(texts)))
    wide = {each.name for each in texts}
    parts = [_literal(f"ALTER TABLE {_copy(table, namespace)} ADD INDEX {quoted(name, _MARK)} (")]
    for number, column in enumerate(columns):
        parts.append(_literal(f"{', ' if number else ''}{quoted(column, _MARK)}"))
        if column in wide:
            parts.append(_prefix(table, column, namespace, share))
    made = f"CONCAT({', '.join(parts)}, ')')"
    return _told(f"IF({_has(table, name, namespace)}, {_NOTHING}, {made})")


def dropping(table: Table, name: str, namespace: str) -> tuple[str, ...]:
    """Return the statements that drop one index of a copy."""
    made = f"ALTER TABLE {_copy(table, namespace)} DROP INDEX {quoted(name, _MARK)}"
    return _told(f"IF({_has(table, name, namespace)}, {_literal(made)}, {_NOTHING})")


def _told(expression: str) -> tuple[str, ...]:
    return (
        f"SET @{_STATEMENT} = {expression}",
        f"PREPARE {_STATEMENT} FROM @{_STATEMENT}",
        f"EXECUTE {_STATEMENT}",
        f"DEALLOCATE PREPARE {_STATEMENT}",
    )


def _has(table: Table, name: str, namespace: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM information_schema.statistics WHERE {_of(table, namespace)}"  # noqa: S608 - literals
        f" AND index_name = {_literal(name)})"
    )


def _prefix(table: Table, column: str, namespace: str, share: int) -> str:
    return (
        f"(SELECT IF(character_maximum_length > {share}, '({share})', '')"  # noqa: S608 - literals
        f" FROM information_schema.columns WHERE {_of(table, namespace)}"
        f" AND column_name = {_literal(column)})"
    )


def _of(table: Table, namespace: str) -> str:
    return f"table_schema = {_literal(namespace)} AND table_name = {_literal(table.name)}"


def _copy(table: Table, namespace: str) -> str:
    return f"{quoted(namespace, _MARK)}.{quoted(table.name, _MARK)}"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
