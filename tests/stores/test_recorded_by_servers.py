"""What real servers log of a session folds into what the session ran."""

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest

from evaluation.kinds import LIVE
from evaluation.servers import postgresql
from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import database, maria, postgres
from workloads.cache import cache_folder
from workloads.counting.counting import Counting
from workloads.counting.filters import Filters
from workloads.errors import ConfigurationError
from workloads.folding.normalise import Normaliser
from workloads.progress import Silent
from workloads.sources.joined import refuse_nothing_left
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.lexis import lexis

pytestmark = pytest.mark.stores

_LINE_TIMEOUT_S = 20.0


def folder(connection: Connection) -> Path:
    assert connection.password_file is not None
    return connection.password_file.parent


def counted(log: Path, dialect: str, mark: str) -> Mapping[str, float]:
    """Executions by template of what a log has, once it has `mark`."""
    deadline = time.monotonic() + _LINE_TIMEOUT_S
    while mark not in log.read_text(encoding="utf-8", errors="replace"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    normaliser = Normaliser(lexis(dialect))
    found = workload(log, dialect).queries
    return {normaliser.text(query.sql): query.executions for query in found}


def test_postgresqls_log_has_what_a_session_ran(embedded: Mapping[str, Connection]) -> None:
    server = embedded["pg"]
    with database(server, "logged") as shop:
        postgres(shop, "CREATE TABLE t (a int, b text)")
        postgres(shop, "ALTER DATABASE logged SET log_min_duration_statement = 0")
        with psycopg.connect(
            host=shop.host,
            port=shop.port,
            dbname="logged",
            user=shop.user,
            password=shop.password,
            autocommit=True,
        ) as session:
            for n in range(3):
                session.execute(f"SELECT a,\n\tb FROM t WHERE b = 'x{n}' -- why\n".encode())
            for n in range(8):
                session.execute("SELECT b FROM t WHERE a = %s", (n,), prepare=True)
            with pytest.raises(psycopg.Error):
                session.execute("SELECT nope FROM t")
            session.execute("SELECT 'end of postgresql'")
        found = counted(folder(server) / "server.log", "postgres", "end of postgresql")
    assert found["select a , b from t where b = ?"] == 3
    assert found["select b from t where a = ?"] == 8
    assert not [text for text in found if "nope" in text]


def kinds_of(log: Path) -> Mapping[str, int]:
    """The number of statements of a log that are left out, by their kind."""
    found: Counter[str] = Counter()
    for each in workload(log).skipped:
        found[each.kind] += each.statements
    return found


def test_postgresqls_log_tells_dumps_and_our_own_by_their_programs(
    embedded: Mapping[str, Connection],
) -> None:
    server = embedded["pg"]
    prefix = "ALTER SYSTEM SET log_line_prefix = '%m [%p] %q%u@%d/%a '"
    with database(server, "dumped") as shop:
        postgres(shop, "CREATE TABLE t (a int)", prefix, "SELECT pg_reload_conf()")
        postgres(shop, "ALTER DATABASE dumped SET log_min_duration_statement = 0")
        try:
            postgres(shop, "SELECT a FROM t", "VACUUM t")
            for more in ((), ("--inserts",)):
                subprocess.run(
                    [postgresql._binaries() / "pg_dump", *more, "-f", os.devnull],
                    env=os.environ
                    | {"PGHOST": str(shop.host), "PGPORT": str(shop.port), "PGDATABASE": "dumped"}
                    | {"PGUSER": str(shop.user), "PGPASSWORD": str(shop.password)},
                    check=True,
                    timeout=240,
                )
            LIVE["postgresql"].catalog(shop, Silent())
            postgres(shop, "SELECT 'end of dumped'")
            log = folder(server) / "server.log"
            assert counted(log, "postgres", "end of dumped")["select a from t"] >= 1
            found = [query.sql for query in workload(log).queries]
            assert not [sql for sql in found if "COPY" in sql or "_pg_dump_cursor" in sql]
            assert kinds_of(log)["dump"] > 20
            assert kinds_of(log)["own"] >= 3
            assert [q.sql for q in workload(log, counting=of_database("dumped")).queries]
            assert not workload(log, counting=of_database("other")).queries
        finally:
            postgres(server, "ALTER SYSTEM RESET log_line_prefix", "SELECT pg_reload_conf()")


def of_database(name: str) -> Counting:
    return Counting(filters=Filters(database=(name,)))


def test_mysqls_logs_tell_dumps_and_our_own_by_their_text(
    remembering: Mapping[str, Connection],
) -> None:
    server = remembering["mysql8"]
    data = folder(server) / "data"
    names = (
        f"SET GLOBAL {name}_log_file = '{name}-dump.log'" for name in ("slow_query", "general")
    )
    on = "SET GLOBAL slow_query_log = {0}, GLOBAL general_log = {0}, GLOBAL long_query_time = {1}"
    maria(server, "CREATE DATABASE dumped", "CREATE TABLE dumped.t (a int)", *names)
    maria(server, on.format(1, 0))
    try:
        maria(server, "SELECT * FROM `t`", "SELECT a FROM t", database="dumped")
        (program,) = cache_folder().glob("servers/mysql-server-*/bin/mysqldump")
        subprocess.run(
            [
                *(program, "--protocol=tcp", "-h", str(server.host), "-P", str(server.port)),
                *("-u", str(server.user), "dumped"),
            ],
            env=os.environ | {"MYSQL_PWD": str(server.password)},
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=240,
        )
        LIVE["mysql"].catalog(server, Silent())
        maria(server, "SELECT 'end of dumped'")
        for name in ("slow_query-dump.log", "general-dump.log"):
            found = counted(data / name, "mysql", "end of dumped")
            assert found["select * from `t`"] == found["select a from t"] == 1
            kinds = kinds_of(data / name)
            assert kinds["dump"] == 1
            assert kinds["own"] >= 5
            assert not [sql for sql in found if "placement_advisor" in sql]
            kept = workload(data / name, counting=of_database("dumped")).queries
            assert {"SELECT * FROM `t`", "SELECT a FROM t"} <= {query.sql for query in kept}
            none = workload(data / name, counting=of_database("dumpd"))
            with pytest.raises(ConfigurationError, match=r"it has .*'dumped'"):
                refuse_nothing_left(none, Filters(database=("dumpd",)))
    finally:
        maria(server, on.format(0, 10), "DROP DATABASE dumped")


def test_mariadbs_logs_have_what_a_session_ran(embedded: Mapping[str, Connection]) -> None:
    server = embedded["maria"]
    on = "SET GLOBAL slow_query_log = {0}, GLOBAL general_log = {0}, GLOBAL long_query_time = {1}"
    data = folder(server) / "data"
    names = (
        f"SET GLOBAL {name}_log_file = '{name}-test.log'" for name in ("slow_query", "general")
    )
    maria(server, "CREATE DATABASE logged", "CREATE TABLE logged.t (a int, b text)", *names)
    maria(server, on.format(1, 0))
    try:
        maria(
            server,
            *(f'SELECT a,\n  b FROM t WHERE b = "x{n}" # why\n' for n in range(3)),
            "PREPARE s FROM 'SELECT b FROM t WHERE a = ?'",
            "SET @x = 3",
            "EXECUTE s USING @x",
            "SELECT 'end of mariadb'",
            database="logged",
        )
        for log in ("slow_query-test.log", "general-test.log"):
            found = counted(data / log, "mysql", "end of mariadb")
            assert found["select a , b from t where b = ?"] == 3
            assert found["select b from t where a = ?"] == 1
    finally:
        maria(server, on.format(0, 10), "DROP DATABASE logged")


_CONDITIONS = (
    *(
        "a = {n}",
        "a = -{n}",
        "a - {n} > {n}",
        "b = '{s}'",
        "b LIKE E'{s}\\n%'",
        "b <> $$it's {s}$$",
    ),
    *("d > date '20{n}-01-01'", "c BETWEEN -{n}.5 AND {n}e3", "a IN ({list})", "c > .{n}"),
    *("coalesce(a, {n}) = 1", "\"B {n}\" = '{s}'", "a IS NULL", "b::int = {n}", "e[{n}] = {n}"),
)


def statements(draw: random.Random, number: int) -> list[str]:
    shapes = [
        " AND ".join(draw.sample(_CONDITIONS, draw.randint(1, 4))).replace('"B {n}"', '"B 10"')
        for _ in range(60)
    ]
    found = []
    for _ in range(number):
        n, some = draw.randint(10, 24), draw.randint(2, 9)
        numbers = ", ".join(str(draw.randint(-99, 99)) for _ in range(some))
        shape = draw.choice(shapes).format(n=n, s=f"x''{n} -- {n}", list=numbers)
        space = draw.choice([" ", "\n  ", f" /* {n} */ ", f" -- {n}\n"])
        select = draw.choice(["SELECT", "select"])
        found.append(f"{select}{space}a, b FROM{space}shop WHERE {shape}{draw.choice(['', ';'])}")
    return found


def test_templates_are_those_of_pg_stat_statements(
    remembering: Mapping[str, Connection],
) -> None:
    """It tells literals by the parse tree, where we tell them by the text."""
    normaliser = Normaliser(lexis("postgres"))
    ran = statements(random.Random(3), 1_000)
    table = 'CREATE TABLE shop (a int, b text, c numeric, d date, e int[], "B 10" text)'
    with database(remembering["pg"], "templates") as shop:
        postgres(shop, "CREATE EXTENSION pg_stat_statements", table, *ran)
        with psycopg.connect(
            host=shop.host,
            port=shop.port,
            dbname="templates",
            user=shop.user,
            password=shop.password,
        ) as session:
            recorded = session.execute(
                "SELECT query, calls FROM pg_stat_statements s JOIN pg_database d"
                " ON d.oid = s.dbid WHERE datname = 'templates' AND query ILIKE '%from%shop where%'"
            ).fetchall()
    theirs = {normaliser.text(query): calls for query, calls in recorded}
    assert len(theirs) == len(recorded) > 30
    assert theirs == Counter(map(normaliser.text, ran))
