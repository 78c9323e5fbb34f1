"""A Trino of ours with every kind of store that it can have: right answers, and rows that moved."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.trino_server import USER, running_trino
from evaluation.load import load
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.job import Job, TrinoConnection
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.routing.routing import plan_for
from tests.spark.test_runs import PAPERS_TEN, measured, problem
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

STORES = ("pg", "maria", "duck", "acc")


@pytest.fixture(scope="module")
def stores(
    embedded: Mapping[str, Connection], accumulo: Mapping[str, Connection]
) -> Mapping[str, Connection]:
    """One store of each kind that Trino reads."""
    return {**embedded, **accumulo}


@pytest.fixture(scope="module")
def job(stores: Mapping[str, Connection], tiny: Catalog, queries: Workload) -> Job:
    """The paper's ten queries."""
    ten = replace(queries, queries=tuple(queries.query(name) for name in PAPERS_TEN))
    return Job(workload=ten, catalog=tiny, connections=stores, repeats=1, engine="trino")


@pytest.fixture(scope="module")
def dealt(job: Job, tiny: Catalog, stores: Mapping[str, Connection]) -> PlacementPlan:
    """Every table in one store: each store has every fourth."""
    placement = {name: (STORES[at % 4],) for at, name in enumerate(sorted(tiny.tables))}
    return plan_for(problem(job.workload, tiny, stores), "dealt", placement)


@pytest.fixture(scope="module")
def trino(
    job: Job, dealt: PlacementPlan, stores: Mapping[str, Connection]
) -> Iterator[TrinoConnection]:
    """A Trino of ours with the loaded stores as its catalogs."""
    load(job.catalog, [dealt], stores, Silent())
    with running_trino(stores, Silent()) as server:
        yield TrinoConnection(url=server.url, user=USER)


def test_ten_queries_are_right_where_each_store_has_a_fourth(
    spark: "SparkSession", job: Job, dealt: PlacementPlan, trino: TrinoConnection
):
    (found,) = measured(spark, replace(job, trino=trino), [dealt])
    assert {q.query: q.message for q in found.queries if q.outcome != QueryOutcome.VERIFIED} == {}
    assert {store for query in found.queries for store in query.moved} == set(STORES)
    assert all(query.exchanges is not None for query in found.queries)
