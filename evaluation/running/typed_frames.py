"""Frames whose columns have the types that DuckDB says, whatever type they arrived in."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.federation.result_types import NULL_TYPE
from evaluation.federation.row_order import OrderedBy
from evaluation.running.conversions import UnlikeTypeError, conversion
from evaluation.store_protocol.carried import Pair, decimal_digits
from evaluation.store_protocol.columns import quoted

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
    "TIMESTAMP WITH TIME ZONE": "timestamp", NULL_TYPE: "void",
}  # fmt: skip


def spark_type(type_: str) -> str | None:
    """Return Spark's name for one of DuckDB's types; None where it has no equal."""
    if digits := decimal_digits(type_):
        return f"decimal({digits[0]},{digits[1]})"
    return _SPARKS.get(type_)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A frame that a query is to have: its columns' `names`, DuckDB's `types`, its rows' `order`.

    `order` is by columns of the frame, of which those behind the `names` are left out. Each method
    raises UnlikeTypeError of a column of which its type cannot be made exactly.
    """

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    order: tuple[OrderedBy, ...] = ()

    def of(self, frame: "DataFrame") -> "DataFrame":
        """Return a frame over the rows of `frame` in this shape; itself where nothing differs."""
        frame = _ordered(frame, self.order, len(self.names))
        return _reshaped(frame, self.types, self.names) if self.types else frame

    def written(self, sql: str, found: Sequence[tuple[str, str]]) -> str:
        """Return Spark's SQL of the query `sql` in this shape; `sql` where nothing differs.

        `found` are names and types of its columns. Its rows keep their order.
        """
        if not self.types:
            return sql
        columns = _numbered(found)
        wanted = _selected(columns, found, _conversions(columns, found, self.types), self.names)
        if wanted is None:
            return sql
        return f"SELECT {', '.join(wanted)} FROM (\n{sql}\n) AS shaped({', '.join(columns)})"  # noqa: S608


def typed(frame: "DataFrame", types: Sequence[str], arrives: Collection[Pair] = ()) -> "DataFrame":
    """Return `frame`, which comes from a store, with its columns in DuckDB's `types`.

    `arrives` are the kinds in which the store hands out others. The frame itself is returned where
    nothing differs.

    Raises:
        UnlikeTypeError: Of what arrived its type cannot be made exactly.
    """
    return _reshaped(frame, types, (), arrives)


def _reshaped(
    frame: "DataFrame",
    types: Sequence[str],
    names: Sequence[str],
    arrives: Collection[Pair] = (),
) -> "DataFrame":
    found = frame.dtypes
    columns = _numbered(found)
    made = _conversions(columns, found, types, arrives)
    wanted = _selected(columns, found, made, names)
    if wanted is None:
        return frame
    return frame.toDF(*(each.strip("`") for each in columns)).selectExpr(*wanted)


def _numbered(found: Sequence[object]) -> list[str]:
    return [f"`c{place}`" for place in range(len(found))]


def _conversions(
    columns: Sequence[str],
    found: Sequence[tuple[str, str]],
    types: Sequence[str],
    arrives: Collection[Pair] = (),
) -> list[str]:
    """Return what makes DuckDB's `types` of `columns`, which are `found`."""
    if len(found) != len(types):
        raise UnlikeTypeError(f"{len(found)} columns arrive where {len(types)} were asked for")
    made = []
    for column, (name, is_type), type_ in zip(columns, found, types, strict=True):
        one = conversion(column, is_type, spark_type(type_), arrives)
        if one is None:
            raise UnlikeTypeError(
                f"column '{name}' arrives as {is_type}, of which no {type_} can be made exactly"
            )
        made.append(one)
    return made


def _selected(
    columns: Sequence[str],
    found: Sequence[tuple[str, str]],
    made: Sequence[str],
    names: Sequence[str],
) -> list[str] | None:
    """Return what is selected of `columns`, whose names and types are `found`; None for all."""
    named = list(names) or [name for name, _ in found]
    if list(made) == list(columns) and named == [name for name, _ in found]:
        return None
    return [f"{each} AS {quoted(name, '`')}" for each, name in zip(made, named, strict=True)]


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
