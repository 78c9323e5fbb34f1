"""MariaDB's and MySQL's memory and disk: their cache is InnoDB's buffer pool."""

from pathlib import Path

from evaluation.server_settings.settings import WORK, ServerSettings
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.sessions import session

_SETTINGS = """
SELECT @@innodb_buffer_pool_size, @@innodb_old_blocks_pct, @@innodb_flush_method, @@datadir
"""
_STORED = """
SELECT coalesce(sum(data_length), 0) FROM information_schema.tables WHERE table_schema = %s
"""


def settings(connection: Connection) -> ServerSettings:
    """Ask for InnoDB's buffer pool, the data's folder and the size of our tables."""
    with session(connection, WORK, patient=False) as execute:
        ((size, old_share, flush, folder),) = execute(_SETTINGS)
        ((stored,),) = execute(_STORED, (connection.namespace,))
    return ServerSettings(
        cache_bytes=size,
        folder=Path(folder),
        # What is read once comes into the old part of the pool, and goes out by itself there.
        found_again_bytes=size * old_share // 100,
        stored_bytes=int(stored),
        reads_past_page_cache=str(flush).upper().startswith("O_DIRECT"),
    )
