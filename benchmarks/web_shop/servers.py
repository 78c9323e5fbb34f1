"""Makes the shop's databases, and runs its workload on them, as its logs then show."""

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.logins import mysql_statements, postgresql_login
from benchmarks.web_shop.shape import MYSQL_DATABASE, statements
from benchmarks.web_shop.templates import templates
from evaluation.store_protocol.connection import Connection

READER = "web_shop_reader"
# Columns of a csvlog: the database, and when the session began.
_DATABASE, _BEGAN = 2, 8
_SESSION_BEGAN = """
SELECT to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
FROM pg_stat_activity WHERE pid = pg_backend_pid()
"""
_LOGGED_WITHIN_S = 20.0


@contextmanager
def postgresql(connection: Connection) -> Iterator[Callable[[str], Any]]:
    """Run statements in one session, each in a transaction of its own."""
    with psycopg.connect(**postgresql_login(connection)) as session:
        yield lambda sql: session.execute(sql.encode())


@contextmanager
def mysql(connection: Connection) -> Iterator[Callable[[str], Any]]:
    """Run statements in one session, each in a transaction of its own."""
    with mysql_statements(connection, database=connection.database) as run:
        yield run


@contextmanager
def made_postgresql(
    server: Connection, name: str, rows: Mapping[str, int], seed: int
) -> Iterator[Connection]:
    """A database `name` with the two schemas, which is dropped at the end."""
    with postgresql(server) as run:
        run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        run(f"DROP ROLE IF EXISTS {READER}")
        run(f"CREATE ROLE {READER} LOGIN PASSWORD 'reads'")
        run(f'CREATE DATABASE "{name}"')
    shop = replace(server, database=name)
    try:
        with postgresql(shop) as run:
            for file in ("postgresql_tables.sql", "postgresql_rows.sql"):
                for each in statements(file, rows, seed):
                    run(each.replace("{port}", str(server.port)).replace("{database}", name))
            run(f'ALTER DATABASE "{name}" SET search_path = sales, crm')
            run("CREATE EXTENSION pg_stat_statements SCHEMA public")
        yield shop
    finally:
        with postgresql(server) as run:
            run(f'DROP DATABASE "{name}" WITH (FORCE)')
            run(f"DROP ROLE {READER}")


@contextmanager
def made_mysql(server: Connection, rows: Mapping[str, int], seed: int) -> Iterator[Connection]:
    """The database `web_shop` of a MySQL or MariaDB, which is dropped at the end."""
    shop = replace(server, database=MYSQL_DATABASE)
    with mysql(server) as run:
        run(f"DROP DATABASE IF EXISTS {MYSQL_DATABASE}")
        run(f"CREATE DATABASE {MYSQL_DATABASE}")
    try:
        with mysql(shop) as run:
            ((version,),) = run("SELECT version()")
            limit = (
                "max_recursive_iterations" if "MariaDB" in version else "cte_max_recursion_depth"
            )
            run(f"SET SESSION {limit} = {max(rows.values()) + 1}")
            for file in ("mysql_tables.sql", "mysql_rows.sql"):
                for each in statements(file, rows, seed):
                    run(each)
            for table, kind in run("SHOW FULL TABLES"):
                if kind == "BASE TABLE":
                    run(f"ANALYZE TABLE `{table}`")
        yield shop
    finally:
        with mysql(server) as run:
            run(f"DROP DATABASE {MYSQL_DATABASE}")


def csvlog(shop: Connection, target: Path) -> None:
    """Run the workload on PostgreSQL, and write what its csvlog has of it into `target`."""
    with postgresql(shop) as run:
        run("SELECT public.pg_stat_statements_reset()")
        run(f'ALTER DATABASE "{shop.database}" SET log_min_duration_statement = 0')
    with postgresql(shop) as run:
        ((began,),) = run(_SESSION_BEGAN).fetchall()
        for each in _texts("postgresql"):
            run(each)
        mark = f"the end of the workload {time.time_ns()}"
        run(f"SELECT '{mark}'")
        ((data,),) = run("SHOW data_directory").fetchall()
        run(f'ALTER DATABASE "{shop.database}" RESET log_min_duration_statement')
    logs = sorted((Path(data) / "log").glob("*.csv"))
    _wait_for(mark, logs)
    with target.open("w", encoding="utf-8", newline="") as out:
        written = csv.writer(out)
        for log in logs:
            with log.open(encoding="utf-8", newline="") as lines:
                written.writerows(
                    line
                    for line in csv.reader(lines)
                    if line[_DATABASE] == shop.database and line[_BEGAN] >= began
                )


def slow_log(shop: Connection, target: Path) -> None:
    """Run the workload on MySQL or MariaDB, and write its slow log into `target`."""
    with mysql(shop) as run:
        run("TRUNCATE performance_schema.events_statements_summary_by_digest")
        ((data,),) = run("SELECT @@datadir")
        log = Path(data) / f"{MYSQL_DATABASE}-slow.log"
        run(f"SET GLOBAL slow_query_log_file = '{log.name}'")
        run("SET GLOBAL long_query_time = 0")
        run("SET GLOBAL slow_query_log = 1")
    mark = f"the end of the workload {time.time_ns()}"
    try:
        with mysql(shop) as run:
            for each in _texts("mysql"):
                run(each)
            run(f"SELECT '{mark}'")
    finally:
        with mysql(shop) as run:
            run("SET GLOBAL slow_query_log = 0")
            run("SET GLOBAL long_query_time = 10")
    _wait_for(mark, [log])
    target.write_bytes(log.read_bytes())
    log.unlink()


def _texts(system: str) -> Iterable[str]:
    return (text for template in templates(system) for text in template.texts())


def _wait_for(mark: str, logs: Iterable[Path]) -> None:
    deadline = time.monotonic() + _LOGGED_WITHIN_S
    while not any(mark in log.read_text(encoding="utf-8", errors="replace") for log in logs):
        if time.monotonic() > deadline:
            raise SystemExit(f"No log has '{mark}' after {_LOGGED_WITHIN_S:.0f} seconds.")
        time.sleep(0.1)
