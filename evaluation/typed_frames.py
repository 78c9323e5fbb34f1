"""Frames whose columns have the types that DuckDB says, whatever type they arrived in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.federation.row_order import OrderedBy
from evaluation.stores.carried import decimal_digits
from evaluation.stores.columns import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SPARKS = {
    "TINYINT": "tinyint", "SMALLINT": "smallint", "INTEGER": "int", "BIGINT": "bigint",
    # Spark has no numbers without a sign: they are the next larger ones.
    "UTINYINT": "smallint", "USMALLINT": "int", "UINTEGER": "bigint", "UBIGINT": "decimal(20,0)",
    "HUGEINT": "decimal(38,0)", "UHUGEINT": "decimal(38,0)",
    "FLOAT": "float", "DOUBLE": "double", "BOOLEAN": "boolean", "VARCHAR": "string",
    "BLOB": "binary", "DATE": "date", "TIMESTAMP": "timestamp_ntz", "TIMESTAMP_S": "timestamp_ntz",
    "TIMESTAMP_MS": "timestamp_ntz", "DATETIME": "timestamp_ntz",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
}  # fmt: skip
_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})


def spark_type(type_: str) -> str | None:
    """Return Spark's name for one of DuckDB's types; None where it has no equal."""
    if digits := decimal_digits(type_):
        return f"decimal({digits[0]},{digits[1]})"
    return _SPARKS.get(type_)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a query's frame is to be: its columns' `names` and DuckDB's `types`, its rows' `order`.

    `order` is by columns of the frame, of which those behind the `names` are left out.
    """

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    order: tuple[OrderedBy, ...] = ()

    def of(self, frame: "DataFrame") -> "DataFrame":
        """Return a frame over the rows of `frame` in this shape; itself where nothing differs."""
        return typed(_ordered(frame, self.order, len(self.names)), self.types, self.names)

    def written(self, sql: str, found: Sequence[tuple[str, str]]) -> str:
        """Return Spark's SQL of the query `sql` in this shape; `sql` where nothing differs.

        `found` are names and types of its columns. Its rows keep their order.
        """
        columns = [f"`c{place}`" for place in range(len(found))]
        wanted = _selected(columns, found, self.types, self.names)
        if wanted is None:
            return sql
        return f"SELECT {', '.join(wanted)} FROM (\n{sql}\n) AS shaped({', '.join(columns)})"  # noqa: S608


def typed(frame: "DataFrame", types: Sequence[str], names: Sequence[str] = ()) -> "DataFrame":
    """Return `frame` with its columns in DuckDB's `types`, called `names` where these are given.

    What arrived as a number and is a day or a moment counts days or microseconds since 1970.
    The frame itself is returned where nothing differs, or where `types` are not known.
    """
    if not types:
        return frame
    found = frame.dtypes
    columns = [f"`c{place}`" for place in range(len(found))]
    wanted = _selected(columns, found, types, names)
    if wanted is None:
        return frame
    return frame.toDF(*(each.strip("`") for each in columns)).selectExpr(*wanted)


def _selected(
    columns: Sequence[str],
    found: Sequence[tuple[str, str]],
    types: Sequence[str],
    names: Sequence[str],
) -> list[str] | None:
    """Return what is selected of `columns`, whose names and types are `found`; None for all."""
    if not types:
        return None
    named = list(names) or [name for name, _ in found]
    wanted = [
        conversion(column, is_type, spark_type(type_))
        for column, (_, is_type), type_ in zip(columns, found, types, strict=True)
    ]
    if wanted == list(columns) and named == [name for name, _ in found]:
        return None
    return [f"{each} AS {quoted(name, '`')}" for each, name in zip(wanted, named, strict=True)]


def _ordered(frame: "DataFrame", order: Sequence[OrderedBy], width: int) -> "DataFrame":
    """Return the first `width` columns of `frame`, with its rows in the `order` of its columns.

    A store's order is lost where its rows are read from a derived table. One task sorts them: they
    come from one store, and there is no exchange then.
    """
    if not order and not width:
        return frame
    columns = frame.columns
    if order:
        keys = [_key(columns[each.place], each) for each in order]
        frame = frame.coalesce(1).orderBy(*keys)
    hidden = columns[width:] if width else []
    return frame.drop(*hidden) if hidden else frame


def _key(name: str, by: OrderedBy) -> "Column":
    from pyspark.sql import functions

    column = functions.col(quoted(name, "`"))
    if by.descending:
        return column.desc_nulls_first() if by.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if by.nulls_first else column.asc_nulls_last()


def conversion(column: str, found: str, wanted: str | None) -> str:
    """Return the Spark SQL that makes the type `wanted` of a column of the type `found`."""
    if wanted is None or found == wanted:
        return column
    if wanted == "date" and found in _WHOLE:
        return f"date_from_unix_date(CAST({column} AS INT))"
    if wanted.startswith("timestamp") and found in _WHOLE:
        # The session's time zone is UTC, in which a moment without a zone is the instant itself.
        return f"CAST(timestamp_micros({column}) AS {wanted})"
    if found == "binary":
        # MariaDB's NULL, and some of its text.
        return f"CAST(CAST({column} AS STRING) AS {wanted})"
    return f"CAST({column} AS {wanted})"
