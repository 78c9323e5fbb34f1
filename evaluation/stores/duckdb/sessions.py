"""Sessions of a DuckDB file."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from workloads.errors import StoreError


@contextmanager
def session_with(
    connection: Connection, work: str, *, read_only: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the file for the length of the block; StoreError for what fails in it.

    `work` says in errors what was going on.
    """
    failures = Failures(connection=connection)
    if connection.path is None:
        raise StoreError(connection.store, f"needs [stores.{connection.store}].path, a file.")
    try:
        session = duckdb.connect(str(connection.path), read_only=read_only)
    except duckdb.Error as error:
        raise StoreError(
            connection.store,
            f"cannot open {connection.path} ({failures.reason(error)}): it must be a DuckDB "
            "file, or none yet, that no other process has open.",
        ) from None
    with failures.told(work, duckdb.Error), session:
        yield session
