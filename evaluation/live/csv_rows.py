"""Rows that servers write as CSV, read by Arrow as they come."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import csv

from evaluation.store_protocol.failures import Failures
from workloads.catalog import Table
from workloads.errors import StoreError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_READ_BYTES = 1 << 20
# No row may be longer than a block.
_BLOCK_BYTES = 32 << 20


class UnplacedValueError(StoreError):
    """A value that its column's type has no place for elsewhere."""


def rows_of_csv(
    failures: Failures,
    table: Table,
    schema: pa.Schema,
    chunks: Iterator[bytes],
    *,
    counts_days: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `table` that `chunks` are; what is empty and not quoted is NULL.

    Bytes are hexadecimal digits in quotes. With `counts_days` days are their numbers since 1970,
    and moments microseconds: so those that have no digits of a calendar arrive too.

    Raises:
        UnplacedValueError: A value has no place in the type of its column.
    """
    incoming = _Incoming(chunks)
    # Arrow refuses a file without a row.
    if incoming.at_end():
        return
    written = pa.schema(
        [each.with_type(_written(each.type, counts_days=counts_days)) for each in schema]
    )
    try:
        read = csv.open_csv(
            io.BufferedReader(incoming, _READ_BYTES),
            read_options=csv.ReadOptions(column_names=schema.names, block_size=_BLOCK_BYTES),
            parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=written,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        )
        for batch in read:
            yield batch if written == schema else _as_meant(batch, schema)
    except pa.ArrowException as error:
        raise UnplacedValueError(
            failures.store,
            f"table '{table.name}' cannot be read ({failures.reason(error)}): it has a value that "
            "its column's type has no place for elsewhere. Leave the statements out that read it, "
            "or change the value.",
        ) from None


def _written(type_: pa.DataType, *, counts_days: bool) -> pa.DataType:
    """Return the type in which values of `type_` are read from the text."""
    if pa.types.is_binary(type_):
        return pa.string()
    if counts_days and pa.types.is_date32(type_):
        return pa.int32()
    return pa.int64() if counts_days and pa.types.is_timestamp(type_) else type_


def _as_meant(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        _with_bytes(column) if pa.types.is_binary(field.type) else column.cast(field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.record_batch(columns, schema=schema)


def _with_bytes(column: pa.Array) -> pa.Array:
    values = [None if each is None else bytes.fromhex(each) for each in column.to_pylist()]
    return pa.array(values, pa.binary())


class _Incoming(io.RawIOBase):
    """Chunks of bytes as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._left = memoryview(b"")

    def at_end(self) -> bool:
        """Tell whether nothing is left."""
        if not self._left:
            self._left = memoryview(next(self._chunks, b""))
        return not self._left

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill the buffer with the next bytes; 0 at the end."""
        target = memoryview(buffer).cast("B")
        if self.at_end():
            return 0
        count = min(len(self._left), len(target))
        target[:count] = self._left[:count]
        self._left = self._left[count:]
        return count
