"""The pool asked for connections as Spark asks it, and what a session can have that is not new."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evaluation.running.jdbc_options import jdbc_options
from evaluation.store_protocol.connection import Connection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NUMBER = {
    "postgresql": "SELECT pg_backend_pid() AS n",
    "mysql": "SELECT CONNECTION_ID() AS n",
}
"""Statements that tell a session from all others of its server."""
SETTINGS = {
    "postgresql": "SELECT name, setting FROM pg_settings",
    "mysql": "SHOW SESSION VARIABLES",
}
# They tell of the statement or the session, not of how it is set.
OWN = {
    *("pseudo_thread_id", "timestamp", "rand_seed1", "rand_seed2", "last_gtid", "gtid_next"),
    *("in_transaction", "statement_id"),
}
CHANGES = {
    "postgresql": (
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE, ISOLATION LEVEL SERIALIZABLE",
        "CREATE TEMPORARY TABLE left_behind (a INT)",
        "SET work_mem = '77MB'; SET search_path = pg_catalog; SET timezone = 'Asia/Tokyo'",
        "SET statement_timeout = 12345; SET application_name = 'someone'",
        "SET SESSION AUTHORIZATION DEFAULT; PREPARE kept AS SELECT 1; SELECT pg_advisory_lock(77)",
    ),
    "mysql": (
        "SET SESSION TRANSACTION READ WRITE",
        "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        "CREATE TEMPORARY TABLE left_behind (a INT)",
        "SET join_buffer_size = 777216, sort_buffer_size = 777216, sql_mode = 'ANSI_QUOTES'",
        "SET time_zone = '+09:00', autocommit = 0, @left_behind = 7",
        "SET NAMES latin1",
        "SELECT GET_LOCK('left behind', 0)",
    ),
}
LEFT = {
    "postgresql": (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77",
        "SELECT count(*) FROM pg_prepared_statements WHERE name = 'kept'",
    ),
    "mysql": (
        "SELECT COUNT(@left_behind)",
        "SELECT COALESCE(IS_USED_LOCK('left behind'), 0)",
        "SELECT IS_USED_LOCK(CONCAT('placement advisor run {run} ', CONNECTION_ID())) IS NULL",
    ),
}
"""Statements that give 0 where nothing is left behind, and the mark of the run is there."""


class Pool:
    """The pool as Spark asks it for connections, without a job."""

    def __init__(self, spark: "SparkSession", connection: Connection, run: str) -> None:
        self.spark = spark
        self.options = {
            **jdbc_options(connection, run=run, timeout_s=30, fetch_size=100),
            "dbtable": "unread",
        }
        jvm: Any = spark._jvm
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()

        def made(name: str) -> Any:
            found = jvm.java.lang.Class.forName(name, True, loader)
            return found.getDeclaredConstructors()[0].newInstance(None)

        self.driver = made(self.options["driver"])
        self.provider = made("placementadvisor.pool.Provider")

    @contextmanager
    def lent(self) -> Iterator[Any]:
        jvm: Any = self.spark._jvm
        options = jvm.PythonUtils.toScalaMap(self.options)
        connection = self.provider.getConnection(self.driver, options)
        try:
            yield connection
        finally:
            connection.close()


def rows(connection: Any, sql: str) -> list[tuple[str, ...]]:
    statement = connection.createStatement()
    found = []
    if statement.execute(sql):
        result = statement.getResultSet()
        columns = range(1, result.getMetaData().getColumnCount() + 1)
        while result.next():
            found.append(tuple(str(result.getString(column)) for column in columns))
    statement.close()
    return found


def settings(connection: Any, kind: str) -> dict[str, str]:
    return {name: value for name, value in rows(connection, SETTINGS[kind]) if name not in OWN}
