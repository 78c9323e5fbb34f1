"""PostgreSQL's memory and disk: its cache is shared_buffers."""

from pathlib import Path

from evaluation.server_settings.settings import WORK, ServerSettings
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import session_with

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
_STORED = """
SELECT coalesce(sum(pg_table_size(c.oid)), 0)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r'
"""


def settings(connection: Connection) -> ServerSettings:
    """Ask for shared_buffers, the folder of its tablespace and the size of our tables."""
    with session_with(connection, WORK) as session:
        ((size, folder),) = session.execute(_SETTINGS).fetchall()
        ((stored,),) = session.execute(_STORED, [connection.namespace]).fetchall()
    return ServerSettings(
        cache_bytes=size, folder=Path(folder) if folder else None, stored_bytes=int(stored)
    )
