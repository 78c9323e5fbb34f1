"""Bulk loading: Spark tasks that each send their part of a table down a store's fastest path."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from pyarrow import parquet

from evaluation.stores.failures import Failures
from evaluation.stores.key_ranges import key_ranges
from evaluation.stores.tab_separated import encode
from workloads.catalog import Table
from workloads.errors import CatalogError, StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Sender = Callable[[Iterable[memoryview]], int]
"""Sends rows as tab-separated text in one transaction; returns how many the store took."""

_ROWS_PER_TASK = 200_000
_ROWS_PER_BATCH = 10_000


class Part(Protocol):
    """What one task sends."""

    def batches(self) -> Iterator[memoryview]:
        """Return the rows as tab-separated text, the columns in their order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowGroups:
    """Row groups of one Parquet file."""

    file: str
    row_groups: tuple[int, ...]
    columns: tuple[str, ...]

    def batches(self) -> Iterator[memoryview]:
        """Return the rows as tab-separated text, the columns in their order."""
        with parquet.ParquetFile(self.file) as file:
            # The other cores have parts of their own.
            found = file.iter_batches(
                _ROWS_PER_BATCH, self.row_groups, self.columns, use_threads=False
            )
            for batch in found:
                if batch.num_rows:
                    yield encode(batch.select(self.columns))


def send(
    spark: "SparkSession",
    failures: Failures,
    table: Table,
    sender: Sender,
    *,
    by_key: bool = False,
) -> int:
    """Send the rows of `table` by as many tasks as they are worth; return how many were taken.

    With `by_key` each task sends a range of the primary key, in its order.

    The tasks read their Parquet themselves: a plan of Spark's for each table costs its Java more
    than everything else (28 of 36 CPU seconds for TPC-DS at scale factor 0.1).

    Raises:
        StoreError: The Parquet cannot be read, or the store does not take it.
    """
    from py4j.protocol import Py4JError

    try:
        context = spark.sparkContext
        if by_key:
            most = min(context.defaultParallelism, -(-table.rows // _ROWS_PER_TASK))
            parts: Sequence[Part] = key_ranges(table, files(failures, table), most)
        else:
            parts = _parts(failures, table)
        if len(parts) <= 1:
            # One task gains nothing by being another process's.
            return sum(sender(part.batches()) for part in parts)
        taken = context.parallelize(parts, len(parts)).map(lambda part: sender(part.batches()))
        return sum(taken.collect())
    except (Py4JError, pa.ArrowException, OSError, ValueError, CatalogError) as error:
        raise failures.error(error, f"table '{table.name}' cannot be loaded") from None


def check_rows(failures: Failures, table: Table, rows: int) -> None:
    """Raise StoreError unless the store holds as many rows as the catalog says."""
    if rows != table.rows:
        raise StoreError(
            failures.store,
            f"table '{table.name}' arrived with {rows:,} rows, {table.rows:,} expected: its "
            f"Parquet ({table.parquet}) is not the catalog's; make the catalog anew.",
        )


def files(failures: Failures, table: Table) -> Sequence[Path]:
    """Return the Parquet files of `table`.

    Raises:
        StoreError: There are none.
    """
    path = table.parquet
    if path is None:
        found = []
    elif path.is_dir():
        found = sorted(path.rglob("*.parquet"))
    elif path.exists():
        found = [path]
    else:
        found = sorted(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207 - a whole pattern
    if not found:
        raise StoreError(
            failures.store,
            f"table '{table.name}' cannot be loaded: there is no Parquet at {path}.",
        )
    return found


def _parts(failures: Failures, table: Table) -> list[Part]:
    """Cut the table into parts of whole row groups, each of about as many rows as a task takes."""
    columns = tuple(column.name for column in table.columns)
    parts: list[Part] = []
    for path in files(failures, table):
        metadata = parquet.read_metadata(path)
        groups: list[int] = []
        rows = 0
        for group in range(metadata.num_row_groups):
            groups.append(group)
            rows += metadata.row_group(group).num_rows
            if rows >= _ROWS_PER_TASK or group == metadata.num_row_groups - 1:
                parts.append(_RowGroups(file=str(path), row_groups=tuple(groups), columns=columns))
                groups, rows = [], 0
    return parts
