"""Tables of Parquet in parts of whole row groups, for threads that each read some of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroups:
    """Row groups of one Parquet file, and the columns to read of them."""

    file: str
    row_groups: tuple[int, ...]
    columns: tuple[str, ...]

    def batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        """Return the rows, so many at a time at most, with the columns in their order."""
        # INT96 would be nanoseconds, which end in 2262.
        with parquet.ParquetFile(self.file, coerce_int96_timestamp_unit="us") as file:
            # The other cores have parts of their own.
            for batch in file.iter_batches(rows, self.row_groups, self.columns, use_threads=False):
                if batch.num_rows:
                    yield batch.select(self.columns)


def row_group_parts(
    files: Sequence[Path], columns: Sequence[str], rows_each: int
) -> list[RowGroups]:
    """Cut a table into parts of whole row groups, each of about so many rows."""
    parts: list[RowGroups] = []
    for path in files:
        metadata = parquet.read_metadata(path)
        groups: list[int] = []
        rows = 0
        for group in range(metadata.num_row_groups):
            groups.append(group)
            rows += metadata.row_group(group).num_rows
            if rows >= rows_each or group == metadata.num_row_groups - 1:
                parts.append(
                    RowGroups(file=str(path), row_groups=tuple(groups), columns=tuple(columns))
                )
                groups, rows = [], 0
    return parts
