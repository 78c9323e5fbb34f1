"""Queries for tests of the runtime, and what stores and engine say of what they run."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pymysql

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.stores import Capability

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Statements that no machine ends within a test, and one that each store answers at once.
SLOW = {
    "pg": "SELECT count(*) AS n FROM generate_series(1, 1000000) AS a(x), "
    "generate_series(1, 1000000) AS b(y) WHERE x + y = 7",
    "maria": "SELECT count(*) AS n FROM seq_1_to_1000000 AS a, seq_1_to_1000000 AS b "
    "WHERE a.seq + b.seq = 7",
    # It has no sequences, and numbers no more than a thousand.
    "mysql8": "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1000) "
    "SELECT count(*) AS n FROM s AS a, s AS b, s AS c, s AS d "
    "WHERE a.n + b.n + c.n + d.n = 1000000",
    "duck": "SELECT count(*) AS n FROM range(10000000) AS a(x), range(10000000) AS b(y) "
    "WHERE x + y = 7",
}
QUICK = "SELECT 1 AS n"
# Another run of the advisor, as its sessions are marked.
OTHER = "another"


def compiled(sql: Mapping[str, str], combine_sql: str | None = None) -> CompiledQuery:
    """A query of one fragment in each store of `sql`."""
    fragments = []
    for number, (store, text) in enumerate(sql.items()):
        fragment = Fragment(
            coverage=Coverage(
                query="q",
                kind=Capability.QUERY,
                block="",
                sources=(store,),
                tables=frozenset(),
            ),
            work=EstimatedWork(
                scan_bytes=0,
                column_bytes=0,
                join_rows=0,
                aggregate_rows=0,
                rows_out=1,
                row_bytes_out=8,
            ),
        )
        view = f"f{number}"
        fragments.append(
            CompiledFragment(
                view=view, store=store, fragment=fragment, sql=text, rows=text, columns=("n",)
            )
        )
    return CompiledQuery(query="q", fragments=tuple(fragments), combine_sql=combine_sql)


def whole(store: str, sql: str, type_: str = "BIGINT") -> CompiledQuery:
    """A whole query of one column whose type is known: its store may answer it alone."""
    query = compiled({store: sql})
    (one,) = query.fragments
    return replace(query, names=("n",), types=(type_,), fragments=(replace(one, types=(type_,)),))


def in_all(sql: Mapping[str, str]) -> CompiledQuery:
    every = " UNION ALL ".join(f"SELECT n FROM f{number}" for number in range(len(sql)))
    return compiled(sql, f"SELECT sum(n) AS n FROM ({every})")


def warm_up(spark: "SparkSession", connections: Mapping[str, Connection]) -> None:
    """Make each store's namespace, and let the engine ask all of them once."""
    for connection in connections.values():
        BACKENDS[connection.kind].prepare(connection)
    with Federation(spark, connections, timeout_s=120) as federation:
        federation.run(in_all(dict.fromkeys(connections, QUICK)))


@contextmanager
def asked(connection: Connection) -> Iterator[Callable[[str], Sequence[Sequence[Any]]]]:
    """A session of another client, which runs a statement and returns its rows."""
    login: dict[str, Any] = {
        "host": connection.host,
        "port": connection.port,
        "user": connection.user,
        "password": connection.password,
        "autocommit": True,
    }
    if connection.kind == "postgresql":
        named = {"dbname": connection.database, "application_name": f"placement-advisor {OTHER}"}
        with psycopg.connect(**named, **login) as session:
            yield lambda sql: session.execute(sql).fetchall()
        return
    with pymysql.connect(**login) as opened, opened.cursor() as cursor:

        def execute(sql: str) -> Sequence[Sequence[Any]]:
            cursor.execute(sql)
            return cursor.fetchall()

        execute(f"DO GET_LOCK(CONCAT('placement advisor run {OTHER} ', CONNECTION_ID()), 0)")
        yield execute


STATEMENTS = {
    "postgresql": "SELECT query FROM pg_stat_activity WHERE state = 'active' "
    "AND pid <> pg_backend_pid() AND backend_type <> 'walsender' AND query LIKE '%1000000%'",
    "mysql": "SELECT info FROM information_schema.processlist "
    "WHERE id <> CONNECTION_ID() AND info LIKE '%1000000%'",
}
SESSIONS = {
    "postgresql": "SELECT pid FROM pg_stat_activity WHERE application_name LIKE "
    "'placement-advisor ________________'",
    "mysql": "SELECT id FROM information_schema.processlist WHERE db = 'placement_advisor'",
}


def statements(connection: Connection) -> int:
    """How many of the slow statements run in a server."""
    with asked(connection) as execute:
        return len(execute(STATEMENTS[connection.kind]))


def sessions(connection: Connection) -> int:
    """How many of the engine's sessions a server has."""
    with asked(connection) as execute:
        return len(execute(SESSIONS[connection.kind]))


def in_duckdb(spark: "SparkSession") -> int:
    """How many of the engine's threads are in DuckDB's code: it runs in the engine's process."""
    engine: Any = spark.sparkContext._jsc.sc()
    threads = engine.getExecutorThreadDump("driver").get()
    return sum("org.duckdb.DuckDBNative." in str(thread.stackTrace()) for thread in threads)


def awaited(holds: Callable[[], bool], timeout_s: float = 30) -> bool:
    ends = time.monotonic() + timeout_s
    while not (true := holds()) and time.monotonic() < ends:
        time.sleep(0.05)
    return true
