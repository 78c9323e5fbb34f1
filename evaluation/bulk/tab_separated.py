r"""Rows as the text that PostgreSQL's COPY and MySQL's LOAD DATA both read by default.

A line a row, a tab between values, ``\N`` for NULL, and a backslash before what would be
mistaken for one of these. Bytes are hexadecimal digits behind ``\x``, as PostgreSQL has them.
"""

from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

NULL = r"\N"
_NO_DAY = "<"
_DAYS_TO_1970 = date(1970, 1, 1).toordinal() - 1
# The calendar repeats itself after 400 years.
_DAYS_OF_CYCLE = 146_097
# The backslash first: the others bring one.
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def encode(batch: pa.RecordBatch) -> memoryview:
    """Return the rows of `batch` as UTF-8 text, every row ended by a newline."""
    columns = [_as_text(column) for column in batch.columns]
    columns[-1] = _joined(columns[-1], pa.scalar("\n", pa.string()), "")
    # The values of a string array lie end to end: they are the text.
    lines = _joined(*columns, "\t")
    _, offsets, text = lines.buffers()
    first, last = (
        int.from_bytes(offsets[4 * index : 4 * index + 4], "little")
        for index in (lines.offset, lines.offset + len(lines))
    )
    return memoryview(text)[first:last]


def _joined(*columns: Any) -> Any:  # noqa: ANN401
    """Return the values of all but the last, which is what to put between them."""
    return pc.binary_join_element_wise(*columns, null_handling="replace", null_replacement=NULL)


def _as_text(column: Any) -> Any:  # noqa: ANN401
    """Return `column` as strings that both stores read."""
    kind = column.type
    if _is_bytes(kind):
        return _hexadecimal(column)
    if not (pa.types.is_primitive(kind) or pa.types.is_decimal(kind)):
        # Text in one of Arrow's forms, such as a dictionary.
        return _escaped(column.cast(pa.string()))
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_timestamp(kind) and kind.tz is not None:
        # In UTC, as the sessions that read it are: a zone's mark is not text MySQL takes.
        column = column.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us"))
    text = column.cast(pa.string())
    if pa.types.is_temporal(kind) and pc.any(pc.starts_with(text, _NO_DAY)).as_py():
        return _with_far_days(column, text)
    return text


def _is_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    known = (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_fixed_size_binary,
        pa.types.is_binary_view,
    )
    return any(is_such(kind) for is_such in known)


def _hexadecimal(column: Any) -> Any:  # noqa: ANN401
    return pa.array(
        [None if value is None else rf"\\x{value.hex()}" for value in column.to_pylist()],
        pa.string(),
    )


def _with_far_days(column: Any, text: Any) -> Any:  # noqa: ANN401
    """Return `text` with the days of years that Arrow has no text for."""
    days = column.cast(pa.date32()).cast(pa.int32())
    times = (
        pc.utf8_slice_codeunits(
            pc.subtract(column, column.cast(pa.date32()).cast(column.type))
            .cast(pa.int64())
            .cast(pa.timestamp("us"))
            .cast(pa.string()),
            len("1970-01-01"),
        )
        if pa.types.is_timestamp(column.type)
        else pa.array([""] * len(column))
    )
    far = [
        None if day is None else f"{_day(day)}{time}"
        for day, time in zip(days.to_pylist(), times.to_pylist(), strict=True)
    ]
    return pc.if_else(pc.starts_with(text, _NO_DAY), pa.array(far, pa.string()), text)


def _day(days: int) -> str:
    """Return the text of a day that is so many after 1970-01-01."""
    cycles, rest = divmod(days + _DAYS_TO_1970, _DAYS_OF_CYCLE)
    day = date.fromordinal(rest + 1)
    return f"{day.year + 400 * cycles:04}-{day.month:02}-{day.day:02}"


def _escaped(column: Any) -> Any:  # noqa: ANN401
    for character, escape in _ESCAPES:
        column = pc.replace_substring(column, character, escape)
    return column
