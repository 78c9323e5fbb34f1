"""Filters that Spark pushes into a scan, as expressions of Arrow with the same meaning."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc
from pyspark.sql import datasource as ds

_COMPARISONS: dict[type, Callable[[pc.Expression, Any], pc.Expression]] = {
    ds.EqualTo: lambda column, value: column == value,
    ds.GreaterThan: lambda column, value: column > value,
    ds.GreaterThanOrEqual: lambda column, value: column >= value,
    ds.LessThan: lambda column, value: column < value,
    ds.LessThanOrEqual: lambda column, value: column <= value,
}


def arrow_filter(filters: Sequence[ds.Filter], schema: pa.Schema) -> pc.Expression | None:
    """Return the conjunction of `filters`; None if there are none or one has no equal in Arrow.

    A row whose condition is unknown does not pass, in either. Numbers with a fraction in binary
    are left to Spark, for which NaN equals itself and is the largest.
    """
    found = []
    for each in filters:
        expression = _expression(each, schema)
        if expression is None:
            return None
        found.append(expression)
    return reduce(lambda left, right: left & right, found) if found else None


def _expression(one: ds.Filter, schema: pa.Schema) -> pc.Expression | None:
    path: tuple[str, ...] = getattr(one, "attribute", ())
    if len(path) != 1 or path[0] not in schema.names:
        return None
    column = pc.field(path[0])
    if isinstance(one, ds.IsNull):
        return column.is_null()
    if isinstance(one, ds.IsNotNull):
        return column.is_valid()
    type_ = schema.field(path[0]).type
    return None if pa.types.is_floating(type_) else _compared(one, column, type_)


def _compared(one: ds.Filter, column: pc.Expression, type_: pa.DataType) -> pc.Expression | None:
    """Return a comparison with values of the column's own type; None for others."""
    value: Any = getattr(one, "value", None)
    try:
        if isinstance(one, ds.In):
            return column.isin(pa.array([each for each in value if each is not None], type_))
        if isinstance(one, ds.StringStartsWith) and pa.types.is_string(type_):
            return pc.starts_with(column, value)
        compare = _COMPARISONS.get(type(one))
        return None if compare is None else compare(column, pa.scalar(value, type_))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # Spark compares it in another type.
        return None
