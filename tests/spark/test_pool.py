"""Connections that are lent again: as new, to nobody else, and never more of them than before."""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.cancellation import cancel_jobs, running_tasks
from evaluation.running.execution import Federation
from evaluation.spark.in_process import connected_in_process
from evaluation.spark.pool import pool_of
from evaluation.store_protocol.connection import Connection
from tests.spark.lent_connections import CHANGES, LEFT, NUMBER, Pool, rows, settings
from tests.spark.runtime_queries import (
    SLOW,
    asked,
    awaited,
    compiled,
    sessions,
    statements,
    warm_up,
)
from tests.stores.live_servers import maria, postgres

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

SERVERS = ("pg", "maria", "mysql8")


@pytest.fixture
def stores(
    spark: "SparkSession", embedded: Mapping[str, Connection], others: Mapping[str, Connection]
) -> Mapping[str, Connection]:
    found = {**embedded, **others}
    servers = {name: found[name] for name in SERVERS}
    warm_up(spark, servers)
    return servers


@pytest.fixture
def run() -> str:
    """A mark that no other test has."""
    return secrets.token_hex(8)


@pytest.fixture
def pool_for(
    spark: "SparkSession", stores: Mapping[str, Connection], run: str
) -> Iterator[Callable[[str], Pool]]:
    with pool_of(spark, run):
        yield lambda name: Pool(spark, stores[name], run)


@pytest.mark.parametrize("name", SERVERS)
def test_a_session_that_is_lent_again_is_as_new(
    spark: "SparkSession",
    stores: Mapping[str, Connection],
    pool_for: Callable[[str], Pool],
    run: str,
    name: str,
):
    """All its settings are those of a session that has just logged in, and nothing is left."""
    kind, pool = stores[name].kind, pool_for(name)
    given = {
        key: value
        for key, value in pool.options.items()
        if key not in {"connectionProvider", "poolOfRun", "dbtable"}
    }
    with connected_in_process(spark, given) as fresh:
        new = settings(fresh, kind)
    with pool.lent() as connection:
        first = rows(connection, NUMBER[kind])
        for change in CHANGES[kind]:
            rows(connection, change)
        assert settings(connection, kind) != new
        connection.setAutoCommit(False)
    with pool.lent() as connection:
        assert rows(connection, NUMBER[kind]) == first
        assert settings(connection, kind) == new
        assert connection.getAutoCommit()
        left = [rows(connection, each.format(run=run)) for each in LEFT[kind]]
        assert left == [[("0",)]] * len(left)
        assert rows(connection, "SELECT 'ö€😀'") == [("ö€😀",)]
        with pytest.raises(Exception, match="exist"):
            rows(connection, "SELECT * FROM left_behind")


@pytest.mark.parametrize("name", ["maria", "mysql8"])
def test_characters_are_those_of_a_login_whatever_the_server_has(
    stores: Mapping[str, Connection], pool_for: Callable[[str], Pool], name: str
):
    """MySQL's own reset would go back to the server's."""
    pool = pool_for(name)
    names = [f"character_set_{each}" for each in ("client", "connection", "results")]
    with asked(stores[name]) as execute:
        (before,) = execute(f"SELECT {', '.join(f'@@GLOBAL.{each}' for each in names)}")
        try:
            execute("SET " + ", ".join(f"GLOBAL {each} = latin1" for each in names))
            for _ in range(2):
                with pool.lent() as connection:
                    assert rows(connection, "SELECT 'ö€😀', @@character_set_client") == [
                        ("ö€😀", "utf8mb4")
                    ]
        finally:
            given = zip(names, before, strict=True)
            execute("SET " + ", ".join(f"GLOBAL {each} = {value}" for each, value in given))


@pytest.mark.parametrize("name", SERVERS)
def test_a_session_that_the_server_ended_while_idle_is_replaced(
    stores: Mapping[str, Connection], pool_for: Callable[[str], Pool], name: str
):
    kind, pool = stores[name].kind, pool_for(name)
    with pool.lent() as connection:
        ((number,),) = rows(connection, NUMBER[kind])
    end(stores[name], number)
    with pool.lent() as connection:
        assert rows(connection, NUMBER[kind]) != [(number,)]


def end(connection: Connection, number: str) -> None:
    if connection.kind == "postgresql":
        postgres(connection, f"SELECT pg_terminate_backend({number})")
    else:
        maria(connection, f"KILL {number}")


@pytest.mark.parametrize("name", SERVERS)
def test_what_is_closed_amid_a_statement_is_not_lent_again(
    stores: Mapping[str, Connection], pool_for: Callable[[str], Pool], name: str
):
    """As Spark closes the connection of a task that is cancelled: from another thread."""
    kind, pool = stores[name].kind, pool_for(name)
    with pool.lent() as connection:
        first = rows(connection, NUMBER[kind])
        other = Thread(target=connection.close)
        other.start()
        other.join()
    with pool.lent() as connection:
        assert rows(connection, NUMBER[kind]) != first


