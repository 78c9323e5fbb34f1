"""Many queries leave no thread, session or table behind, and nothing in a cache."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from threading import active_count
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from tests.spark.runtime_queries import awaited, in_all, sessions, warm_up

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

# Spark adds a thread a job up to a limit; they end when they have rested for a minute.
SPARKS_POOLS = (
    "block-manager-",
    "broadcast-exchange-",
    "Executor task launch worker",
    "ResultQueryStageExecution-",
    "shuffle-exchange-",
)


def engine_threads(spark: "SparkSession") -> Counter[str]:
    """The engine's threads counted by their names, but for its pools' that grow by design."""
    engine: Any = spark.sparkContext._jsc.sc()
    names = [each.threadName() for each in engine.getExecutorThreadDump("driver").get()]
    kinds = (re.sub(r"[\d.]+", "", name) for name in names)
    return Counter(kind for kind in kinds if not kind.startswith(SPARKS_POOLS))


def test_two_hundred_queries_leave_nothing_behind(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    warm_up(spark, embedded)
    numbers = {
        "pg": "SELECT x AS n FROM generate_series(1, 20) AS a(x)",
        "maria": "SELECT seq AS n FROM seq_1_to_20",
        "duck": "SELECT x AS n FROM range(1, 21) AS a(x)",
    }
    every = in_all(numbers)
    first, *others = every.fragments
    # One that is read twice is kept by the engine, as long as the query runs.
    query = replace(every, fragments=(replace(first, reads=2), *others))
    typed = tuple(replace(each, types=("BIGINT",)) for each in query.fragments)
    in_driver = replace(query, fragments=typed, driver_sql=query.combine_sql or "")
    broken = in_all({**numbers, "maria": "SELECT n FROM no_such_table"})
    with Federation(spark, embedded, timeout_s=60) as federation:
        threads = []
        for number in range(200):
            if number % 10 == 9:
                with pytest.raises(QueryFailedError):
                    federation.run(broken)
            else:
                one = query if number % 2 else in_driver
                assert federation.run(one).rows[0][0] == 3 * 210
            if number % 100 == 99:
                threads.append((engine_threads(spark), active_count()))
        (java, python), (java_later, python_later) = threads
        assert python_later == python
        # Ten of the hundred between failed. Threads of Java's own come and go one by one.
        assert all(grown < 5 for grown in (java_later - java).values())
        # A server takes a moment to see that a connection was closed.
        assert awaited(lambda: [sessions(embedded[name]) for name in ("pg", "maria")] == [0, 0])
        assert spark.catalog.listTables() == []
        engine: Any = spark
        assert engine._jsc.getPersistentRDDs().size() == 0
        assert engine._jsparkSession.sharedState().cacheManager().isEmpty()
