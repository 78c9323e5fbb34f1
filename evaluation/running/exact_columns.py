"""A driver's values in Python as columns of Arrow, exactly or not at all.

They become what Spark would make of the same rows: `conversions` says which kinds of values may
stand for which types. A value that its type cannot hold is an error here too.
"""

import re
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from math import isinf
from struct import pack, unpack
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from evaluation.federation.row_order import OrderedBy
from evaluation.running.conversions import SMALLEST_NO_FLOAT, UnlikeTypeError, is_exact, kind_of
from evaluation.running.typed_frames import spark_type
from evaluation.store_protocol.carried import Pair, decimal_digits

if TYPE_CHECKING:
    from evaluation.store_protocol.whole_answers import FetchedRows

_ARROW: dict[str, pa.DataType] = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp_ntz": pa.timestamp("us"),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "void": pa.null(),
}
_DECIMAL_TEXT = re.compile(r"-?[0-9]+(\.[0-9]*)?")
_NO_FLOAT = float(SMALLEST_NO_FLOAT.removesuffix("D"))


def arrow_rows(
    fetched: "FetchedRows",
    names: Sequence[str],
    types: Sequence[str],
    arrives: Collection[Pair] = (),
) -> pa.Table:
    """Return the rows as a table with these `names`, and columns that carry DuckDB's `types`.

    `arrives` are the kinds in which the store hands out others (`CarriedTypes.arrives`).

    Raises:
        UnlikeTypeError: Of what arrived a column's type cannot be made exactly.
    """
    if not fetched.rows:
        # Of these a driver may not tell the kinds.
        none = [pa.array([], _arrow(spark_type(type_) or "string")) for type_ in types]
        return pa.Table.from_arrays(none, names=list(names))
    if len(fetched.kinds) != len(types):
        raise UnlikeTypeError(f"{len(fetched.kinds)} columns arrive, not {len(types)}")
    columns = zip(*fetched.rows, strict=True)
    made = [
        _column(name, values, kind, type_, arrives)
        for name, values, kind, type_ in zip(names, columns, fetched.kinds, types, strict=True)
    ]
    return pa.Table.from_arrays(made, names=list(names))


def _column(
    name: str, values: Sequence[object], kind: str, type_: str, arrives: Collection[Pair]
) -> pa.Array:
    """Return one column, whose values are of a `kind`."""
    # What Spark has no equal of is carried as text.
    wanted = spark_type(type_) or "string"
    if wanted == "void":
        return pa.nulls(len(values))
    if not kind and all(value is None or isinstance(value, str) for value in values):
        # An enumeration, say: Spark takes for text, too, what its driver has as text alone.
        kind = "string"
    if not kind or not is_exact(kind, kind_of(wanted), arrives):
        raise UnlikeTypeError(f"column '{name}' arrives as {kind or 'another kind'}, not {type_}")
    change = _CHANGES.get((kind, kind_of(wanted)))
    try:
        changed = values if change is None else [None if v is None else change(v) for v in values]
        found = pa.array(changed, _arrived(wanted))
        return found if found.type == (to := _arrow(wanted)) else found.cast(to)
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise UnlikeTypeError(f"column '{name}': no {type_}: {error}") from None


def sorted_rows(table: pa.Table, order: Sequence[OrderedBy]) -> pa.Table:
    """Return the rows of `table` in an order by its columns, as Spark and DuckDB sort.

    Raises:
        UnlikeTypeError: A column has NaN, which Arrow sorts as if it were NULL, or has no order.
    """
    found = pa.array(range(table.num_rows), pa.int64())
    # Each sort keeps the order of what ties in it: the first column is the last one to sort by.
    for each in reversed(order):
        column = table.column(each.place).take(found)
        if pa.types.is_null(column.type):
            continue
        if pa.types.is_floating(column.type) and compute.any(compute.is_nan(column)).as_py():
            raise UnlikeTypeError("NaN among what rows are ordered by")
        places = compute.array_sort_indices(
            column,
            order="descending" if each.descending else "ascending",
            null_placement="at_start" if each.nulls_first else "at_end",
        )
        found = found.take(places)
    return table.take(found) if order else table


def _arrow(wanted: str) -> pa.DataType:
    if digits := decimal_digits(wanted.upper()):
        return pa.decimal128(*digits)
    return _ARROW[wanted]


def _arrived(wanted: str) -> pa.DataType:
    """Return the type of what becomes `wanted`: days and moments leave a store as numbers."""
    if wanted == "date":
        return pa.int32()
    return pa.int64() if kind_of(wanted) == "timestamp" else _arrow(wanted)


def _whole(value: Any) -> int:  # noqa: ANN401
    if value.as_tuple().exponent < 0:
        raise ValueError("a number with a fraction")
    return int(value)


def _truth(value: Any) -> bool:  # noqa: ANN401
    if value not in (0, 1):
        raise ValueError("neither 0 nor 1")
    return bool(value)


def _single(value: Any) -> float:  # noqa: ANN401
    if abs(value) >= _NO_FLOAT:
        raise ValueError("beyond the largest FLOAT")
    return float(value)


def _own_single(value: Any) -> float:  # noqa: ANN401
    return float(value) if isinf(value) else _single(value)


def _number(value: Any) -> Decimal:  # noqa: ANN401
    if not _DECIMAL_TEXT.fullmatch(value):
        raise ValueError("no decimal number")
    return Decimal(value)


def _text(value: Any) -> str:  # noqa: ANN401
    return str(value, "utf-8")


def _widened(value: Any) -> float:  # noqa: ANN401
    """Return a FLOAT as the DOUBLE that it is: its text has fewer digits."""
    (found,) = unpack("f", pack("f", value))
    return float(found)


_CHANGES: dict[Pair, Callable[[Any], object]] = {
    ("whole", "decimal"): Decimal,
    ("decimal", "whole"): _whole,
    ("whole", "boolean"): _truth,
    ("float", "float"): _own_single,
    ("float", "double"): _widened,
    ("double", "float"): _single,
    ("string", "decimal"): _number,
    ("binary", "string"): _text,
}
"""Two kinds → what makes a value of the second of one of the first, where Arrow is not exact."""
