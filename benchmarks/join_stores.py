"""The three embedded stores of the benchmark of hash joins' memory, each in one session.

A setting is a session's own (`SET`), except DuckDB's `memory_limit`, which is its process's.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb
import psycopg
import pymysql

from benchmarks.logins import mysql_login, postgresql_login
from evaluation.calibration.join_memory import SHORT_SWEEP_BYTES
from evaluation.calibration.postgresql_joins import hash_joins
from evaluation.store_protocol.connection import Connection
from placement.memory.block_hash import block_pipeline_cost
from placement.memory.choice import JoinMethod
from placement.memory.hybrid_hash import pipeline_cost
from placement.memory.join import HashJoin, StoreJoins

KINDS = {"pg": "postgresql", "maria": "mysql", "duck": "duckdb"}
"""Store → its kind."""
CACHE_SHARES = (1.0, 0.5, 0.25)
_DIGITS = 1000
# A prime: probes come in no order of their keys.
_SPREAD = 2_654_435_761


class TooLateError(Exception):
    """A statement that its setting makes longer than the limit, or that cannot run with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run. `told` is what the server says that it spilled (bytes) or read row by row (rows).

    `undisturbed_s` are its seconds without those in which it could have run, and others did.
    """

    cpu_s: float
    seconds: float
    undisturbed_s: float | None = None
    told: float | None
    answer: str


class JoinStore(Protocol):
    """A store in a session. `knob` is its setting, `method` the model of its hash joins.

    `short_sweep` are settings that tell how it joins, in one of the ways of `joins`. `bounds_all`:
    the setting is a limit of all that the process holds.
    """

    knob: str
    bounds_all: bool
    method: JoinMethod
    joins: Sequence[StoreJoins]
    short_sweep: Sequence[int]

    def make(self, name: str, rows: int, probes: int) -> None:
        """Create the tables NAME_build and NAME_probe of a join whose probes come at random."""
        ...

    def run(self, sql: str, setting: int) -> Run:
        """Run a query with so many bytes; TooLateError where it takes too long or cannot."""
        ...


def _cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process's threads, to the nanosecond."""
    return _scheduled(pid, 0)


def _scheduled(pid: int, column: int) -> float:
    """Return seconds of a process's threads: on a core (0), or waiting for one (1)."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[column]) for each in threads) / 1e9


def _timed(cpu: Callable[[], float], ask: Callable[[], object]) -> tuple[float, float, str]:
    before, started = cpu(), time.perf_counter()
    answer = ask()
    return cpu() - before, time.perf_counter() - started, str(answer)


class PostgreSQL:
    """`work_mem`; the CPU is that of the session's server process."""

    knob = "work_mem"
    short_sweep = SHORT_SWEEP_BYTES
    method = staticmethod(pipeline_cost)
    bounds_all = False
    joins = tuple(
        StoreJoins(row_s=0.0, buffer_bytes=8192.0, table_share=2.0, cache_share=each)
        for each in CACHE_SHARES
    )

    def __init__(self, session: psycopg.Connection[Any], namespace: str, limit_s: float) -> None:
        self.session = session
        # Nested loops are off as in the advisor's own sessions; a merge join would be no sweep.
        for setting in (
            f"search_path = {namespace}, public",
            "max_parallel_workers_per_gather = 0",
            "enable_nestloop = off",
            "enable_mergejoin = off",
            f"statement_timeout = {round(limit_s * 1000)}",
        ):
            session.execute(f"SET {setting}".encode())

    def make(self, name: str, rows: int, probes: int) -> None:
        self.session.execute(
            f"CREATE TABLE {name}_build AS SELECT i::bigint AS k, repeat('x', 40) AS pad "
            f"FROM generate_series(1, {rows}) i".encode()
        )
        self.session.execute(
            f"CREATE TABLE {name}_probe AS SELECT (i * {_SPREAD}) % {rows} + 1 AS k, i AS v "
            f"FROM generate_series(1::bigint, {probes}) i".encode()
        )
        self.session.execute(f"ANALYZE {name}_build, {name}_probe".encode())

    def run(self, sql: str, setting: int) -> Run:
        self.session.execute(f"SET work_mem = '{setting // 1024}kB'".encode())
        pid = self.session.info.backend_pid
        before, waited_s = self._temporary(), _scheduled(pid, 1)
        try:
            cpu_s, seconds, answer = _timed(
                lambda: _cpu_s(pid), lambda: self.session.execute(sql.encode()).fetchall()
            )
        except psycopg.errors.QueryCanceled as error:
            raise TooLateError(str(error)) from error
        return Run(
            cpu_s=cpu_s,
            seconds=seconds,
            undisturbed_s=seconds - (_scheduled(pid, 1) - waited_s),
            told=self._temporary() - before,
            answer=answer,
        )

    def plan(self, sql: str) -> tuple[HashJoin, ...]:
        """Return the joins of a query's plan, as it is run with much memory."""
        self.session.execute(b"SET work_mem = '1GB'")
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}"
        ((found,),) = self.session.execute(explain.encode()).fetchall()
        return hash_joins(found[0]["Plan"])

    def _temporary(self) -> float:
        self.session.execute(b"SELECT pg_stat_force_next_flush()")
        ((found,),) = self.session.execute(
            b"SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()"
        ).fetchall()
        return float(found)


