"""DuckDB in the driver: it combines what is small, and what Spark's SQL does not say."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.fragments import dialects
from evaluation.federation.compile import UNEQUALLED_TYPE, Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.cancellation import Cancellation
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.running.store_sessions import StoreSessions
from evaluation.spark.combining import Combine
from evaluation.store_protocol.connection import Connection
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import refused
from tests.dialect_facts import catalog
from tests.fuzzing.placements import COMBINE
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

HISTOGRAM = (
    "SELECT f.flag, histogram(o.v) AS h FROM fact AS f JOIN other AS o ON f.id = o.k GROUP BY 1"
)
LISTED = "SELECT list(f.id ORDER BY o.v, f.id) AS ids FROM fact AS f JOIN other AS o ON f.id > o.k"
TWICE = "SELECT a.id, list_value(a.id, b.id) AS pair FROM fact AS a JOIN fact AS b ON a.n = b.m"
FOR_EVER = (
    "SELECT sum(list_sum([a.i, b.i, f.id])) AS n FROM fact AS f, range(100000000) AS a(i),"
    " range(100000) AS b(i)"
)
PLAIN = "SELECT a.id, b.n FROM fact AS a JOIN fact AS b ON a.n = b.m"
UNPLANNED = (
    "SELECT a.id, b.n FROM fact AS a RIGHT JOIN fact AS b ON a.n = b.m AND a.grp = 'z' "
    "WHERE NOT EXISTS (SELECT 4 WHERE DATE '9999-12-31' = DATE '2020-06-15')"
)
WHOLE = (
    "SELECT ts - TIMESTAMP '2000-01-01' AS since, id FROM fact ORDER BY since DESC NULLS FIRST, id",
    "SELECT grp, [n, m] AS both, NULL AS nothing FROM fact ORDER BY id DESC LIMIT 4",
    "SELECT CAST(ts AS TIME) AS t, struct_pack(a := id, b := grp) AS s FROM fact ORDER BY ALL",
)
CONVERTED = "SELECT CAST(grp AS INTEGER) AS i, o.k FROM fact JOIN other AS o ON id = o.k"
LEAST_BYTES = 1_000
STATEMENTS = (*WHOLE, CONVERTED, HISTOGRAM, LISTED, TWICE, FOR_EVER, PLAIN, UNPLANNED)


@pytest.fixture(scope="module")
def job(
    every_kind: Mapping[str, Connection], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Job]:
    tables = catalog(tmp_path_factory.mktemp("facts"))
    connections = {name: replace(each, namespace="driver") for name, each in every_kind.items()}
    for connection in connections.values():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in tables.tables.values():
            backend.load(connection, table)
    queries = tuple(
        Query(name=f"q{number}", sql=sql, origin="test") for number, sql in enumerate(STATEMENTS)
    )
    workload = Workload(name="driver", dialect="duckdb", queries=queries)
    yield Job(workload=workload, catalog=tables, connections=connections, query_timeout_s=30)
    for connection in connections.values():
        for table in tables.tables:
            BACKENDS[connection.kind].drop(connection, table)


def compiled(
    job: Job, sql: str, stores: tuple[str, ...], kind: Capability = Capability.SCAN
) -> CompiledQuery:
    """The statement with its sources read from `stores` in turn, or as a whole from the first."""
    name = f"q{STATEMENTS.index(sql)}"
    found = footprint(job.workload.query(name), job.catalog, "duckdb")
    scans = [
        each
        for each in enumerate_fragments(found, Estimator(job.catalog, found))
        if each.kind is kind
    ]
    routing = [
        RoutedFragment(fragment=each, store=stores[index % len(stores)], predicted_s=0.0)
        for index, each in enumerate(scans)
    ]
    return Compiler(job.workload, job.catalog, dialects(job)).compile(name, routing)


def verified(
    spark: "SparkSession", job: Job, query: CompiledQuery, combine: Combine = "automatic"
) -> Execution:
    """The execution of a query by a federation of its own, with DuckDB's answer."""
    with (
        Federation(spark, job.connections, timeout_s=30, combine=combine) as federation,
        closing(Oracle(job.catalog)) as oracle,
    ):
        done = federation.run(query)
        assert refused(oracle, job.workload.query(query.query), done.answer) is None
    return done


