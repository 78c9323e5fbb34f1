"""Memory and disk of a store, from its own settings: the cache's size, the data's folder."""

import ipaddress
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from evaluation.objects.client import ObjectClient
from evaluation.objects.errors import NodeLostError, ObjectError, RefusedError
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.accumulo import sessions as accumulo_sessions
from evaluation.stores.duckdb import session_with
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.objects import addresses
from evaluation.stores.postgresql import sessions as postgresql_sessions

_WORK = "asking for its settings failed"
# A table lies in the tablespace that the user's setting names, else in its database's. The view
# leaves out what the user may not know, where a function would fail.
_POSTGRESQL = """
SELECT
  pg_size_bytes(current_setting('shared_buffers')),
  coalesce(
    nullif(
      pg_tablespace_location(
        coalesce(
          (SELECT oid FROM pg_tablespace WHERE spcname = current_setting('default_tablespace')),
          dattablespace
        )
      ),
      ''
    ),
    (SELECT setting FROM pg_settings WHERE name = 'data_directory')
  )
FROM pg_database
WHERE datname = current_database()
"""
_POSTGRESQL_STORED = """
SELECT coalesce(sum(pg_table_size(c.oid)), 0)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r'
"""
_MYSQL = """
SELECT @@innodb_buffer_pool_size, @@innodb_old_blocks_pct, @@innodb_flush_method, @@datadir
"""
_MYSQL_STORED = """
SELECT coalesce(sum(data_length), 0) FROM information_schema.tables WHERE table_schema = %s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Settings of a store; None where it cannot be asked.

    `cache_bytes` is the size of its own cache, beside the operating system's page cache. `folder`
    holds its data on its own machine. `found_again_bytes` are the bytes of a sequentially scanned
    table that are still cached at the next scan. `stored_bytes` is the size of the tables in its
    namespace. `reads_past_page_cache` says that the operating system caches nothing for it.
    """

    cache_bytes: int | None = None
    folder: Path | None = None
    found_again_bytes: int | None = None
    stored_bytes: int | None = None
    reads_past_page_cache: bool = False


def settings_of(connection: Connection) -> ServerSettings:
    """Ask a store for what it says of itself.

    Its cache is PostgreSQL's shared_buffers, MariaDB's and MySQL's InnoDB buffer pool, DuckDB's
    memory limit and the capacity of all nodes of the object store. Raises StoreError.
    """
    return ASKED_SETTINGS[connection.kind](connection)


def data_folder(connection: Connection, settings: ServerSettings) -> Path | None:
    """Return where a store of this machine has its data; None if it is elsewhere or not ours.

    It is here if its host is a loopback address, or it has none, and the folder that it names is
    one that we may read and write. A port that is forwarded to a machine or container with a
    folder of that name is not told from it.
    """
    if not _is_here(connection):
        return None
    folder = settings.folder
    # Asked first: one that we may not enter would be an error below.
    if folder is None or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return None
    return folder if folder.is_absolute() and folder.is_dir() else None


def _is_here(connection: Connection) -> bool:
    host = connection.host
    if host is None:
        return connection.path is not None
    if host.startswith("/"):
        # Where PostgreSQL's socket is.
        return True
    try:
        found = socket.getaddrinfo(host, connection.port, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ipaddress.ip_address(address[0]).is_loopback for *_, address in found)


def _postgresql(connection: Connection) -> ServerSettings:
    with postgresql_sessions.session_with(connection, _WORK) as session:
        ((size, folder),) = session.execute(_POSTGRESQL).fetchall()
        ((stored,),) = session.execute(_POSTGRESQL_STORED, [connection.namespace]).fetchall()
    return ServerSettings(
        cache_bytes=size, folder=Path(folder) if folder else None, stored_bytes=int(stored)
    )


def _mysql(connection: Connection) -> ServerSettings:
    with mysql_sessions.session(connection, _WORK, patient=False) as execute:
        ((size, old_share, flush, folder),) = execute(_MYSQL)
        ((stored,),) = execute(_MYSQL_STORED, (connection.namespace,))
    return ServerSettings(
        cache_bytes=size,
        folder=Path(folder),
        # What is read once comes into the old part of the pool, and goes out by itself there.
        found_again_bytes=size * old_share // 100,
        stored_bytes=int(stored),
        reads_past_page_cache=str(flush).upper().startswith("O_DIRECT"),
    )


def _duckdb(connection: Connection) -> ServerSettings:
    """Ask the library: no session of ours sets a limit, so that each has its share of the RAM."""
    path = connection.path
    # The file is made by its first load, and is not made here.
    opened = (
        duckdb.connect()
        if path is not None and not path.exists()
        else session_with(connection, _WORK, read_only=True)
    )
    with opened as session:
        ((size,),) = session.execute(
            "SELECT parse_formatted_bytes(current_setting('memory_limit'))"
        ).fetchall()
    return ServerSettings(cache_bytes=size, folder=path and path.resolve().parent)


def _accumulo(connection: Connection) -> ServerSettings:
    """Tell nothing: its client has no request for what its tablet servers are set to."""
    accumulo_sessions.probe(connection)
    return ServerSettings()


def _objects(connection: Connection) -> ServerSettings:
    failures = Failures(connection=connection)
    with failures.logging_in(NodeLostError, RefusedError):
        client = ObjectClient(addresses(connection), connection.password or "")
    with failures.told(_WORK, ObjectError), client:
        nodes = client.usage().values()
    return ServerSettings(cache_bytes=sum(each.capacity_bytes for each in nodes))


ASKED_SETTINGS: Mapping[str, Callable[[Connection], ServerSettings]] = {
    "postgresql": _postgresql,
    "mysql": _mysql,
    "duckdb": _duckdb,
    "accumulo": _accumulo,
    "objects": _objects,
}
"""Kind of store → what asks one for its settings; StoreError where it does not answer."""
