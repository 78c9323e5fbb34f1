"""Statements on columns that copies carry as text, answered by the stores and the engine."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from tests.fuzzing.on_stores import federations_of
from tests.fuzzing.placements import NAME, analysis_of, project, routings
from tests.own_types import STATEMENTS, write_tables
from tests.stores.copies import copied
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

WAYS = 2


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = write_tables(tmp_path_factory.mktemp("own_types"))
    return parquet.catalog(folder, cache=tmp_path_factory.mktemp("cache"), progress=Silent())


@pytest.fixture(scope="module")
def connections(
    every_kind: Mapping[str, Connection], catalog: Catalog
) -> Iterator[Mapping[str, Connection]]:
    with copied(catalog, every_kind, "own types") as found:
        yield found


def test_stores_and_engine_answer_by_the_columns_own_types(
    spark: "SparkSession",
    connections: Mapping[str, Connection],
    catalog: Catalog,
):
    wrong = []
    with federations_of(spark, connections) as federations:
        for seed, sql in enumerate(STATEMENTS):
            analysis = analysis_of(sql, catalog, project())
            (query,) = analysis.workload.queries
            job = Job(workload=analysis.workload, catalog=analysis.catalog, connections=connections)
            compiler = Compiler(analysis.workload, analysis.catalog, dialects(job))
            with closing(Oracle(catalog)) as oracle:
                for way in routings(analysis, project(), seed, WAYS):
                    compiled = compiler.compile(NAME, way.routing)
                    answer = federations[way.combine].run(compiled).answer
                    found = verdict(oracle, query, answer)
                    if found.outcome is not QueryOutcome.VERIFIED:
                        wrong.append(f"{sql}: {way.told()}: {found.outcome} {found.message}")
    assert not wrong, "\n".join(wrong)
