"""The protocol of a store whose own tables are candidates' copies. One file a kind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

import pyarrow as pa

from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog, Column, Origin, Table
from workloads.progress import Progress

BATCH_ROWS = 100_000
"""Rows of a part of the Parquet that is written of a table, at most."""


class Reader(Protocol):
    """A store's own tables as they were at one moment."""

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of `table`, its columns as `Column.read_as` has them.

        Raises:
            StoreError: They cannot be read, or a value has no place in the type of its column.
        """
        ...

    def mark(self, table: Table, since: str = "") -> str:
        """Return what tells later whether the rows have changed; "" where nothing would.

        It is `since`, an earlier mark of the table, if they are the same as then.
        """
        ...


class OwnTables(Protocol):
    """A kind of store whose tables can be read where they are. It never writes there."""

    def as_read(self, connection: Connection, catalog: Catalog, progress: Progress) -> Catalog:
        """Return the catalog of the store with the origin of each table.

        Each column has a type that stores have copies of, and how it is read as such. Those whose
        values are known to have no place elsewhere are left out.

        Raises:
            StoreError: The store does not answer.
        """
        ...

    def at_one_moment(self, connection: Connection) -> AbstractContextManager[Reader]:
        """Give a reader of the tables in one transaction, which takes no lock on their rows.

        Raises:
            StoreError: The store does not answer.
        """
        ...

    def unplaced(self, connection: Connection, table: Table) -> Mapping[str, str]:
        """Return the columns with a value that no copy can hold → their types with such a value.

        Raises:
            StoreError: The store does not answer.
        """
        ...

    def changed(self, connection: Connection, tables: Sequence[Table]) -> Mapping[str, bool | None]:
        """Return the name of each of `tables` → whether its rows are others than when it was read.

        None is for a table of which the store cannot tell.

        Raises:
            StoreError: The store does not answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A column as it is read: `type` is DuckDB's of what arrives, `own_type` that of the value.

    `sql` is "" where it is the column alone.
    """

    type: str
    sql: str = ""
    own_type: str = ""


def with_readings(
    catalog: Catalog, store: str, reading: Callable[[Table, Column], Reading]
) -> Catalog:
    """Return the catalog with the origin of all tables and the readings of all columns."""
    tables = {
        name: replace(
            table,
            columns=tuple(_read(column, reading(table, column)) for column in table.columns),
            origin=Origin(store=store),
        )
        for name, table in catalog.tables.items()
    }
    return replace(catalog, tables=tables)


def without(table: Table, unplaced: Mapping[str, str]) -> Table:
    """Return `table` with the columns `unplaced` left out of copies; it maps them to types."""
    kept = tuple(each for each in table.columns if each.name not in unplaced)
    return replace(
        table,
        columns=kept,
        left_out={**table.left_out, **unplaced},
        primary_key=()
        if any(each in unplaced for each in table.primary_key)
        else table.primary_key,
        indexes=tuple(
            replace(each, obstacle=each.obstacle or "a column of it is left out of copies")
            if any(column in unplaced for column in each.columns)
            else each
            for each in table.indexes
        ),
    )


def _read(column: Column, reading: Reading) -> Column:
    return replace(column, type=reading.type, own_type=reading.own_type, read_as=reading.sql)


_ARROW: Mapping[str, pa.DataType] = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "UTINYINT": pa.uint8(),
    "USMALLINT": pa.uint16(),
    "UINTEGER": pa.uint32(),
    "UBIGINT": pa.uint64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BLOB": pa.binary(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"),
}


def arrow_schema(table: Table) -> pa.Schema:
    """Return the columns of `table` with Arrow's types, of which DuckDB reads its own again."""
    return pa.schema([(column.name, _arrow(column.type)) for column in table.columns])


def _arrow(type_: str) -> pa.DataType:
    if type_ in _ARROW:
        return _ARROW[type_]
    precision, scale = (int(each) for each in type_[len("DECIMAL(") : -1].split(","))
    return pa.decimal128(precision, scale)
