"""An answer of DuckDB as Python's values, with nothing lost that Python has no value for."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from evaluation.judging.answer import Answer, AnswerColumn, Row

if TYPE_CHECKING:
    import duckdb

_LAST = (date.max, datetime.max)
_FIRST = (date.min, datetime.min)
_INFINITE = ("infinity", "-infinity")


def duckdb_answer(connection: "duckdb.DuckDBPyConnection", sql: str) -> Answer:
    """Run a query and return its answer.

    Days beyond Python's calendar arrive as text, as DuckDB's client makes them. So do infinite
    ones and intervals here: the client would hand out 9999-12-31 and 30 days for a month.

    Raises:
        duckdb.Error: DuckDB cannot run it.
    """
    cursor = connection.execute(sql)
    columns = duckdb_columns(cursor)
    rows: Sequence[Row] = cursor.fetchall()
    if unclear := [i for i, column in enumerate(columns) if _is_unclear(column, i, rows)]:
        rows = _with_texts(connection, sql, columns, unclear)
    return Answer(columns=columns, rows=rows)


def duckdb_columns(cursor: "duckdb.DuckDBPyConnection") -> tuple[AnswerColumn, ...]:
    """Return the columns of the query that was run last."""
    return tuple(AnswerColumn(name=str(d[0]), type=str(d[1])) for d in cursor.description or ())


def _is_unclear(column: AnswerColumn, index: int, rows: Sequence[Row]) -> bool:
    if column.type == "INTERVAL":
        return True
    if column.type != "DATE" and not column.type.startswith("TIMESTAMP"):
        return False
    return any(_is_extreme(row[index]) for row in rows)


def _is_extreme(value: object) -> bool:
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None)
    return value in _LAST or value in _FIRST


def _with_texts(
    connection: "duckdb.DuckDBPyConnection",
    sql: str,
    columns: Sequence[AnswerColumn],
    unclear: Sequence[int],
) -> Sequence[Row]:
    """Return the rows with DuckDB's texts of the values that are not clear without."""
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    texts = ", ".join(f"CAST(c{i} AS VARCHAR)" for i in unclear)
    inner = sql.rstrip().rstrip(";")
    found = connection.execute(
        f"SELECT {names}, {texts} FROM (\n{inner}\n) AS answer({names})"  # noqa: S608
    ).fetchall()
    return [_told(row, columns, unclear) for row in found]


def _told(row: Row, columns: Sequence[AnswerColumn], unclear: Sequence[int]) -> Row:
    values = list(row[: len(columns)])
    for index, text in zip(unclear, row[len(columns) :], strict=True):
        if columns[index].type == "INTERVAL" or text in _INFINITE:
            values[index] = text
    return tuple(values)