def test_nothing_of_a_login_is_told(
    stores: Mapping[str, Connection], pool_for: Callable[[str], Pool]
):
    pool = pool_for("pg")
    pool.options["password"] = "of nobody else"
    with ExitStack() as lent:
        with pytest.raises(Exception, match="password authentication failed") as error:
            lent.enter_context(pool.lent())
        assert "of nobody else" not in str(error.value)
    pool.options["password"] = stores["pg"].password or ""
    with pool.lent() as connection:
        assert str(connection.toString()).startswith("a connection lent for a login at jdbc:")
        assert pool.options["password"] not in connection.toString()


@pytest.mark.parametrize("name", SERVERS)
def test_a_run_logs_in_once_for_all_its_small_queries(
    spark: "SparkSession", stores: Mapping[str, Connection], name: str
):
    """Columns are asked for and rows are read by one session, which ends with the run."""
    kind = stores[name].kind
    with Federation(spark, {name: stores[name]}, timeout_s=60) as federation:
        before = logins(stores[name])
        asked_for = [
            federation.run(compiled({name: f"{NUMBER[kind]}, {each} AS m"})).rows[0][0]
            for each in range(3)
        ]
        assert len(set(asked_for)) == 1
        if kind == "mysql":
            # The number of a session counts the logins before it; one of them is the question.
            assert logins(stores[name]) - before == 2
        assert sessions(stores[name]) == 1
    assert awaited(lambda: sessions(stores[name]) == 0, 10)


def logins(connection: Connection) -> int:
    with asked(connection) as execute:
        return int(execute(NUMBER[connection.kind])[0][0])


def test_postgresql_counts_one_login(spark: "SparkSession", stores: Mapping[str, Connection]):
    """Its statistics say so once the sessions have ended."""

    def counted() -> int:
        with asked(stores["pg"]) as execute:
            return int(execute("SELECT sum(sessions) FROM pg_stat_database")[0][0])

    def settled() -> int:
        """Questions are sessions too, and are counted late: the rest, once it stays the same."""
        time.sleep(1.5)
        return counted()

    before = settled()
    with Federation(spark, {"pg": stores["pg"]}, timeout_s=60) as federation:
        for each in range(3):
            federation.run(compiled({"pg": f"SELECT {each} AS n"}))
    # The run's own, and the one that asked before.
    assert settled() - before == 2


def test_what_is_idle_for_some_seconds_is_closed(
    spark: "SparkSession", stores: Mapping[str, Connection]
):
    with Federation(spark, stores, timeout_s=60) as federation:
        for name, connection in stores.items():
            federation.run(compiled({name: NUMBER[connection.kind]}))
        for connection in stores.values():
            assert awaited(lambda server=connection: sessions(server) == 0, 10)


@pytest.mark.parametrize("name", ["pg", "maria"])
def test_reads_with_other_settings_do_not_add_to_the_sessions(
    spark: "SparkSession", stores: Mapping[str, Connection], name: str
):
    """One at a time has been in use, so that there is one, whatever it is set to."""
    query = compiled({name: NUMBER[stores[name].kind]})
    with Federation(spark, {name: stores[name]}, timeout_s=60) as federation:
        seen = []
        for memory_bytes in (1 << 20, 1 << 21, 1 << 20):
            (one,) = query.fragments
            asked_for = replace(query, fragments=(replace(one, memory_bytes=memory_bytes),))
            seen.append(federation.run(asked_for).rows[0][0])
            # PostgreSQL ends a session some moments after it is closed. The one that stays is
            # closed as well once it was idle for some seconds: on a busy machine before that.
            assert awaited(lambda: sessions(stores[name]) <= 1, 10)
        if name == "pg":
            # Its memory is given at the login: such a session is no other's.
            assert len(set(seen)) == 3


def test_runs_share_nothing(spark: "SparkSession", stores: Mapping[str, Connection]):
    query = compiled({"maria": NUMBER["mysql"]})
    with (
        Federation(spark, {"maria": stores["maria"]}, timeout_s=60) as one,
        Federation(spark, {"maria": stores["maria"]}, timeout_s=60) as other,
    ):
        assert one.run(query).rows[0][0] != other.run(query).rows[0][0]


# MySQL 8 computes the slow statement already when it is asked for its columns, before any task.
@pytest.mark.parametrize("name", ["pg", "maria"])
def test_a_cancelled_session_is_not_lent_again(
    spark: "SparkSession", stores: Mapping[str, Connection], name: str
):
    query = compiled({name: NUMBER[stores[name].kind]})

    def cancel() -> None:
        # The question for its columns has the statement's text too.
        awaited(lambda: running_tasks(spark) > 0 and statements(stores[name]) > 0)
        cancel_jobs(spark)

    with Federation(spark, {name: stores[name]}, timeout_s=60) as federation:
        before = federation.run(query).rows[0][0]
        canceller = Thread(target=cancel)
        canceller.start()
        with pytest.raises(QueryFailedError):
            federation.run(compiled({name: SLOW[name]}))
        canceller.join()
        assert statements(stores[name]) == 0
        assert federation.run(query).rows[0][0] != before
