"""Answers as they arrived in the driver: as Arrow, with the values that DuckDB's client has."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import duckdb

from evaluation.judging.answer import Answer
from evaluation.judging.duckdb_answer import duckdb_answer

if TYPE_CHECKING:
    import pyarrow as pa

_ARRIVED = "arrived"
_AS_TEXT = frozenset({"INTERVAL", "NULL", '"NULL"'})


def arrived(table: "pa.Table", types: Sequence[str] = ()) -> Answer:
    """Return the rows of `table` in DuckDB's `types`, where these are known.

    Python has no days after the year 9999: as from DuckDB, they are text. So are intervals.

    Raises:
        duckdb.Error: A value is not of its type.
    """
    names = table.column_names
    columns = [f"c{place}" for place in range(len(names))]
    known = types if len(types) == len(names) else [""] * len(names)
    shown = ", ".join(
        (column if type_ in ("", *_AS_TEXT) else f"CAST({column} AS {type_})")
        + f" AS {_quoted(name)}"
        for column, type_, name in zip(columns, known, names, strict=True)
    )
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        # Names may repeat, which Arrow's data sets cannot have.
        connection.register(_ARRIVED, table.rename_columns(columns))
        return duckdb_answer(connection, f"SELECT {shown} FROM {_ARRIVED}")  # noqa: S608 - quoted


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
