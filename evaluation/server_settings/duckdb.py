"""DuckDB's memory and disk: its cache is its memory limit."""

import duckdb

from evaluation.server_settings.settings import WORK, ServerSettings
from evaluation.store_protocol.connection import Connection
from evaluation.stores.duckdb.sessions import session_with


def settings(connection: Connection) -> ServerSettings:
    """Ask the library: no session of ours sets a limit, so that each has its share of the RAM."""
    path = connection.path
    # The file is made by its first load, and is not made here.
    opened = (
        duckdb.connect()
        if path is not None and not path.exists()
        else session_with(connection, WORK, read_only=True)
    )
    with opened as session:
        ((size,),) = session.execute(
            "SELECT parse_formatted_bytes(current_setting('memory_limit'))"
        ).fetchall()
    return ServerSettings(cache_bytes=size, folder=path and path.resolve().parent)
