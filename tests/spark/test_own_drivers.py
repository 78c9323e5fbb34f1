"""Small fragments of queries that DuckDB combines come by their stores' own drivers."""

import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from sys import getsizeof
from threading import Timer
from typing import TYPE_CHECKING

import pytest

from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.kinds import BACKENDS
from evaluation.running import driver_rows
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from tests.spark.answering_fixtures import ANSWERING
from tests.spark.runtime_queries import QUICK, SLOW, awaited, in_all, sessions, statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

EVERY = dict.fromkeys(ANSWERING, QUICK)
ONE_TO_FIVE = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(1, 6))


def in_driver(sql: Mapping[str, str], type_: str = "BIGINT") -> CompiledQuery:
    """The sum of the numbers of all fragments, which DuckDB combines."""
    query = in_all(sql)
    typed = tuple(replace(each, types=(type_,)) for each in query.fragments)
    return replace(
        query,
        fragments=typed,
        names=("n",),
        types=("HUGEINT",),
        driver_sql=query.combine_sql or "",
    )


def keyed(sql: Mapping[str, str]) -> CompiledQuery:
    """The same, where each fragment has only the numbers of the one before it."""
    query = in_driver(sql)
    first, *others = query.fragments
    made = [first]
    for each in others:
        source = KeySource(view=made[-1].view, column="n", store=made[-1].store)
        made.append(replace(each, keys=(KeyFilter(column="n", quoted="n", source=source),)))
    # The combining query reads them in any order.
    return replace(query, fragments=tuple(reversed(made)))


@pytest.mark.usefixtures("no_spark")
def test_small_fragments_come_without_spark(
    spark: "SparkSession", answering_stores: Mapping[str, Connection]
):
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        for _ in range(2):
            done = federation.run(in_driver(EVERY))
            assert (done.rows, done.by_spark, done.alone) == ([(3,)], "", False)
            assert {each.store: each.rows for each in done.fragments} == dict.fromkeys(EVERY, 1)
            assert all(each.partitions == 1 and each.seconds > 0 for each in done.fragments)
            assert {store: each.rows for store, each in done.moved.items()} == dict.fromkeys(
                EVERY, 1
            )
            assert done.exchanges == 0
        for name in ANSWERING:
            assert sessions(answering_stores[name]) == 1
        assert federation.run(in_driver(EVERY), counted=False).rows == [(3,)]
    for connection in answering_stores.values():
        assert awaited(lambda connection=connection: sessions(connection) == 0)


@pytest.mark.usefixtures("no_spark")
def test_a_fragment_has_the_keys_of_those_that_come_before_it(
    spark: "SparkSession", answering_stores: Mapping[str, Connection]
):
    sql = {"pg": "SELECT 2 AS n UNION ALL SELECT 4", "maria": ONE_TO_FIVE, "mysql8": ONE_TO_FIVE}
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        done = federation.run(keyed(sql))
    assert done.rows == [(3 * 6,)]
    assert {each.store: each.rows for each in done.fragments} == dict.fromkeys(sql, 2)


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_a_store_has_few_of_our_sessions(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    one = in_driver({name: QUICK})
    (fragment,) = one.fragments
    number = 8
    # As many as Spark has cores.
    assert spark.sparkContext.defaultParallelism == 2
    several = replace(
        one,
        fragments=tuple(replace(fragment, view=f"f{each}") for each in range(number)),
        driver_sql=" UNION ALL ".join(f"SELECT n FROM f{each}" for each in range(number)),
    )
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        assert federation.run(several).rows == [(1,)] * number
        assert 1 <= sessions(answering_stores[name]) <= 2


@pytest.mark.parametrize("name", ANSWERING)
def test_idle_sessions_are_over_when_spark_reads_their_store(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    """An account may be allowed no more connections than Spark's reads have."""
    small = in_driver({name: QUICK})
    (one,) = small.fragments
    large = replace(one.fragment, work=replace(one.fragment.work, rows_out=1e5))
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        federation.run(small)
        assert sessions(answering_stores[name]) == 1
        done = federation.run(replace(small, fragments=(replace(one, fragment=large),)))
        assert (done.rows, done.fragments[0].rows) == ([(1,)], 1)
        assert awaited(lambda: sessions(answering_stores[name]) == 0)


@pytest.mark.parametrize("name", ANSWERING)
def test_what_a_driver_refuses_is_read_by_spark_and_told(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(driver_rows, "MOST_FETCHED_BYTES", 4 * getsizeof(1))
    query = in_driver({name: ONE_TO_FIVE}, "INTEGER" if name == "pg" else "BIGINT")
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        for _ in range(2):
            done = federation.run(query)
            assert done.rows == [(15,)]
            assert done.by_spark.startswith(f"Store '{name}': more than")
            assert done.operators_memory_bytes is None
        assert federation.run(in_driver(EVERY)).by_spark == ""


def test_a_login_that_fails_is_left_to_spark(
    spark: "SparkSession",
    answering_stores: Mapping[str, Connection],
    monkeypatch: pytest.MonkeyPatch,
):
    tried = []

    def answering(*_: object) -> None:
        tried.append(1)
        raise OSError("too many connections")

    monkeypatch.setattr(type(BACKENDS["postgresql"]), "answering", staticmethod(answering))
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        done = federation.run(in_driver(EVERY))
        assert (done.rows, done.by_spark) == ([(3,)], "Store 'pg': too many connections")
        # For a while it is not tried again.
        again = federation.run(in_driver(EVERY))
        assert (again.rows, again.by_spark) == (done.rows, done.by_spark)
    assert len(tried) == 1


def test_errors_of_the_data_are_those_of_the_way_through_spark(
    spark: "SparkSession", answering_stores: Mapping[str, Connection]
):
    told = []
    for combine in ("automatic", "spark"):
        with (
            Federation(spark, answering_stores, timeout_s=60, combine=combine) as federation,
            pytest.raises(QueryFailedError) as error,
        ):
            federation.run(in_driver({**EVERY, "pg": "SELECT 1 / 0 AS n"}))
        assert error.value.of_query
        told.append(str(error.value))
    assert told == ["Store 'pg': ERROR: division by zero"] * 2


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_a_late_fragment_is_over_in_its_store_when_it_is_over_for_us(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    with Federation(spark, answering_stores, timeout_s=3) as federation:
        for _ in range(2):
            with pytest.raises(QueryFailedError, match="not done after 3 s") as error:
                federation.run(in_driver({**EVERY, name: SLOW[name]}))
            assert error.value.timeout
            assert statements(answering_stores[name]) == 0
        assert federation.run(in_driver(EVERY)).rows == [(3,)]


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.usefixtures("no_spark")
def test_an_interrupt_ends_the_fragment_in_its_store(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        timer = Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            federation.run(in_driver({**EVERY, name: SLOW[name]}))
        timer.join()
        assert awaited(lambda: statements(answering_stores[name]) == 0, timeout_s=5)
        assert federation.run(in_driver(EVERY)).rows == [(3,)]


@pytest.mark.parametrize("name", ANSWERING)
def test_a_fragment_that_fails_ends_the_others(
    spark: "SparkSession", answering_stores: Mapping[str, Connection], name: str
):
    failing = "maria" if name == "pg" else "pg"
    with Federation(spark, answering_stores, timeout_s=60) as federation:
        with pytest.raises(QueryFailedError, match="no_such_table"):
            federation.run(in_driver({name: SLOW[name], failing: "SELECT n FROM no_such_table"}))
        assert statements(answering_stores[name]) == 0
