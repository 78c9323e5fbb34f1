"""Statements of PostgreSQL and MySQL mean the same in every store and where they are combined."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import refused
from tests.dialect_facts import catalog
from tests.fuzzing.on_stores import federations_of
from tests.fuzzing.placements import COMBINE
from tests.stores.test_declared_dialects import statements
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

STORES = ("pg", "maria", "duck")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("declared"))


@pytest.fixture(scope="module")
def connections(
    embedded: Mapping[str, Connection], tables: Catalog
) -> Iterator[Mapping[str, Connection]]:
    found = {name: replace(embedded[name], namespace="meant") for name in STORES}
    for connection in found.values():
        BACKENDS[connection.kind].prepare(connection)
        for table in tables.tables.values():
            BACKENDS[connection.kind].load(connection, table)
    yield found
    for connection in found.values():
        for table in tables.tables:
            BACKENDS[connection.kind].drop(connection, table)


def routings(fragments: tuple[Fragment, ...]) -> Iterator[list[RoutedFragment]]:
    """The query whole in each store that can run it, and its sources from the stores in turn."""
    for each in fragments:
        if each.kind is Capability.QUERY:
            for store, kind in (("pg", "postgresql"), ("maria", "mysql"), ("duck", "duckdb")):
                if not each.work.features & BACKENDS[kind].lacks:
                    yield [RoutedFragment(fragment=each, store=store, predicted_s=0.0)]
    scans = [each for each in fragments if each.kind is Capability.SCAN]
    yield [
        RoutedFragment(fragment=each, store=STORES[number % len(STORES)], predicted_s=0.0)
        for number, each in enumerate(scans)
    ]


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_a_declared_dialect_means_the_same_wherever_it_is_run(
    spark: "SparkSession", connections: Mapping[str, Connection], tables: Catalog, dialect: str
):
    queries = tuple(Query(name=sql, sql=sql, origin=sql) for sql in statements(dialect))
    workload = Workload(name="declared", dialect=dialect, queries=queries)
    job = Job(workload=workload, catalog=tables, connections=connections, query_timeout_s=60)
    compiler, oracle = Compiler(workload, tables, dialects(job)), Oracle(tables, dialect)
    wrong, runs = {}, 0
    with federations_of(spark, connections) as federations:
        for query in queries:
            found = footprint(query, tables, dialect)
            for routing in routings(enumerate_fragments(found, Estimator(tables, found))):
                runs += 1
                federation = federations[COMBINE[runs % 2]]
                try:
                    answer = federation.run(compiler.compile(query.name, routing)).answer
                    said = refused(oracle, query, answer)
                except (QueryFailedError, SqlError) as error:
                    said = str(error)
                if said is not None:
                    wrong[query.sql, routing[0].store, len(routing)] = said
    oracle.close()
    assert wrong == {}
    assert runs > 2 * len(queries)
