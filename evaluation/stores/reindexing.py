"""Re-indexing: a copy that stays gets the indexes that are wanted of it, and loses others of ours.

The register says first that they are being changed. A copy of which that is not done is found so
the next time, and only what is still missing is made.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import Context
from dataclasses import replace
from time import perf_counter

from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.columns import is_bytes, is_text
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import CHANGING, index_mark
from evaluation.stores.copies import Copies
from workloads.catalog import Table
from workloads.errors import StoreError

Ends = Callable[[Connection, str], int]
"""Ends the sessions of a run, as a back end does."""


def reindexed(
    copies: Copies, table: Table, there: LoadedTable, change: Callable[[], None]
) -> LoadedTable | None:
    """Let `change` give the copy `there` the indexes of `table`, and register it.

    Its seconds of loading are from then on those with the change. None where its primary key is
    another: no index stands in for that.
    """
    started = perf_counter()
    if not _has_key(copies, table):
        return None
    copies.change(replace(there, indexes=CHANGING))
    change()
    copy = replace(
        there,
        indexes=index_mark(table),
        load_s=there.load_s + perf_counter() - started,
        reindexed=True,
    )
    copies.change(copy)
    return copy


def _has_key(copies: Copies, table: Table) -> bool:
    """Tell whether a copy has the table's primary key, or none where text makes it an index."""
    key, wanted = copies.key(table.name), table.primary_key
    if key or not wanted:
        return [each.lower() for each in key] == [each.lower() for each in wanted]
    return any(is_text(each) or is_bytes(each) for each in map(table.column, wanted))


@contextmanager
def ended_with_us(connection: Connection, ends: Ends) -> Iterator[str]:
    """Give a run for a session's mark, and end its statement where we stop waiting for it.

    A server builds an index to its end, whoever has left.
    """
    run = secrets.token_hex(8)
    try:
        yield run
    except BaseException:
        with suppress(StoreError):
            # In this context, waits may be interrupted already.
            Context().run(ends, connection, run)
        raise


def difference(
    had: frozenset[str], wanted: Mapping[str, str]
) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Return the names of indexes to be dropped, and name → what makes one that is missing."""
    missing = {name: made for name, made in wanted.items() if name not in had}
    return tuple(sorted(had - wanted.keys())), missing
