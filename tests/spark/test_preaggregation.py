"""Partial aggregates of one store, put together by the engine, give the right answers."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from evaluation.engines.fragments import open_fragments
from evaluation.judging.oracle import Oracle
from evaluation.load import load
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.preaggregation import preaggregated_fragments
from placement.fragments.reductions import reduced_fragments
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.stores import Capability
from tests.answers import refused
from tests.fuzzing.placements import COMBINE
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Footprint
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

PAIRS = [("pg", "maria"), ("maria", "duck"), ("duck", "pg")]
"""The store that aggregates, and the one that all else is read from."""


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Group even the tiny tables of the tests."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)
    monkeypatch.setattr("placement.fragments.preaggregation.FEWEST_DROPPED", 0)
    monkeypatch.setattr("placement.fragments.preaggregation.MOST_KEPT", 1)


def grouped_in(found: Footprint, catalog: Catalog, stores: tuple[str, str]) -> list[RoutedFragment]:
    """Route a query: in each block that allows it one fragment is pre-aggregated, all else scans.

    Reduced and plain ones take turns.
    """
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    both = (*every, *reduced_fragments(found, estimator, every))
    by_block: dict[str, list[Fragment]] = {}
    for each in preaggregated_fragments(found, estimator, both):
        by_block.setdefault(each.coverage.block, []).append(each)
    choose = random.Random(f"{found.query} {stores}")
    chosen = [choose.choice(each) for each in by_block.values()]
    covered = {source for each in chosen for source in each.sources}
    scans = [e for e in every if e.kind is Capability.SCAN and e.sources[0] not in covered]
    return [
        RoutedFragment(fragment=each, store=store, predicted_s=0.0)
        for fragments, store in zip((chosen, scans), stores, strict=True)
        for each in fragments
    ]


def plan_of(routing: Mapping[str, Sequence[RoutedFragment]]) -> PlacementPlan:
    held: dict[str, set[str]] = {}
    for each in (routed for query in routing.values() for routed in query):
        for table in each.fragment.tables:
            held.setdefault(table, set()).add(each.store)
    return PlacementPlan(
        strategy="grouped",
        outcome=Outcome.FEASIBLE,
        placement={table: tuple(sorted(stores)) for table, stores in held.items()},
        routing={name: tuple(routed) for name, routed in routing.items()},
        predicted_s=0.0,
    )


def differences(
    spark: "SparkSession", job: Job, plan: PlacementPlan
) -> Iterator[tuple[str, str | None]]:
    """Run each query of a plan once; yield its name and how its answer is not the oracle's."""
    load(job.catalog, [plan], job.connections, Silent())
    oracle = Oracle(job.catalog)
    with open_fragments(spark, job, oracle) as engine:
        for name in plan.routing:
            answer = engine.prepare(name, plan).run().answer
            yield name, refused(oracle, job.workload.query(name), answer)
    oracle.close()


@pytest.mark.parametrize("stores", PAIRS)
def test_every_tpcds_query_that_can_be_preaggregated_is_right(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    queries: Workload,
    stores: tuple[str, str],
):
    routing = {}
    # Each pair has a third of the queries: what a store says of a partial is seen in many.
    for query in queries.queries[PAIRS.index(stores) :: len(PAIRS)]:
        routed = grouped_in(footprint(query, tiny, queries.dialect), tiny, stores)
        if any(each.fragment.reduction.preaggregated for each in routed):
            routing[query.name] = routed
    combine = COMBINE[PAIRS.index(stores) % 2]
    job = Job(workload=queries, catalog=tiny, connections=embedded, combine=combine)
    said = dict(differences(spark, job, plan_of(routing)))
    assert {name: wrong for name, wrong in said.items() if wrong is not None} == {}
    assert len(said) > 15
    kept = [each.fragment for routed in routing.values() for each in routed]
    assert sum(each.reduction.preaggregated and bool(each.reduction.reducers) for each in kept) > 3


RETURNED = "FROM store_returns JOIN store ON sr_store_sk = s_store_sk"
CROSSED = "FROM store_returns, store"
KEPT = "FROM store_returns LEFT JOIN store ON sr_store_sk = s_store_sk AND sr_reason_sk > 10"
EVERYTHING = "sum(sr_fee) AS s, avg(sr_fee) AS a, count(*) AS n, count(sr_fee) AS k"
TRAPS = {
    "null groups": f"SELECT sr_reason_sk, s_state, {EVERYTHING}, min(sr_fee) AS l "
    f"{RETURNED} GROUP BY sr_reason_sk, s_state",
    "nulls alone": f"SELECT s_state, {EVERYTHING}, max(sr_fee) AS h "
    f"{RETURNED} AND sr_fee IS NULL GROUP BY s_state",
    "no rows": f"SELECT {EVERYTHING} {RETURNED} AND sr_fee < 0",
    "no rows in groups": f"SELECT s_state, {EVERYTHING} {RETURNED} AND sr_fee < 0 GROUP BY s_state",
    "no match": f"SELECT {EVERYTHING} {RETURNED} AND s_state = 'ZZ'",
    "nothing crossed": f"SELECT s_state, {EVERYTHING} {CROSSED} WHERE sr_fee < 0 GROUP BY s_state",
    "everything crossed": f"SELECT s_state, {EVERYTHING} {CROSSED} GROUP BY s_state",
    "outer join": f"SELECT s_state, {EVERYTHING} {KEPT} GROUP BY s_state",
    "filters": "SELECT s_state, sum(sr_fee) FILTER (WHERE sr_fee > 50) AS s, "
    f"count(*) FILTER (WHERE sr_reason_sk IS NULL) AS n {RETURNED} GROUP BY s_state",
    "rollup": "SELECT s_state, s_city, grouping(s_city) AS g, sum(sr_fee) AS s, "
    "rank() OVER (PARTITION BY grouping(s_city) ORDER BY sum(sr_fee)) AS r "
    f"{RETURNED} GROUP BY ROLLUP (s_state, s_city) HAVING count(*) > 1",
    "many digits": "SELECT s_state, sum(sr_fee * sr_return_amt) AS s, "
    f"sum(sr_return_quantity * 1000000) AS q {RETURNED} GROUP BY s_state",
}


@pytest.mark.parametrize("stores", PAIRS)
def test_nulls_and_nothing_are_aggregated_as_they_would_be_whole(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    stores: tuple[str, str],
):
    asked = tuple(Query(name=name, sql=sql, origin=name) for name, sql in TRAPS.items())
    workload = Workload(name="traps", dialect="duckdb", queries=asked)
    routing = {}
    for query in asked:
        found = footprint(query, tiny, "duckdb")
        estimator = Estimator(tiny, found)
        scans = [f for f in enumerate_fragments(found, estimator) if f.kind is Capability.SCAN]
        routing[query.name] = [
            RoutedFragment(
                fragment=changed(scan, preaggregated=scan.tables == {"store_returns"}),
                store=stores[0] if scan.tables == {"store_returns"} else stores[1],
                predicted_s=0.0,
            )
            for scan in scans
        ]
        block = found.blocks[0]
        assert block.aggregation is not None
        assert {alias for alias, _ in block.aggregation.arguments} == {"store_returns"}
    combine = COMBINE[PAIRS.index(stores) % 2]
    job = Job(workload=workload, catalog=tiny, connections=embedded, combine=combine)
    said = dict(differences(spark, job, plan_of(routing)))
    assert {name: wrong for name, wrong in said.items() if wrong is not None} == {}
    assert len(said) == len(TRAPS)
