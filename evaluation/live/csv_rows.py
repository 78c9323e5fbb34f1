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


def rows_of_csv(
    failures: Failures, table: Table, schema: pa.Schema, chunks: Iterator[bytes]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `table` that `chunks` are; what is empty and not quoted is NULL.

    Bytes are hexadecimal digits in quotes.

    Raises:
        StoreError: A value has no place in the type of its column.
    """
    incoming = _Incoming(chunks)
    # Arrow refuses a file without a row.
    if incoming.at_end():
        return
    texts = pa.schema(
        [each.with_type(pa.string()) if pa.types.is_binary(each.type) else each for each in schema]
    )
    try:
        read = csv.open_csv(
            io.BufferedReader(incoming, _READ_BYTES),
            read_options=csv.ReadOptions(column_names=schema.names, block_size=_BLOCK_BYTES),
            parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=texts,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        )
        for batch in read:
            yield batch if texts == schema else _with_bytes(batch, schema)
    except pa.ArrowException as error:
        raise StoreError(
            failures.store,
            f"table '{table.name}' cannot be read ({failures.reason(error)}): it has a value that "
            "its column's type has no place for elsewhere. Leave the statements out that read it, "
            "or change the value.",
        ) from None


def _with_bytes(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        pa.array(
            [None if each is None else bytes.fromhex(each) for each in column.to_pylist()]
        ).cast(pa.binary())
        if pa.types.is_binary(field.type)
        else column
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.record_batch(columns, schema=schema)


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