@pytest.mark.parametrize("sql", [HISTOGRAM, LISTED, TWICE])
@pytest.mark.parametrize("stores", [("pg", "maria"), ("duck", "acc"), ("mem", "pg")])
def test_what_spark_lacks_is_combined_by_duckdb_over_rows_of_any_stores(
    spark: "SparkSession", job: Job, sql: str, stores: tuple[str, ...]
):
    query = compiled(job, sql, stores)
    assert query.combiner == "duckdb"
    assert query.lacked
    done = verified(spark, job, query)
    assert {each.view for each in query.fragments if each.same_as is None} == {
        each.view for each in done.fragments if each.rows > 0
    }
    assert sum(each.rows for each in done.moved.values()) > 0


def test_large_frames_arrive_in_parts_that_java_can_hold(
    spark: "SparkSession", job: Job, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(StoreSessions, "most_rows", lambda *_: 0)
    query = compiled(job, LISTED, ("pg", "maria"))
    exchanges = []
    for part_bytes in (1 << 20, 16):
        monkeypatch.setattr("evaluation.running.driver_parts.PART_BYTES", part_bytes)
        exchanges.append(verified(spark, job, query).exchanges)
    assert exchanges == [0, 2]


@pytest.mark.parametrize("sql", WHOLE)
def test_what_spark_has_no_type_for_arrives_from_a_whole_query_in_its_order(
    spark: "SparkSession", job: Job, sql: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("evaluation.running.driver_parts.PART_BYTES", 16)
    query = compiled(job, sql, ("duck",), Capability.QUERY)
    assert query.lacked == (UNEQUALLED_TYPE,)
    assert verified(spark, job, query).exchanges == 0


@pytest.mark.parametrize("stores", [("pg", "maria"), ("acc", "mem"), ("duck",)])
def test_an_error_in_the_data_leads_to_a_second_try_over_whole_tables(
    spark: "SparkSession", job: Job, stores: tuple[str, ...]
):
    compiled_once = compiled(job, PLAIN, stores)
    query = replace(compiled_once, combine_sql="SELECT CAST('x' AS INT) AS id, 1 AS n")
    oracle = Oracle(job.catalog)
    with Federation(spark, job.connections, timeout_s=30, combine="spark") as federation:
        for _ in range(2):
            done = federation.run(query)
            assert "CAST_INVALID_INPUT" in done.second_try
            assert refused(oracle, job.workload.query(query.query), done.answer) is None
    with Federation(spark, job.connections, timeout_s=30) as federation:
        assert federation.run(compiled_once).second_try == ""
    oracle.close()


def test_a_query_that_sparks_planner_falls_over_is_answered_by_duckdb(
    spark: "SparkSession", job: Job
):
    query = compiled(job, UNPLANNED, ("duck", "acc"))
    assert query.combiner != "duckdb"
    assert verified(spark, job, query, "spark").second_try == "None.get"


@pytest.mark.parametrize("stores", [("pg", "maria"), ("acc", "mem"), ("duck", "pg")])
def test_a_small_query_is_combined_in_the_driver_unless_spark_is_asked_for(
    spark: "SparkSession", job: Job, stores: tuple[str, ...]
):
    query = compiled(job, PLAIN, stores)
    told = []
    for combine in COMBINE:
        done = verified(spark, job, query, combine)
        assert sum(each.rows for each in done.fragments) > 0
        assert done.peak_memory_bytes is not None
        told.append(done.operators_memory_bytes is not None)
    # DuckDB tells of its memory as a whole alone.
    assert told == [False, True]


def test_the_memory_of_the_driver_is_told_and_what_exceeds_it_is_combined_by_spark(
    spark: "SparkSession", job: Job
):
    query, oracle = compiled(job, PLAIN, ("pg", "maria")), Oracle(job.catalog)
    with Federation(spark, job.connections, timeout_s=30) as federation:
        assert (federation.run(query).peak_memory_bytes or 0) > LEAST_BYTES
    # So many share the memory that each has less than a page.
    with Federation(spark, job.connections, timeout_s=30, sharing=10_000_000) as federation:
        for _ in range(2):
            done = federation.run(query)
            assert done.operators_memory_bytes is not None
            assert (done.second_try, "Out of Memory" in done.by_spark) == ("", True)
            assert refused(oracle, job.workload.query(query.query), done.answer) is None
    oracle.close()


@pytest.mark.parametrize("stores", [("pg", "maria"), ("duck", "pg")])
def test_many_rows_where_few_were_predicted_are_combined_by_spark(
    spark: "SparkSession",
    job: Job,
    stores: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(StoreSessions, "most_rows", lambda *_: 0)
    for limit in ("MOST_ARRIVING", "TIMES_PREDICTED"):
        monkeypatch.setattr(f"evaluation.running.driver_parts.{limit}", 0)
    done = verified(spark, job, compiled(job, PLAIN, stores))
    assert "rows arrive where little was predicted" in done.by_spark
    assert done.operators_memory_bytes is not None
    # What DuckDB alone can combine has no other way.
    assert verified(spark, job, compiled(job, LISTED, stores)).by_spark == ""


def test_what_duckdb_cannot_combine_is_left_to_spark_and_nothing_is_cancelled(
    spark: "SparkSession", job: Job, monkeypatch: pytest.MonkeyPatch
):
    # All jobs of Spark would be, those of other clients too.
    monkeypatch.setattr(Cancellation, "stop", lambda _: pytest.fail("cancelled"))
    query, oracle = compiled(job, PLAIN, ("pg", "maria")), Oracle(job.catalog)
    broken = replace(query, driver_sql="SELECT CAST('x' AS INT) AS id, 1 AS n")
    with Federation(spark, job.connections, timeout_s=30) as federation:
        for _ in range(2):
            done = federation.run(broken)
            assert (done.second_try, "Conversion Error" in done.by_spark) == ("", True)
            assert refused(oracle, job.workload.query(query.query), done.answer) is None
    oracle.close()


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_a_table_that_is_gone_is_told_and_not_answered_otherwise(
    spark: "SparkSession", job: Job, store: str
):
    query = compiled(job, PLAIN, (store,))
    first, *others = query.fragments
    gone = replace(first, sql="SELECT id, k FROM gone_table", types=())
    with (
        Federation(spark, job.connections, timeout_s=30) as federation,
        pytest.raises(QueryFailedError, match="gone_table"),
    ):
        federation.run(replace(query, fragments=(gone, *others)))


def _failing_late(columns: Sequence[str]) -> str:
    """A statement of PostgreSQL that ends with an error in the data after three seconds."""
    first, *others = (f'"{each}"' for each in columns)
    late = f"CAST(pg_sleep(3)::text || 'x' AS integer) AS {first}"
    return f"SELECT {', '.join([late, *(f'1 AS {each}' for each in others)])}"


def test_both_tries_together_keep_the_time_limit(spark: "SparkSession", job: Job):
    slow = replace(compiled(job, FOR_EVER, ("pg", "maria")), second_try=None)
    query = compiled(job, PLAIN, ("pg",))
    fragments = tuple(
        replace(each, sql=_failing_late(each.columns), types=()) for each in query.fragments
    )
    failing = replace(query, fragments=fragments, second_try=lambda: slow)
    started = perf_counter()
    with (
        Federation(spark, job.connections, timeout_s=5) as federation,
        pytest.raises(QueryFailedError, match="not done after 5 s") as raised,
    ):
        federation.run(failing)
    assert raised.value.timeout
    # With a limit of its own the second try would have ended after 8 s at the earliest.
    assert perf_counter() - started < 7.5


def test_a_query_that_fails_at_its_second_try_too_has_failed(spark: "SparkSession", job: Job):
    query = compiled(job, CONVERTED, ("pg", "maria"))
    with (
        Federation(spark, job.connections, timeout_s=30) as federation,
        pytest.raises(QueryFailedError, match=r"convert|CAST_INVALID_INPUT"),
    ):
        federation.run(query)


def test_duckdb_in_the_driver_ends_with_the_time_limit(spark: "SparkSession", job: Job):
    query = compiled(job, FOR_EVER, ("pg", "maria"))
    with (
        Federation(spark, job.connections, timeout_s=2) as federation,
        pytest.raises(QueryFailedError, match="not done after 2 s") as raised,
    ):
        federation.run(query)
    assert raised.value.timeout


def test_what_spark_says_as_duckdb_does_is_combined_by_spark(job: Job):
    assert compiled(job, PLAIN, ("pg",)).combiner == "spark"
