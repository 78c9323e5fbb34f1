"""A late or interrupted query runs on nowhere: each store's own list of sessions says so."""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

import psycopg
import pymysql
import pytest

from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import BoundedFrames, QueryFailedError
from evaluation.running.cancellation import running_tasks
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from tests.spark.runtime_queries import (
    QUICK,
    SLOW,
    asked,
    awaited,
    compiled,
    in_all,
    in_duckdb,
    sessions,
    statements,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]


@dataclass(frozen=True, kw_only=True)
class Stores:
    """The stores, and whether slow statements run in them."""

    spark: "SparkSession"
    connections: Mapping[str, Connection]

    def running(self, names: Sequence[str]) -> list[int]:
        return [
            in_duckdb(self.spark) if name == "duck" else statements(self.connections[name])
            for name in names
        ]

    def federation(self, timeout_s: float) -> Federation:
        return Federation(self.spark, self.connections, timeout_s=timeout_s)


@pytest.fixture
def stores(
    spark: "SparkSession", embedded: Mapping[str, Connection], others: Mapping[str, Connection]
) -> Stores:
    connections = {**embedded, **others}
    for connection in connections.values():
        BACKENDS[connection.kind].prepare(connection)
    found = Stores(spark=spark, connections=connections)
    # The first query of a new Java takes long.
    with found.federation(120) as federation:
        federation.run(in_all(dict.fromkeys(connections, QUICK)))
    return found


@pytest.mark.parametrize("names", [("pg",), ("maria",), ("mysql8",), ("duck",), ("pg", "maria")])
def test_a_late_query_is_over_in_the_stores_when_it_is_over_for_us(
    stores: Stores, names: Sequence[str]
):
    slow = {name: SLOW[name] for name in names}
    query = in_all(slow) if len(names) > 1 else compiled(slow)
    with stores.federation(8) as federation:
        seen: list[bool] = []
        watcher = Thread(target=lambda: seen.append(_all_ran(stores, names)))
        watcher.start()
        started = time.monotonic()
        with pytest.raises(QueryFailedError, match="not done after 8 s") as error:
            federation.run(query)
        took_s = time.monotonic() - started
        # At once, not in a while: the stores' own time limits come later.
        over_now(stores, names)
        watcher.join()
        assert seen == [True]
        assert error.value.timeout
        assert error.value.lost == ()
        assert took_s < 8 + 20
        assert federation.run(compiled(dict.fromkeys(names[:1], QUICK))).rows[0][0] == 1
    assert all(sessions(stores.connections[n]) == 0 for n in names if n != "duck")


def over_now(stores: Stores, names: Sequence[str]) -> None:
    """Nothing runs any more; DuckDB looks for interruptions only between portions of its work."""
    if "duck" in names:
        assert awaited(lambda: not any(stores.running(names)) and not running_tasks(stores.spark))
    assert stores.running(names) == [0] * len(names)
    assert running_tasks(stores.spark) == 0


def _all_ran(stores: Stores, names: Sequence[str]) -> bool:
    """Whether the statements ran together, at two moments.

    The query that asks for a statement's columns has the statement's text too, and is over at once.
    """

    def hold() -> bool:
        if not all(stores.running(names)):
            return False
        time.sleep(0.3)
        return all(stores.running(names))

    return awaited(hold, 7)


@pytest.mark.parametrize("name", ["pg", "maria", "mysql8", "duck"])
def test_an_interrupted_query_is_over_in_its_store(stores: Stores, name: str):
    def interrupt() -> None:
        awaited(lambda: all(stores.running([name])))
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = Thread(target=interrupt)
    with stores.federation(120) as federation:
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            federation.run(compiled({name: SLOW[name]}))
        interrupter.join()
        over_now(stores, [name])
        assert federation.run(compiled({name: QUICK})).rows[0][0] == 1


def test_a_job_that_begins_after_the_interruption_is_cancelled_too(
    spark: "SparkSession", monkeypatch: pytest.MonkeyPatch
):
    def collecting(_: object) -> object:
        """As PySpark collects: an interruption goes on once the job has ended."""
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            time.sleep(1)
            # A loop asks once an outer row whether it is cancelled.
            slow = "SELECT count(*) FROM range(100000000) a JOIN range(2000) b"
            spark.sql(f"{slow} WHERE a.id * b.id = -1").collect()

    monkeypatch.setattr("evaluation.running.bounded_frames.arrow_table", collecting)
    frames = BoundedFrames(spark, {}, run="r", origins={}, timeout_s=120)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        frames.collect(lambda: spark.range(1), ())
    assert time.monotonic() - started < 40
    assert spark.range(7).count() == 7


@pytest.mark.parametrize("name", ["pg", "maria", "mysql8"])
def test_statements_of_other_clients_run_on(stores: Stores, name: str):
    connection = stores.connections[name]
    wait = "SELECT pg_sleep(60), 1000000" if name == "pg" else "SELECT SLEEP(60), 1000000"
    errors: list[Exception] = []

    def other() -> None:
        with asked(connection) as execute:
            try:
                execute(wait)
            except (psycopg.Error, pymysql.MySQLError) as error:
                errors.append(error)

    with ExitStack() as open_, stores.federation(3) as federation:
        client = Thread(target=other)
        client.start()
        open_.callback(client.join)
        open_.callback(_end, connection)
        assert awaited(lambda: statements(connection) == 1)
        with pytest.raises(QueryFailedError, match="not done"):
            federation.run(compiled({name: SLOW[name]}))
        assert errors == []
        assert statements(connection) == 1


def _end(connection: Connection) -> None:
    """End the statement that waits."""
    with asked(connection) as execute:
        if connection.kind == "postgresql":
            execute(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' "
                "AND pid <> pg_backend_pid()"
            )
        else:
            ((number,),) = execute(
                "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"
            )
            execute(f"KILL QUERY {number}")


def test_a_failure_in_one_store_ends_the_statements_in_the_others(stores: Stores):
    broken = {"pg": SLOW["pg"], "maria": "SELECT n FROM no_such_table"}
    fails_late = {
        "pg": SLOW["pg"],
        "maria": "SELECT EXP(710 + SLEEP(3)) + CAST('x' AS INET6) AS n",
    }
    with stores.federation(60) as federation:
        for sql in (broken, fails_late):
            with pytest.raises(QueryFailedError) as error:
                federation.run(in_all(sql))
            assert not error.value.timeout
            assert stores.running(["pg"]) == [0]
            assert running_tasks(stores.spark) == 0


def test_the_engines_own_loops_end(stores: Stores):
    rows = "SELECT x AS n FROM generate_series(1, 5000) AS a(x)"
    loops = (
        "SELECT count(*) AS n FROM f0 a CROSS JOIN f0 b CROSS JOIN f0 c WHERE a.n * b.n + c.n = -1"
    )
    with stores.federation(5) as federation:
        with pytest.raises(QueryFailedError, match="not done after 5 s"):
            federation.run(compiled({"pg": rows}, loops))
        # The thread of a task looks only now and then whether it is to end.
        assert awaited(lambda: running_tasks(stores.spark) == 0)
        assert federation.run(compiled({"pg": QUICK})).rows[0][0] == 1
