"""Indexes and forms that MariaDB and MySQL need for a statement that is passed through."""

from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any

from evaluation.store_protocol.columns import quoted
from evaluation.stores.mysql.sessions import Execute

_MARK = "`"
_INDEX = "_advisor_text_"
"""Our indexes' names begin so."""


def add_full_text(execute: Execute, namespace: str, table: str, columns: Sequence[str]) -> None:
    """Add a FULLTEXT index on these columns of a copy unless it has it."""
    name = _INDEX + sha256("\0".join(columns).encode()).hexdigest()[:12]
    known = execute(
        "SELECT 1 FROM information_schema.statistics "
        "WHERE table_schema = %s AND table_name = %s AND index_name = %s LIMIT 1",
        (namespace, table, name),
    )
    if not known:
        listed = ", ".join(quoted(column, _MARK) for column in columns)
        copy = f"{quoted(namespace, _MARK)}.{quoted(table, _MARK)}"
        execute(f"ALTER TABLE {copy} ADD FULLTEXT INDEX {quoted(name, _MARK)} ({listed})")


def with_own_names(sql: str, names: Sequence[str]) -> str:
    """Return a query that an engine may read as a derived table, in which no two columns are alike.

    A derived table with a list of names is new in MariaDB 11.7, one of a CTE is not.
    """
    if len({name.lower() for name in names}) == len(names):
        return sql
    own = ", ".join(f"c{number}" for number in range(1, len(names) + 1))
    return f"WITH own ({own}) AS ({sql}\n) SELECT * FROM own"  # noqa: S608 - as told


def odd_days(rows: Sequence[Sequence[Any]], days: Sequence[bool]) -> Collection[int]:
    """Return the numbers of the columns with a day that no calendar has, such as ``0000-00-00``.

    PyMySQL has these as text. `days` says which columns are days or moments.
    """
    numbers = [number for number, is_day in enumerate(days) if is_day]
    return {each for row in rows for each in numbers if isinstance(row[each], str)}


def with_texts(sql: str, columns: int, texts: Collection[int]) -> str:
    """Return a query of the same rows with some of its columns as text; numbers begin with 0.

    To Java's drivers ``0000-00-00`` is NULL.
    """
    names = [f"c{number}" for number in range(1, columns + 1)]
    read = ", ".join(
        f"CAST({name} AS CHAR) AS {name}" if number in texts else name
        for number, name in enumerate(names)
    )
    return f"WITH own ({', '.join(names)}) AS ({sql}\n) SELECT {read} FROM own"  # noqa: S608 - as told
