"""PostgreSQL's memory and disk: its cache is shared_buffers."""

from pathlib import Path

from evaluation.server_settings.settings import WORK, ServerSettings
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import session_with
from placement.memory.join import StoreJoins

# A table lies in the tablespace that the user's setting names, else in its database's. The view
# leaves out what the user may not know, where a function would fail.
_SETTINGS = """
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
_MEMORY = b"""
SELECT
  pg_size_bytes(current_setting('work_mem')),
  coalesce(nullif(current_setting('hash_mem_multiplier', true), ''), '1'),
  current_setting('server_version_num')::integer
"""
_BUFFER_BYTES = 8192.0
_WEIGHING_BUFFERS = 180_000
_STORED = """
SELECT coalesce(sum(pg_table_size(c.oid)), 0)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r'
"""


def working_memory(connection: Connection) -> tuple[int, StoreJoins]:
    """Ask for the work_mem that a session has by itself, in bytes, and for what hash tables get.

    From version 18 on the server weighs the buffers of a join's batches against its hash table.
    """
    with session_with(connection, WORK) as session:
        ((size, share, version),) = session.execute(_MEMORY).fetchall()
    buffer_bytes = _BUFFER_BYTES if version >= _WEIGHING_BUFFERS else 0.0
    joins = StoreJoins(row_s=0.0, buffer_bytes=buffer_bytes, table_share=float(share))
    return int(size), joins


def settings(connection: Connection) -> ServerSettings:
    """Ask for shared_buffers, the folder of its tablespace and the size of our tables."""
    with session_with(connection, WORK) as session:
        ((size, folder),) = session.execute(_SETTINGS).fetchall()
        ((stored,),) = session.execute(_STORED, [connection.namespace]).fetchall()
    return ServerSettings(
        cache_bytes=size, folder=Path(folder) if folder else None, stored_bytes=int(stored)
    )
