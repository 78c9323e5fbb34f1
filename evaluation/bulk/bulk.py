"""Bulk loading: threads that each send their part of a table down a store's fastest path."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from threading import Event
from typing import Protocol

import pyarrow as pa

from evaluation.bulk.key_ranges import key_ranges
from evaluation.bulk.row_groups import RowGroups, row_group_parts
from evaluation.bulk.tab_separated import encode
from evaluation.processes.temporary_folder import temporary_folder
from evaluation.store_protocol.failures import Failures
from workloads.catalog import Table
from workloads.errors import CatalogError, StoreError
from workloads.measuring.table_files import parquet_files

Sender = Callable[[Iterable[memoryview]], int]
"""Sends rows as tab-separated text in one transaction; returns how many the store took."""

_ROWS_PER_PART = 200_000
_ROWS_PER_BATCH = 10_000


class LoadStoppedError(Exception):
    """A load ended before its time, since another one failed or the user interrupted it."""


class Part(Protocol):
    """The rows that one thread sends at a time."""

    def batches(self) -> Iterator[memoryview]:
        """Return the rows as tab-separated text, the columns in their order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowGroups:
    """Row groups as tab-separated text."""

    part: RowGroups

    def batches(self) -> Iterator[memoryview]:
        """Return the rows as tab-separated text, the columns in their order."""
        return map(encode, self.part.batches(_ROWS_PER_BATCH))


def send(
    failures: Failures,
    table: Table,
    sender: Sender,
    *,
    by_key: bool = False,
    stop: Event | None = None,
) -> int:
    """Send the rows of `table` by a thread a core, a part each; return how many were taken.

    With `by_key` each part is a range of the primary key, in its order. `stop` ends the load
    before its time, at the next rows; it is set when a part fails.

    Reading, encoding and sending happen in libraries that let other threads run meanwhile, so
    that threads do what processes would, and the engine's executors need no Python.

    Raises:
        StoreError: The Parquet cannot be read, or the store does not take it.
        LoadStoppedError: `stop` was set by another.
    """
    found = files(failures, table)
    cores = len(os.sched_getaffinity(0))
    try:
        with temporary_folder() as scratch:
            if by_key:
                most = min(cores, -(-table.rows // _ROWS_PER_PART))
                parts: Sequence[Part] = key_ranges(table, found, most, scratch)
            else:
                parts = _parts(found, table)
            return _sent(parts, sender, cores, stop or Event())
    except (pa.ArrowException, OSError, ValueError, CatalogError) as error:
        raise failures.error(error, f"table '{table.name}' cannot be loaded") from None


def _sent(parts: Sequence[Part], sender: Sender, threads: int, stop: Event) -> int:
    """Send all parts, by so many threads; when one fails the others stop."""
    with ThreadPoolExecutor(threads) as pool:
        sending = [pool.submit(copy_context().run, sender, _until(stop, part)) for part in parts]
        try:
            done, _ = wait(sending, return_when=FIRST_EXCEPTION)
            return sum(each.result() for each in done)
        except BaseException:
            stop.set()
            for each in sending:
                each.cancel()
            raise


def _until(stop: Event, part: Part) -> Iterator[memoryview]:
    for rows in part.batches():
        if stop.is_set():
            raise LoadStoppedError
        yield rows


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
        ConfigurationError: A folder of them cannot be read.
    """
    path = table.parquet
    if path is None:
        found = []
    elif path.is_dir():
        found = sorted(parquet_files(path))
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


def _parts(found: Sequence[Path], table: Table) -> list[Part]:
    """Cut the table into parts of whole row groups, each of about as many rows."""
    columns = [column.name for column in table.columns]
    return [_RowGroups(part=each) for each in row_group_parts(found, columns, _ROWS_PER_PART)]
