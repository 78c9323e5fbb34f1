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

    `close` gives it back, and so does the end of what holds it. Its `connection` ends then.
    """

    def __init__(self) -> None:
        try:
            opened = _idle.pop()
        except IndexError:
            config = {**OPTIONS, "enable_external_access": False}
            opened = duckdb.connect(":memory:", config=config)
        # Settings, temporary tables and prepared statements are a connection's own.
        self.connection = opened.cursor()
        self.connection.execute(f"ATTACH ':memory:' AS {_NAME}; USE {_NAME}")
        self._give_back = weakref.finalize(self, _given_back, opened, self.connection)
        # At the end of the process there is nobody to lend it to.
        self._give_back.atexit = False

    def close(self) -> None:
        """Give it back."""
        self._give_back()


def _given_back(opened: duckdb.DuckDBPyConnection, lent: duckdb.DuckDBPyConnection) -> None:
    lent.close()
    # One that cannot be emptied is not lent again.
    with suppress(duckdb.Error):
        opened.execute(f"DETACH {_NAME}")
        if len(_idle) < _MOST_IDLE:
            _idle.append(opened)
