"""DuckDB's types of a Parquet file's columns, where Arrow reads these values as DuckDB does."""

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet
from pyarrow import types as kinds

_NAMES = {
    pa.bool_(): "BOOLEAN", pa.int8(): "TINYINT", pa.int16(): "SMALLINT", pa.int32(): "INTEGER",
    pa.int64(): "BIGINT", pa.uint8(): "UTINYINT", pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER", pa.uint64(): "UBIGINT", pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE", pa.date32(): "DATE", pa.string(): "VARCHAR",
    pa.large_string(): "VARCHAR", pa.string_view(): "VARCHAR", pa.json_(): "VARCHAR",
    pa.binary(): "BLOB", pa.large_binary(): "BLOB", pa.binary_view(): "BLOB",
}  # fmt: skip
_MOST_DIGITS = 38


def columns(file: Path) -> dict[str, pa.DataType]:
    """Return the columns of `file` with Arrow's types, as our readers get them.

    Raises:
        pa.ArrowException: It cannot be read as Parquet.
        OSError: It cannot be read.
    """
    # INT96 would be nanoseconds, which end in 2262.
    with parquet.ParquetFile(file, coerce_int96_timestamp_unit="us") as opened:
        schema = opened.schema_arrow
    return (
        {}
        if len(set(schema.names)) < len(schema.names)
        else dict(zip(schema.names, schema.types, strict=True))
    )


def duck_type(kind: pa.DataType) -> str:
    """Return DuckDB's type of what Arrow reads as `kind`; "" where the values are not alike."""
    if kinds.is_dictionary(kind):
        return duck_type(kind.value_type)
    if kinds.is_decimal(kind) and not is_too_wide(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if kinds.is_fixed_size_binary(kind):
        return "BLOB"
    if kinds.is_timestamp(kind) and kind.unit != "ns":
        return "TIMESTAMP WITH TIME ZONE" if kind.tz else "TIMESTAMP"
    return _NAMES.get(kind, "")


def is_too_wide(kind: pa.DataType) -> bool:
    """Whether these are decimals of more digits than DuckDB has: it reads other numbers."""
    return bool(kinds.is_decimal(kind)) and kind.precision > _MOST_DIGITS
