"""Answers of one store come by its own driver, as right as those of Spark."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from sys import getsizeof
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.row_order import OrderedBy
from evaluation.running import store_answer
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.store_sessions import StoreSessions
from evaluation.store_protocol.connection import Connection
from tests.spark.answering_fixtures import ANSWERING
from tests.spark.runtime_queries import (
    QUICK,
    asked,
    awaited,
    compiled,
    sessions,
    whole,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

HUNDRED = {
    "pg": "SELECT CAST(x AS INTEGER) AS n FROM generate_series(1, 100) AS s(x)",
    "maria": "SELECT CAST(seq AS SIGNED) AS n FROM seq_1_to_100",
    "mysql8": "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 100) "
    "SELECT n FROM s",
}
# Of these each session has its own, or each driver in its own way.
NO_SETTINGS = (
    *("pseudo_thread_id", "timestamp", "last_insert_id", "insert_id", "identity", "last_gtid"),
    *("rand_seed1", "rand_seed2", "in_transaction", "error_count", "warning_count"),
    *("session_track_system_variables", "session_track_transaction_info", "statement_id"),
    "tcp_user_timeout",
)
_LEFT = ", ".join(f"'{name}'" for name in NO_SETTINGS)
SETTINGS = {
    "pg": "SELECT name || ' = ' || setting AS n FROM pg_settings "
    f"WHERE name NOT IN ({_LEFT}) AND name NOT LIKE 'tcp_keep%'",
    "maria": "SELECT CONCAT(variable_name, ' = ', variable_value) AS n "
    f"FROM information_schema.session_variables WHERE variable_name NOT IN ({_LEFT})",
    "mysql8": "SELECT CONCAT(variable_name, ' = ', variable_value) AS n "
    f"FROM performance_schema.session_variables WHERE variable_name NOT IN ({_LEFT})",
}


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_a_store_answers_without_spark(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    query = whole(name, HUNDRED[name])
    query = replace(query, order=(OrderedBy(place=0, descending=True, nulls_first=False),))
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        for _ in range(2):
            done = federation.run(query)
            assert [row for (row,) in done.rows] == list(range(100, 0, -1))
            assert [(each.name, each.type) for each in done.columns] == [("n", "BIGINT")]
            assert done.by_spark == ""
            (fragment,) = done.fragments
            assert (fragment.rows, fragment.partitions) == (100, 1)
            assert 0 < fragment.seconds <= done.seconds
            assert done.moved[name].rows == 100
            assert (done.exchanges, done.exchanged_rows, done.peak_memory_bytes) == (0, 0, 0)
        # One session for both.
        assert sessions(answering_stores[name]) == 1
        assert federation.run(query, counted=False).moved == {}
    assert awaited(lambda: sessions(answering_stores[name]) == 0)


@pytest.mark.parametrize("name", ANSWERING)
def test_its_session_has_the_settings_that_sessions_of_spark_have(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
):
    with (
        elsewhere(answering_stores[name], monkeypatch),
        Federation(spark, answering_stores, timeout_s=60) as federation,
    ):
        by_driver = whole(name, SETTINGS[name], "VARCHAR")
        by_spark = compiled({name: SETTINGS[name]})
        one, other = ({str(n) for (n,) in federation.run(q).rows} for q in (by_driver, by_spark))
    assert len(one) > 100
    assert sorted(one ^ other) == []


@contextmanager
def elsewhere(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the server be in another time zone, or have a user with odd settings of clients."""
    for setting, value in (
        ("PGTZ", "Asia/Tokyo"),
        ("PGDATESTYLE", "SQL"),
        ("PGGEQO", "off"),
        ("PGCLIENTENCODING", "LATIN1"),
    ):
        monkeypatch.setenv(setting, value)
    if connection.kind == "postgresql":
        yield
        return
    with asked(connection) as execute:
        ((before,),) = execute("SELECT @@GLOBAL.time_zone")
        execute("SET GLOBAL time_zone = '+05:00'")
        try:
            yield
        finally:
            execute(f"SET GLOBAL time_zone = '{before}'")


@pytest.mark.usefixtures("no_spark")
def test_letters_are_sent_as_they_are_whatever_a_user_s_encoding_is(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        done = federation.run(whole("pg", "SELECT 'Müller €' AS n", "VARCHAR"))
    assert done.rows == [("Müller €",)]


@pytest.mark.usefixtures("no_spark")
def test_a_session_of_postgresql_has_the_memory_that_is_stated(
    spark: "SparkSession", answering_stores: Mapping[str, Connection]
):
    query = whole("pg", "SELECT pg_size_bytes(current_setting('work_mem')) AS n")
    (one,) = query.fragments
    small = replace(query, fragments=(replace(one, memory_bytes=768 << 10),))
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        own, stated, again = (federation.run(each).rows[0][0] for each in (query, small, query))
    assert (own, stated, again) == (64 << 20, 768 << 10, 64 << 20)


@pytest.mark.parametrize("name", ANSWERING)
def test_what_is_larger_than_predicted_is_read_in_portions_by_spark(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(store_answer, "MOST_BYTES", 99 * getsizeof(1))
    query = whole(name, HUNDRED[name], "INTEGER" if name == "pg" else "BIGINT")
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        for _ in range(2):
            done = federation.run(query)
            assert sorted(row for (row,) in done.rows) == list(range(1, 101))
            assert (done.alone, done.by_spark) == (False, "")
        assert federation.run(whole(name, QUICK)).alone


@pytest.mark.parametrize(
    "query",
    [
        ("SELECT 70000 AS n", "SMALLINT"),
        ("SELECT 1.5 AS n", "BIGINT"),
        ("SELECT n FROM no_such_table", "BIGINT"),
    ],
)
@pytest.mark.parametrize("name", ["pg", "maria"])
def test_errors_are_those_of_the_way_through_spark(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    name: str,
    query: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
):
    told = []
    for alone in (True, False):
        if not alone:
            monkeypatch.setattr(StoreSessions, "most_rows", lambda *_: 0)
        with (
            Federation(spark, answering_stores, timeout_s=60) as federation,
            pytest.raises(QueryFailedError, match=r"70000|decimal|no_such_table") as error,
        ):
            federation.run(whole(name, *query))
        # MariaDB's driver numbers its connections.
        told.append(re.sub(r"conn=\d+", "", str(error.value)))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "changed",
    [
        lambda query: replace(query, types=()),
        lambda query: replace(query, names=()),
        lambda query: replace(query, types=("DOUBLE",)),
        lambda query: _with(query, fragment=_large(query)),
        lambda query: _with(query, common="SELECT 1 AS k"),
        lambda query: replace(query, combine_sql="SELECT n FROM f0"),
    ],
)
def test_only_small_whole_queries_of_known_types_are_asked_so(
    changed: Callable[[CompiledQuery], CompiledQuery],
):
    query = whole("pg", QUICK)
    rows = int(query.fragments[0].fragment.work.rows_out)
    assert store_answer.is_answered_alone(query, {"pg": rows}.__getitem__)
    assert not store_answer.is_answered_alone(query, {"pg": rows - 1}.__getitem__)
    assert not store_answer.is_answered_alone(changed(query), {"pg": 10**9}.__getitem__)


def _with(query: CompiledQuery, **changes: Any) -> CompiledQuery:
    (one,) = query.fragments
    return replace(query, fragments=(replace(one, **changes),))


def _large(query: CompiledQuery) -> Any:
    fragment = query.fragments[0].fragment
    return replace(fragment, work=replace(fragment.work, rows_out=1e6))
