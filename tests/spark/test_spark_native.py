"""Spark's own pushdown as the engine: the same answers, rows counted, and late queries ended."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.engines.spark_native import SparkNative, open_spark_native
from evaluation.judging.oracle import Oracle
from evaluation.load import load
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import Job
from evaluation.spark.joins import JoinStrategy
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.routing.routing import plan_for
from tests.answers import refused
from tests.data_fixtures import statement
from tests.spark.runtime_queries import sessions
from tests.spark.test_runs import PAPERS_TEN, measured, problem
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

STORES = ("pg", "maria", "duck", "acc")


def dealt(tables: Catalog) -> Mapping[str, tuple[str, ...]]:
    """Every table in one store: each has every fourth."""
    return {name: (STORES[at % len(STORES)],) for at, name in enumerate(sorted(tables.tables))}


def test_ten_queries_are_right_where_each_store_has_a_fourth(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    accumulo: Mapping[str, Connection],
    tiny: Catalog,
    queries: Workload,
):
    stores = {**embedded, **accumulo}
    ten = replace(queries, queries=tuple(queries.query(name) for name in PAPERS_TEN))
    job = Job(workload=ten, catalog=tiny, connections=stores, repeats=1, engine="spark-native")
    plan = plan_for(problem(ten, tiny, stores), "dealt", dealt(tiny))
    (found,) = measured(spark, job, [plan])
    assert {q.query: q.message for q in found.queries if q.outcome != QueryOutcome.VERIFIED} == {}
    assert all(query.rows_moved > 0 and query.bytes_moved > 0 for query in found.queries)
    assert {store for query in found.queries for store in query.moved} == set(STORES)
    assert all(query.fragments == () for query in found.queries)


@contextmanager
def opened(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tables: Catalog,
    sql: str,
    placement: Mapping[str, tuple[str, ...]],
    *,
    timeout_s: float = 120.0,
    join_strategy: JoinStrategy = "automatic",
) -> Iterator[tuple[SparkNative, PlacementPlan, Oracle, Workload]]:
    """The engine open for one statement, whose tables are loaded."""
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    job = Job(
        workload=workload,
        catalog=tables,
        connections=embedded,
        query_timeout_s=timeout_s,
        join_strategy=join_strategy,
    )
    plan = plan_for(problem(workload, tables, embedded), "p", placement)
    load(tables, [plan], embedded, Silent())
    oracle = Oracle(tables)
    with open_spark_native(spark, job, oracle) as engine:
        yield engine, plan, oracle, workload
    oracle.close()


@pytest.mark.parametrize("store", ["pg", "maria"])
def test_an_aggregate_leaves_its_store_as_one_row(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog, store: str
):
    sql = "SELECT count(*) AS n FROM store_sales"
    everywhere = dict.fromkeys(tiny.tables, (store,))
    with opened(spark, embedded, tiny, sql, everywhere) as (engine, plan, oracle, workload):
        found = engine.prepare("q", plan).run()
        assert refused(oracle, workload.query("q"), found.answer, engine.types) is None
        assert {name: moved.rows for name, moved in found.moved.items()} == {store: 1}
        again = engine.prepare("q", plan).run(counted=False)
        assert (again.answer, again.moved, again.exchanges) == (found.answer, {}, None)


def test_a_log_of_sparks_events_has_no_password(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog
):
    """Jobs are logged with all that their session is set to."""
    sql = "SELECT count(*) AS n FROM store"
    everywhere = dict.fromkeys(tiny.tables, ("pg",))
    with opened(spark, embedded, tiny, sql, everywhere) as (engine, *_):
        session: Any = engine.frames.spark
        jvm = session.sparkContext._jvm
        properties = jvm.java.util.Properties()
        for name in ("pg", "maria"):
            key = f"spark.sql.catalog.{name}.password"
            assert session.conf.get(key) == embedded[name].password
            properties.setProperty(key, embedded[name].password)
        logged = jvm.org.apache.spark.scheduler.EventLoggingListener(
            "events",
            jvm.scala.Option.empty(),
            jvm.java.net.URI("file:///tmp"),
            session.sparkContext._jsc.sc().conf(),
            session.sparkContext._jsc.hadoopConfiguration(),
        ).redactProperties(properties)
        assert len(logged) == 2
        assert all("redacted" in value for value in logged.values())


JOINED = "SELECT ss_item_sk, s_store_id FROM store_sales JOIN store ON ss_store_sk = s_store_sk"


def test_a_join_is_pushed_where_both_tables_are_in_one_store(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog
):
    everywhere = dict.fromkeys(tiny.tables, ("pg",))
    apart = everywhere | {"store": ("maria",)}
    moved = []
    for placement in (everywhere, apart):
        with opened(spark, embedded, tiny, JOINED, placement) as (engine, plan, oracle, workload):
            found = engine.prepare("q", plan).run()
            query = workload.query("q")
            assert refused(oracle, query, found.answer, engine.types) is None
            expected = oracle.answer(query).rows
            moved.append({name: each.rows for name, each in found.moved.items()})
    assert moved[0] == {"pg": len(expected)}
    assert moved[1] == {"pg": len(expected), "maria": tiny.table("store").rows}


@pytest.mark.parametrize(("strategy", "broadcasts"), [("broadcast", True), ("partitioned", False)])
def test_joins_between_stores_are_as_they_are_asked_for(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    strategy: JoinStrategy,
    broadcasts: bool,
):
    sql = "SELECT count(*) AS n FROM store, store_sales WHERE s_store_sk = ss_store_sk"
    placement = {"store": ("pg",), "store_sales": ("maria",)}
    with opened(spark, embedded, tiny, sql, placement, join_strategy=strategy) as found:
        engine, plan, _, workload = found
        located = engine.prepare(workload.queries[0].name, plan)
        frame: Any = engine.frames.spark.sql(located.query.sql)
        frame.collect()
        settled = frame._jdf.queryExecution().executedPlan().toString()
    assert ("BroadcastHashJoin" in settled) == broadcasts
    # The first session keeps its own choice.
    assert spark.conf.get("spark.sql.autoBroadcastJoinThreshold") != "-1"


def test_a_late_query_is_over_in_its_store(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog
):
    # Joined by what is nearly always the same: hundreds of millions of rows.
    sql = (
        "SELECT sum(a.ss_item_sk * b.ss_item_sk) AS n FROM store_sales a "
        "JOIN store_sales b ON a.ss_store_sk = b.ss_store_sk"
    )
    everywhere = dict.fromkeys(tiny.tables, ("pg",))
    with opened(spark, embedded, tiny, sql, everywhere, timeout_s=4) as (engine, plan, _, _):
        with pytest.raises(QueryFailedError, match="not done after 4 s") as error:
            engine.prepare("q", plan).run()
        assert error.value.timeout
        assert sessions(embedded["pg"]) == 0


def test_a_failure_names_its_store_and_no_password(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog
):
    sql = "SELECT count(*) AS n FROM store WHERE 1 / (s_store_sk - s_store_sk) > 0"
    gone = replace(embedded["pg"], database="no_such_database")
    stores = {**embedded, "pg": gone}
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    job = Job(workload=workload, catalog=tiny, connections=stores)
    plan = plan_for(problem(workload, tiny, stores), "p", dict.fromkeys(tiny.tables, ("pg",)))
    oracle = Oracle(tiny)
    with open_spark_native(spark, job, oracle) as engine, pytest.raises(QueryFailedError) as error:
        engine.prepare("q", plan).run()
    oracle.close()
    assert "Store 'pg'" in str(error.value)
    assert embedded["pg"].password not in str(error.value)
