"""Databases in memory that hold nothing but definitions, to be asked what DuckDB makes of a text.

Opening DuckDB takes 10 ms of CPU, most of it for its own functions. One that has been given back
is lent again with a new database attached, which takes 1 ms.
"""

import weakref
from contextlib import suppress

import duckdb

from workloads.duck import OPTIONS, quoted

# No statement names it by chance.
_NAME = quoted("the definitions")
_MOST_IDLE = 4
_idle: list[duckdb.DuckDBPyConnection] = []


class EmptyDatabase:
    """A database of one owner, in which files cannot be read.

    `close` gives it back, and so does the end of what holds it.
    """

    def __init__(self) -> None:
        try:
            connection = _idle.pop()
        except IndexError:
            config = {**OPTIONS, "enable_external_access": False}
            connection = duckdb.connect(":memory:", config=config)
        connection.execute(f"ATTACH ':memory:' AS {_NAME}; USE {_NAME}")
        self.connection = connection
        self._give_back = weakref.finalize(self, _given_back, connection)
        # At the end of the process there is nobody to lend it to.
        self._give_back.atexit = False

    def close(self) -> None:
        """Give it back: its connection is another's from here on."""
        self._give_back()


def _given_back(connection: duckdb.DuckDBPyConnection) -> None:
    # One that cannot be emptied is not lent again.
    with suppress(duckdb.Error):
        connection.execute(f"USE memory; DETACH {_NAME}; PRAGMA enable_optimizer")
        if len(_idle) < _MOST_IDLE:
            _idle.append(connection)
