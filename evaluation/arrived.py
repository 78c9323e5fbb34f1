"""Answers as they arrived in the driver: as Arrow, with the values that DuckDB's client has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    import pyarrow as pa

_AS_TEXT = frozenset({"INTERVAL", "NULL", '"NULL"'})


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """The rows of an answer, with the names and DuckDB's types of its columns."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]


def arrived(table: "pa.Table", types: Sequence[str] = ()) -> Arrived:
    """Return the rows of `table` in DuckDB's `types`, where these are known.

    Python has no days after the year 9999: as from DuckDB, they are text. So are intervals.

    Raises:
        duckdb.Error: A value is not of its type.
    """
    names = tuple(table.column_names)
    columns = [f"c{place}" for place in range(len(names))]
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        # Names may repeat, which Arrow's data sets cannot have.
        relation = connection.from_arrow(table.rename_columns(columns))
        if types and len(types) == len(columns):
            relation = relation.project(
                ", ".join(
                    column if type_ in _AS_TEXT else f"CAST({column} AS {type_}) AS {column}"
                    for column, type_ in zip(columns, types, strict=True)
                )
            )
        return Arrived(
            names=names,
            types=tuple(str(type_) for type_ in relation.types),
            rows=relation.fetchall(),
        )
