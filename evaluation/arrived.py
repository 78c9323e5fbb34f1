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


class Arrivals:
    """A database without tables, through which answers come: opening one costs milliseconds.

    One answer at a time comes through it.
    """

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET TimeZone = 'UTC'")

    def answer(self, table: "pa.Table", types: Sequence[str] = ()) -> Answer:
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
        # Names may repeat, which Arrow's data sets cannot have.
        self._connection.register(_ARRIVED, table.rename_columns(columns))
        try:
            return duckdb_answer(self._connection, f"SELECT {shown} FROM {_ARRIVED}")  # noqa: S608
        finally:
            self._connection.unregister(_ARRIVED)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
