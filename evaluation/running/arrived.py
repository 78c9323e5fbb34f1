"""Answers as they arrived in the driver: as Arrow, with the values that DuckDB's client has."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import duckdb

from evaluation.judging.answer import Answer
from evaluation.judging.duckdb_answer import duckdb_answer
from evaluation.running.conversions import in_duckdb

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

        A column of which its type cannot be made exactly keeps that in which it arrived.
        Python has no days after the year 9999: as from DuckDB, they are text. So are intervals.

        Raises:
            duckdb.Error: A value is not of its type.
        """
        names = table.column_names
        columns = [f"c{place}" for place in range(len(names))]
        # Names may repeat, which Arrow's data sets cannot have.
        table = table.rename_columns(columns)
        self._connection.register(_ARRIVED, table)
        try:
            known = types if len(types) == len(names) else [""] * len(names)
            found = arrived_types(self._connection, _ARRIVED, table)
            shown = ", ".join(
                f"{_shown(column, is_type, type_)} AS {_quoted(name)}"
                for column, is_type, type_, name in zip(columns, found, known, names, strict=True)
            )
            return duckdb_answer(self._connection, f"SELECT {shown} FROM {_ARRIVED}")  # noqa: S608
        finally:
            self._connection.unregister(_ARRIVED)


def arrived_types(connection: duckdb.DuckDBPyConnection, name: str, table: "pa.Table") -> list[str]:
    """Return DuckDB's types of the columns of `table`, which is registered as `name`."""
    import pyarrow as pa

    described = connection.execute(f"DESCRIBE FROM {name}").fetchall()
    # DuckDB describes what has no type as INTEGER.
    return [
        '"NULL"' if pa.types.is_null(is_type) else str(row[1])
        for is_type, row in zip(table.schema.types, described, strict=True)
    ]


def _shown(column: str, found: str, wanted: str) -> str:
    """Return a column in the type that is wanted, or as it is where that is not exact."""
    if wanted in ("", *_AS_TEXT):
        return column
    return in_duckdb(column, found, wanted) or column


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
