"""Copies of a DuckDB file, for a process that has to write the file that it opens."""

import shutil
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from evaluation.store_protocol.connection import Connection
from evaluation.stores.duckdb.sessions import session_with
from workloads.errors import StoreError

WAIT_S = 30.0
"""Seconds in which a file that is written meanwhile has to be whole in a copy."""
_POLL_S = 0.5
_READ = "SELECT count(*) FROM information_schema.columns"
"""It reads what the file says of all its tables."""


def copied(connection: Connection, folder: Path, *, wait_s: float = WAIT_S) -> Connection:
    """Copy a store's file into a folder of its name in `folder`; return the store with that copy.

    A copy of a file that was written meanwhile may have pages of before and after. So each is
    opened and read, and made again for `wait_s` seconds while that fails.

    Raises:
        StoreError: No copy could be read.
    """
    ends, own = time.monotonic() + wait_s, folder / connection.store
    own.mkdir(exist_ok=True)
    while True:
        copy = replace(connection, path=_copy(connection, own))
        try:
            with session_with(copy, "reading a copy of its file failed") as session:
                session.execute(_READ).fetchall()
        except StoreError:
            if time.monotonic() >= ends:
                raise
            time.sleep(_POLL_S)
        else:
            return copy


def _copy(connection: Connection, folder: Path) -> Path:
    """Copy the file, and the log of what is not in it yet."""
    if connection.path is None:
        raise StoreError(connection.store, f"needs [stores.{connection.store}].path, a file.")
    log = connection.path.with_name(f"{connection.path.name}.wal")
    (folder / log.name).unlink(missing_ok=True)
    try:
        with suppress(FileNotFoundError):
            shutil.copy(log, folder)
        return Path(shutil.copy(connection.path, folder))
    except OSError as error:
        raise StoreError(connection.store, f"cannot copy {connection.path}: {error}.") from None
