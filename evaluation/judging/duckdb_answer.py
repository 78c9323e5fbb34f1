"""An answer of DuckDB as Python's values, with nothing lost that Python has no value for."""

from collections.abc import Sequence
from datetime import date, datetime
from threading import Event, Timer

import duckdb

from evaluation.judging.answer import Answer, AnswerColumn, Row
from workloads.duck import needs_optimizer

_OF_PLAN = (duckdb.DataError, duckdb.InvalidInputException, duckdb.InternalException)
_AS_WRITTEN_S = 10.0
"""Joins without conditions are products then: a large one would never end."""
_EXTREMES = (date.max, date.min, datetime.max, datetime.min)  # noqa: DTZ901 - of any zone
_INFINITE = ("infinity", "-infinity")


def duckdb_answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    """Run a query and return its answer.

    Days beyond Python's calendar arrive as text, as DuckDB's client makes them. So do infinite
    ones and intervals here: the client would hand out 9999-12-31 and 30 days for a month.

    Raises:
        duckdb.Error: DuckDB cannot run it.
    """
    cursor = connection.execute(sql)
    columns = duckdb_columns(cursor)
    rows: Sequence[Row] = cursor.fetchall()
    unclear = [i for i in places_told(columns) if columns[i].type == "INTERVAL" or _ends(rows, i)]
    if unclear:
        found = connection.execute(with_texts(sql, len(columns), unclear)).fetchall()
        rows = [told(row, columns, unclear) for row in found]
    return Answer(columns=columns, rows=rows)


def settled_answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    """Run a query and return its answer, if need be by another of DuckDB's plans.

    A value that is at fault may be in a row that the answer has no use for. DuckDB's plan may
    compute it all the same, when it joins in another order than the query, and some plans end in a
    fault of the optimizer. Then the query is run again without it, for ten seconds at most, and
    where the connection has a part of it disabled, with that part too.

    Raises:
        duckdb.Error: DuckDB cannot run it.
    """
    try:
        return duckdb_answer(connection, sql)
    except duckdb.Error as error:
        if not may_be_of_plan(error):
            raise
        for again in (answer_as_written, _all_optimized):
            found = again(connection, sql)
            if found is not None:
                return found
        raise


def answer_as_written(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer | None:
    """Return the answer without the optimizer; None where it is an error or takes too long.

    None too where there is an ASOF JOIN, which may need the optimizer.
    """
    views = connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
    if any(needs_optimizer(text) for text in (sql, *(view for (view,) in views))):
        return None
    connection.execute("PRAGMA disable_optimizer")
    late = Event()

    def end() -> None:
        late.set()
        connection.interrupt()

    timer = Timer(_AS_WRITTEN_S, end)
    timer.start()
    try:
        return duckdb_answer(connection, sql)
    except duckdb.InterruptException:
        # Of another's interruption nothing is tried again.
        if late.is_set():
            return None
        raise
    except duckdb.Error:
        return None
    finally:
        timer.cancel()
        connection.execute("PRAGMA enable_optimizer")


def _all_optimized(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer | None:
    """Return the answer with all of the optimizer; None where it is an error or had all of it."""
    ((disabled,),) = connection.execute(
        "SELECT value FROM duckdb_settings() WHERE name = 'disabled_optimizers'"
    ).fetchall()
    if not disabled:
        return None
    connection.execute("SET disabled_optimizers = ''")
    try:
        return duckdb_answer(connection, sql)
    except duckdb.InterruptException:
        raise
    except duckdb.Error:
        return None
    finally:
        connection.execute(f"SET disabled_optimizers = '{disabled}'")


def may_be_of_plan(error: duckdb.Error) -> bool:
    """Tell whether another plan may end without it: one in a value, or DuckDB's own fault."""
    # What the standard library of C++ raises has no class of its own.
    return isinstance(error, _OF_PLAN) or type(error) is duckdb.Error


def duckdb_columns(cursor: duckdb.DuckDBPyConnection) -> tuple[AnswerColumn, ...]:
    """Return the columns of the query that was run last."""
    return tuple(AnswerColumn(name=str(d[0]), type=str(d[1])) for d in cursor.description or ())


def places_told(columns: Sequence[AnswerColumn]) -> list[int]:
    """Return the places of columns that may have values that only DuckDB's text tells."""
    types = ("INTERVAL", "DATE", "TIMESTAMP")
    return [i for i, each in enumerate(columns) if each.type.startswith(types)]


def with_texts(sql: str, width: int, places: Sequence[int]) -> str:
    """Return a query with the texts of the columns at `places` after its own `width` columns."""
    names = ", ".join(f"c{place}" for place in range(width))
    texts = ", ".join(f"CAST(c{place} AS VARCHAR)" for place in places)
    inner = sql.rstrip().rstrip(";")
    return f"SELECT {names}, {texts} FROM (\n{inner}\n) AS answer({names})"  # noqa: S608


def told(row: Row, columns: Sequence[AnswerColumn], places: Sequence[int]) -> Row:
    """Return a row of `with_texts` with the texts of what Python has no value for alone."""
    values = list(row[: len(columns)])
    for place, text in zip(places, row[len(columns) :], strict=True):
        if columns[place].type == "INTERVAL" or text in _INFINITE:
            values[place] = text
    return tuple(values)


def _ends(rows: Sequence[Row], place: int) -> bool:
    """Whether a column has the first or last day or moment of Python's calendar."""
    return any(_is_extreme(row[place]) for row in rows)


def _is_extreme(value: object) -> bool:
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None)
    return value in _EXTREMES
