"""Tables of keys in MariaDB and MySQL: loaded by LOAD DATA.

They are no temporary tables, which their own session alone sees: Spark reads by several sessions,
and these write nothing.
"""

from typing import TYPE_CHECKING, ClassVar

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.key_tables import KEY, KeyTable, key_lines, key_type
from evaluation.stores.copies import table_name
from evaluation.stores.mysql.load_data import LoadData
from evaluation.stores.mysql.sessions import mark_session, session
from placement.stores import MOST_TABLED

if TYPE_CHECKING:
    import pyarrow as pa

_MARK = "`"
_BRIEFLY_S = 2


class MySQLKeyTables:
    """Tables of keys in our database."""

    most: ClassVar[int] = MOST_TABLED

    def load(self, connection: Connection, name: str, keys: "pa.Array", run: str) -> KeyTable:
        """Load keys by LOAD DATA, in the order of the table's own tree."""
        table, column = table_name(connection, name, _MARK), quoted(KEY, _MARK)
        with session(connection, "a table of keys cannot be loaded") as execute:
            mark_session(execute, run)
            execute(f"DROP TABLE IF EXISTS {table}")
            kind = key_type(keys)
            execute(f"CREATE TABLE {table} ({column} {kind} PRIMARY KEY) ENGINE=InnoDB")
            sender = LoadData(connection=connection, target=table, columns=(column,), run=run)
            try:
                sender(key_lines(keys))
            except ValueError as error:
                failures = Failures(connection=connection)
                raise failures.error(error, "a table of keys cannot be loaded") from None
            execute(f"ANALYZE TABLE {table}")
        return KeyTable(select=f"SELECT {column} FROM {table}")  # noqa: S608 - quoted

    def drop(self, connection: Connection, name: str) -> None:
        """Drop the table, unless a session of ours still reads it."""
        work = "a table of keys cannot be dropped"
        with session(connection, work, patient=False) as execute:
            execute(f"SET SESSION lock_wait_timeout = {_BRIEFLY_S}")
            execute(f"DROP TABLE IF EXISTS {table_name(connection, name, _MARK)}")