def _numbers(count: int) -> str:
    """Return MariaDB's numbers from 1 to `count` as a derived table."""
    millions = f"(SELECT d FROM digits WHERE d < {count / 1e6})"
    number = "a.d + 1000 * b.d + 1000000 * c.d + 1"
    return f"(SELECT {number} AS i FROM digits a, digits b, {millions} c) s WHERE i <= {count}"


class MariaDB:
    """`join_buffer_size`; the CPU is that of the session's thread."""

    knob = "join_buffer_size"
    short_sweep = SHORT_SWEEP_BYTES
    method = staticmethod(block_pipeline_cost)
    bounds_all = False
    # A row of the join buffer takes less than a row of PostgreSQL's hash table.
    joins = tuple(
        StoreJoins(row_s=0.0, table_share=share, cache_share=each)
        for share in (1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0)
        for each in CACHE_SHARES
    )

    def __init__(self, cursor: Any, namespace: str, limit_s: float, pid: int) -> None:  # noqa: ANN401
        cursor.execute("SELECT tid FROM information_schema.processlist WHERE id = CONNECTION_ID()")
        ((thread,),) = cursor.fetchall()
        self.cursor, self.scheduled = cursor, Path(f"/proc/{pid}/task/{thread}/schedstat")
        cursor.execute(f"USE `{namespace}`")
        cursor.execute(f"SET max_statement_time = {limit_s}")

    def make(self, name: str, rows: int, probes: int) -> None:
        key = f"i * {_SPREAD} % {rows} + 1"
        digits = ", ".join(f"({each})" for each in range(_DIGITS))
        for sql in (
            "CREATE TABLE IF NOT EXISTS digits (d bigint)",
            "DELETE FROM digits",
            f"INSERT INTO digits VALUES {digits}",
            f"CREATE TABLE {name}_build (k bigint, pad varchar(40))",
            f"CREATE TABLE {name}_probe (k bigint, v bigint)",
            f"INSERT INTO {name}_build SELECT i, repeat('x', 40) FROM {_numbers(rows)}",
            f"INSERT INTO {name}_probe SELECT {key}, i FROM {_numbers(probes)}",
            f"ANALYZE TABLE {name}_build, {name}_probe",
        ):
            self.cursor.execute("SET max_statement_time = 0" if "INSERT" in sql else "DO 0")
            self.cursor.execute(sql)

    def run(self, sql: str, setting: int) -> Run:
        limit = 2 * max(setting, 1 << 20)
        self.cursor.execute(f"SET join_buffer_size = {setting}, join_buffer_space_limit = {limit}")
        before = self._read()
        try:
            cpu_s, seconds, answer = _timed(self._cpu_s, lambda: self._asked(sql))
        except pymysql.err.OperationalError as error:
            raise TooLateError(str(error)) from error
        return Run(cpu_s=cpu_s, seconds=seconds, told=self._read() - before, answer=answer)

    def _asked(self, sql: str) -> object:
        # It would put the larger table first, and read the smaller one again and again.
        self.cursor.execute(sql.replace("SELECT sum(length", "SELECT STRAIGHT_JOIN sum(length"))
        return self.cursor.fetchall()

    def _cpu_s(self) -> float:
        # Other threads of the server end meanwhile, and take their seconds with them.
        return int(self.scheduled.read_text().split()[0]) / 1e9

    def _read(self) -> float:
        self.cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read_rnd_next'")
        ((_, found),) = self.cursor.fetchall()
        return float(found)


