"""Sessions that answer without Spark end in time, leave nothing running and are opened again."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread, Timer
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.clients.closed_loop import closed_loop
from evaluation.federation.compiled import CompiledQuery
from evaluation.kinds import BACKENDS
from evaluation.running import store_sessions
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from tests.spark.answering_fixtures import ANSWERING
from tests.spark.runtime_queries import (
    QUICK,
    SLOW,
    STATEMENTS,
    asked,
    awaited,
    compiled,
    sessions,
    statements,
    whole,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_a_session_that_was_idle_for_long_is_asked_first(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(store_sessions, "IDLE_S", 0.0)
    query = whole(name, QUICK)
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        for _ in range(3):
            assert federation.run(query).rows == [(1,)]
        assert sessions(answering_stores[name]) == 1


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_a_late_answer_is_over_in_the_store_when_it_is_over_for_us(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    with Federation(spark, answering_stores, timeout_s=4) as federation:
        assert federation.run(whole(name, QUICK)).rows == [(1,)]
        for _ in range(2):
            with (
                watched(answering_stores[name]) as seen,
                pytest.raises(QueryFailedError, match="not done after 4 s") as error,
            ):
                federation.run(whole(name, SLOW[name]))
            assert statements(answering_stores[name]) == 0
            assert max(seen) == 1
            assert error.value.timeout
        assert federation.run(whole(name, QUICK)).rows == [(1,)]


@contextmanager
def watched(connection: Connection) -> Iterator[list[int]]:
    """Count the slow statements that run in a store at the same time, again and again."""
    seen: list[int] = []
    ended = Event()

    def watch() -> None:
        with asked(connection) as execute:
            while not ended.wait(0.05):
                seen.append(len(execute(STATEMENTS[connection.kind])))

    thread = Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_an_interrupt_ends_the_answer_in_its_store(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        timer = Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            federation.run(whole(name, SLOW[name]))
        timer.join()
        assert awaited(lambda: statements(answering_stores[name]) == 0, timeout_s=5)
        assert federation.run(whole(name, QUICK)).rows == [(1,)]


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_a_session_that_the_server_has_ended_is_opened_again(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    query = whole(name, QUICK)
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        for _ in range(2):
            done = federation.run(query)
            assert (done.rows, done.by_spark) == ([(1,)], "")
            kind = BACKENDS[answering_stores[name].kind]
            assert kind.end_sessions(answering_stores[name], federation._run) == 1
            assert awaited(lambda: sessions(answering_stores[name]) == 0)


@pytest.mark.parametrize("name", ANSWERING)
def test_a_session_is_over_when_spark_reads(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    """An account may be allowed no more connections than Spark's reads have."""
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        federation.run(whole(name, QUICK))
        assert sessions(answering_stores[name]) == 1
        query = compiled({name: QUICK})
        assert federation.run(query).rows == [(1,)]
        assert awaited(lambda: sessions(answering_stores[name]) == 0)
        federation.run(whole(name, QUICK))
        assert awaited(lambda: sessions(answering_stores[name]) == 1)


@pytest.mark.parametrize("name", ANSWERING)
def test_a_login_that_fails_is_left_to_spark(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
):
    def answering(*_: Any) -> None:
        raise OSError("too many connections")

    kind = type(BACKENDS[answering_stores[name].kind])
    monkeypatch.setattr(kind, "answering", staticmethod(answering))
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        done = federation.run(whole(name, QUICK))
    assert done.rows == [(1,)]
    assert done.by_spark == f"Store '{name}': too many connections"


def test_spark_s_jobs_of_others_go_on_when_a_store_cannot_answer_alone(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    monkeypatch: pytest.MonkeyPatch,
):
    def answering(*_: Any) -> None:
        raise OSError("too many connections")

    monkeypatch.setattr(type(BACKENDS["mysql"]), "answering", staticmethod(answering))
    found: list[Any] = []
    with (
        Federation(spark, answering_stores, timeout_s=60) as one,
        Federation(spark, answering_stores, timeout_s=60) as other,
    ):
        slow = compiled({"pg": "SELECT 1000000 AS n FROM pg_sleep(3)"})
        client = Thread(target=lambda: found.extend(one.run(slow).rows))
        client.start()
        assert awaited(lambda: statements(answering_stores["pg"]) == 1)
        assert other.run(whole("maria", QUICK)).by_spark != ""
        client.join()
    assert found == [(1_000_000,)]


@pytest.mark.parametrize("name", ANSWERING)
def test_clients_that_are_interrupted_leave_nothing_running(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    with (
        Federation(spark, answering_stores, timeout_s=60) as one,
        Federation(spark, answering_stores, timeout_s=60) as two,
    ):
        clients = [{"q": Asked(each, whole(name, SLOW[name]))} for each in (one, two)]

        def interrupt() -> None:
            if awaited(lambda: statements(answering_stores[name]) == 2):
                os.kill(os.getpid(), signal.SIGINT)

        watcher = Thread(target=interrupt)
        watcher.start()
        with pytest.raises(KeyboardInterrupt):
            closed_loop(spark, clients, ["q", "q"], lambda: None)
        watcher.join()
        assert awaited(lambda: statements(answering_stores[name]) == 0, timeout_s=5)


@dataclass(frozen=True)
class Asked:
    """A query as a client of a loop asks it."""

    federation: Federation
    query: CompiledQuery

    def run(self, *, counted: bool = True) -> Execution:
        return self.federation.run(self.query, counted=counted)

    def again(self, error: QueryFailedError) -> None:
        return None
