"""The layout of a table in Accumulo: its columns, its key and its split points."""

import json

import pyarrow as pa
from pyarrow import parquet

from evaluation.bulk import bulk
from evaluation.bulk.tab_separated import encode
from evaluation.store_protocol.columns import ColumnTypes
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from workloads.catalog import Table

LAYOUTS = ("packed", "columnar")
"""An entry a row, or an entry a column."""
TYPES = ColumnTypes(
    text="string",
    decimal="decimal",
    names={
        "TINYINT": "tinyint",
        **dict.fromkeys(("SMALLINT", "UTINYINT"), "smallint"),
        **dict.fromkeys(("INTEGER", "USMALLINT"), "int"),
        **dict.fromkeys(("BIGINT", "UINTEGER"), "bigint"),
        "UBIGINT": "decimal(20, 0)",
        "FLOAT": "float",
        "DOUBLE": "double",
        "BOOLEAN": "boolean",
        "DATE": "date",
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "DATETIME"), "timestamp_ntz"),
        "TIMESTAMPTZ": "timestamp",
        "BLOB": "binary",
    },
)
"""Spark's names, which the connector gives the columns."""

_ROWS_EACH = 100_000
_MOST_TABLETS = 16
_SAMPLED = 4_000


def schema(connection: Connection, table: Table) -> str:
    """Return the columns, key and layout as JSON.

    Raises:
        StoreError: A column has a type that cannot be held.
    """
    names = [column.name for column in table.columns]
    return json.dumps(
        {
            "columns": [
                {"name": column.name, "type": TYPES.of(connection.store, table, column)}
                for column in table.columns
            ],
            "key": [names.index(name) for name in table.primary_key],
            "layout": connection.options.get("layout", LAYOUTS[0]),
        },
        ensure_ascii=False,
    )


def tablets(table: Table) -> int:
    """Return into how many tablets the table is cut: each is read by a task of its own."""
    return max(1, min(_MOST_TABLETS, table.rows // _ROWS_EACH))


def key_sample(failures: Failures, table: Table) -> str:
    """Return the key's columns of some rows, as text; nothing for a table that is not cut by them.

    Raises:
        StoreError: The Parquet cannot be read.
    """
    if not table.primary_key or tablets(table) == 1:
        return ""
    names = list(table.primary_key)
    every = max(1, table.rows // _SAMPLED)
    parts = []
    try:
        for file in bulk.files(failures, table):
            found = parquet.read_table(file, columns=names, coerce_int96_timestamp_unit="us")
            keys = found.select(names)
            some = keys.take(pa.array(range(0, keys.num_rows, every), pa.int64()))
            parts += [bytes(encode(batch)) for batch in some.combine_chunks().to_batches()]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise failures.error(error, f"table '{table.name}' cannot be loaded") from None
    return b"".join(parts).decode()