class DuckDB:
    """`memory_limit`; the CPU is that of this process, all threads together."""

    knob = "memory_limit"
    # It needs some of its blocks of 256 KiB for each thread, whatever the join is.
    short_sweep = tuple(each << 20 for each in (12, 16, 24, 32, 64, 1024))
    method = staticmethod(pipeline_cost)
    bounds_all = True
    joins = tuple(StoreJoins(row_s=0.0, cache_share=each) for each in CACHE_SHARES)

    def __init__(self, session: duckdb.DuckDBPyConnection, namespace: str) -> None:
        self.session = session
        session.execute(f"CREATE SCHEMA IF NOT EXISTS {namespace}; USE {namespace}")
        session.execute("SET enable_profiling = 'no_output'")

    def make(self, name: str, rows: int, probes: int) -> None:
        self.session.execute(
            f"CREATE TABLE {name}_build AS SELECT i AS k, repeat('x', 40) AS pad "
            f"FROM range(1, {rows} + 1) t(i)"
        )
        self.session.execute(
            f"CREATE TABLE {name}_probe AS SELECT (i * {_SPREAD}) % {rows} + 1 AS k, i AS v "
            f"FROM range(1, {probes} + 1) t(i)"
        )
        self.session.execute("CHECKPOINT")

    def run(self, sql: str, setting: int) -> Run:
        try:
            self.session.execute(f"SET memory_limit = '{setting // 1024}KiB'")
            cpu_s, seconds, answer = _timed(
                time.process_time, lambda: self.session.execute(sql).fetchall()
            )
            profile = json.loads(self.session.get_profiling_information(format="json"))
        except duckdb.OutOfMemoryException as error:
            raise TooLateError(str(error).splitlines()[0]) from error
        finally:
            self.session.execute("RESET memory_limit")
        told = float(profile["system_peak_temp_dir_size"])
        return Run(cpu_s=cpu_s, seconds=seconds, told=told, answer=answer)


@contextmanager
def opened(
    connections: Mapping[str, Connection], pids: Mapping[str, int | None], limit_s: float
) -> Iterator[Mapping[str, JoinStore]]:
    """Open a session with each store; statements end after `limit_s`."""
    pg, maria, duck = (connections[each] for each in KINDS)
    pid = pids["maria"]
    if pid is None or duck.path is None:
        raise ValueError("MariaDB has a process, and DuckDB a file")
    with (
        psycopg.connect(**postgresql_login(pg)) as first,
        pymysql.connect(**mysql_login(maria)) as second,
        second.cursor() as cursor,
        duckdb.connect(str(duck.path)) as third,
    ):
        yield {
            "pg": PostgreSQL(first, pg.namespace, limit_s),
            "maria": MariaDB(cursor, maria.namespace, limit_s, pid),
            "duck": DuckDB(third, duck.namespace),
        }
