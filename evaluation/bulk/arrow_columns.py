"""The columns of a copy that is kept as Arrow: types that Spark reads back unchanged."""

import re

import pyarrow as pa

from evaluation.store_protocol.columns import ColumnTypes
from workloads.catalog import Table

_ARROW = {
    "string": pa.string(), "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(),
    "int64": pa.int64(), "float": pa.float32(), "double": pa.float64(), "bool": pa.bool_(),
    "date": pa.date32(), "moment": pa.timestamp("us"), "instant": pa.timestamp("us", "UTC"),
    "binary": pa.binary(),
}  # fmt: skip
# Spark has no numbers without a sign: they are the next larger ones.
TYPES = ColumnTypes(
    text="string",
    decimal="decimal",
    names={
        "TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64",
        "UTINYINT": "int16", "USMALLINT": "int32", "UINTEGER": "int64", "UBIGINT": "decimal(20, 0)",
        "FLOAT": "float", "DOUBLE": "double", "BOOLEAN": "bool", "DATE": "date",
        "TIMESTAMP": "moment", "TIMESTAMP_S": "moment", "TIMESTAMP_MS": "moment",
        "DATETIME": "moment", "TIMESTAMPTZ": "instant", "BLOB": "binary",
    },
)  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+), (\d+)\)")


def arrow_schema(store: str, table: Table) -> pa.Schema:
    """Return the columns of `table` as Arrow's.

    Raises:
        StoreError: A type has no equal.
    """
    return pa.schema(
        [(column.name, _type(TYPES.of(store, table, column))) for column in table.columns]
    )


def _type(name: str) -> pa.DataType:
    if found := _DECIMAL.fullmatch(name):
        return pa.decimal128(int(found[1]), int(found[2]))
    return _ARROW[name]
