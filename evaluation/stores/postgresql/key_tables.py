"""Tables of keys in PostgreSQL: loaded by COPY, without a log.

They are no temporary tables, which their own session alone sees: Spark reads by several sessions,
and these write nothing.
"""

from typing import TYPE_CHECKING, ClassVar

import psycopg

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.key_tables import KEY, KeyTable, key_lines, key_type
from evaluation.stores.copies import table_name
from evaluation.stores.postgresql.sessions import briefly_connected, mark_session, session_with
from placement.stores import MOST_TABLED

if TYPE_CHECKING:
    import pyarrow as pa


class PostgreSQLKeyTables:
    """Tables of keys in our schema."""

    most: ClassVar[int] = MOST_TABLED

    def load(self, connection: Connection, name: str, keys: "pa.Array", run: str) -> KeyTable:
        """Load keys by COPY, and have them counted."""
        table = table_name(connection, name)
        with session_with(connection, "a table of keys cannot be loaded") as session:
            mark_session(session, run)
            session.execute(f"DROP TABLE IF EXISTS {table}".encode())
            column = f"{quoted(KEY)} {key_type(keys)} NOT NULL"
            session.execute(f"CREATE UNLOGGED TABLE {table} ({column})".encode())
            with session.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as to:
                for lines in key_lines(keys):
                    to.write(lines)
            session.execute(f"ANALYZE {table}".encode())
        return KeyTable(select=f"SELECT {quoted(KEY)} FROM {table}")  # noqa: S608 - quoted

    def drop(self, connection: Connection, name: str) -> None:
        """Drop the table, unless a session of ours still reads it."""
        failures = Failures(connection=connection)
        with (
            failures.told("a table of keys cannot be dropped", psycopg.Error),
            briefly_connected(connection) as session,
        ):
            session.execute(f"DROP TABLE IF EXISTS {table_name(connection, name)}".encode())
