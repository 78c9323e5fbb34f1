"""What dialects differ in: the same answers from every store, and from the engine."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.dialects.spark import LACKS
from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import refused
from tests.dialect_facts import catalog, statements
from workloads.errors import SqlError
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.sql.features import lacked_by
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

SENT_SHARE = {"pg": 0.7, "maria": 0.55, "mysql8": 0.55, "duck": 1.0}
"""Store → the share of the statements that it can be sent whole, at least."""
COMBINED_SHARE = 0.6
"""The share of the statements that Spark is sent, at least."""


@pytest.fixture(scope="module")
def job(
    embedded: Mapping[str, Connection],
    others: Mapping[str, Connection],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Job]:
    """The statements over two tables that are in every store."""
    tables = catalog(tmp_path_factory.mktemp("facts"))
    found = {**embedded, **others}
    connections = {name: replace(each, namespace="facts") for name, each in found.items()}
    for connection in connections.values():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in tables.tables.values():
            backend.load(connection, table)
    workload = Workload(name="facts", dialect="duckdb", queries=statements())
    yield Job(workload=workload, catalog=tables, connections=connections, query_timeout_s=30)
    for connection in connections.values():
        for table in tables.tables:
            BACKENDS[connection.kind].drop(connection, table)


def fragments(job: Job, query: str) -> tuple[Fragment, ...]:
    found = footprint(job.workload.query(query), job.catalog, "duckdb")
    return enumerate_fragments(found, Estimator(job.catalog, found))


def whole_in(job: Job, query: str, store: str) -> list[RoutedFragment]:
    """The statement as one fragment of the store; nothing where it lacks what it takes."""
    lacks = BACKENDS[job.connections[store].kind].lacks
    return [
        RoutedFragment(fragment=each, store=store, predicted_s=0.0)
        for each in fragments(job, query)
        if each.kind is Capability.QUERY and not each.work.features & lacks
    ]


def scans_in(job: Job, query: str, store: str) -> list[RoutedFragment]:
    """Every source from the store alone, so that the engine does all the rest."""
    return [
        RoutedFragment(fragment=each, store=store, predicted_s=0.0)
        for each in fragments(job, query)
        if each.kind is Capability.SCAN
    ]


def wrong_answers(
    spark: "SparkSession", job: Job, routings: Mapping[str, list[RoutedFragment]]
) -> dict[str, str]:
    compiler = Compiler(job.workload, job.catalog, dialects(job))
    oracle = Oracle(job.catalog)
    wrong = {}
    # Spark has to run what it does not lack: DuckDB would answer it in any case.
    with Federation(spark, job.connections, timeout_s=30, combine="spark") as federation:
        for name, routing in routings.items():
            try:
                answer = federation.run(compiler.compile(name, routing)).answer
                said = refused(oracle, job.workload.query(name), answer)
            except (QueryFailedError, SqlError) as error:
                said = str(error)
            if said is not None:
                wrong[name] = said
    oracle.close()
    return wrong


@pytest.mark.parametrize("store", list(SENT_SHARE))
def test_a_store_answers_whole_what_it_does_not_lack_as_duckdb_does(
    spark: "SparkSession", job: Job, store: str
):
    names = [query.name for query in job.workload.queries]
    routings = {name: found for name in names if (found := whole_in(job, name, store))}
    assert len(routings) >= SENT_SHARE[store] * len(names)
    assert wrong_answers(spark, job, routings) == {}


def is_combined(job: Job, query: str) -> bool:
    """Whether Spark combines the statement: it lacks nothing that the statement takes."""
    schema = {
        name.lower(): {column.lower(): type_ for column, type_ in columns.items()}
        for name, columns in job.catalog.schema().items()
    }
    tree = canonical(job.workload.query(query), job.catalog, "duckdb")
    return not lacked_by(tree, LACKS, schema)


@pytest.mark.parametrize("store", list(SENT_SHARE))
def test_the_engine_answers_as_duckdb_does_with_rows_of_any_store(
    spark: "SparkSession", job: Job, store: str
):
    names = [query.name for query in job.workload.queries if is_combined(job, query.name)]
    assert len(names) >= COMBINED_SHARE * len(job.workload.queries)
    routings = {name: scans_in(job, name, store) for name in names}
    assert wrong_answers(spark, job, routings) == {}
