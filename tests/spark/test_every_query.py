"""All 99 TPC-DS queries on random placements: any routing gives DuckDB's answer.

Twenty placements put every table in one store or two; on every second one the queries are routed
by the cost model, on the others by an exact cover drawn at random, so that scans, joins, blocks
and whole queries are run by every kind of store. To end in minutes, each query runs on three of
the twenty: chosen so that it meets every kind of store, and on two with a random routing. Spark
combines it once, and DuckDB twice.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from advisor.analysis.analyze import analyze
from advisor.pipeline import prepare
from advisor.project.config import load_project
from benchmarks.every_query import PROJECT, run
from benchmarks.random_plans import random_plan
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.job import Job
from evaluation.spark.combining import Combine
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.stores import Capability
from tests.fuzzing.placements import COMBINE
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark, pytest.mark.timeout(1800)]

PLACEMENTS = 20
RUNS_OF_A_QUERY = 3
RUN_ALONE = (Capability.SCAN, Capability.JOIN, Capability.BLOCK, Capability.QUERY)


def stores_of(plan: PlacementPlan, query: str) -> set[str]:
    return {fragment.store for fragment in plan.routing[query]}


def dealt(
    plans: Sequence[PlacementPlan], queries: Sequence[str]
) -> dict[Combine, list[PlacementPlan]]:
    """Leave each query to as many plans as it is to run on: those with stores new to it first.

    Once Spark combines it, by a routing of either kind; else DuckDB does.
    """
    left: dict[tuple[Combine, str], set[str]] = {
        (combine, plan.strategy): set() for combine in COMBINE for plan in plans
    }
    for number, query in enumerate(queries):
        waiting = random.Random(query).sample(plans, len(plans))
        met: set[str] = set()
        for turn in range(RUNS_OF_A_QUERY):
            kind = [
                plan for plan in waiting if plan.strategy.endswith("routing") == (turn % 2 == 0)
            ]
            best = max(kind, key=lambda plan: len(stores_of(plan, query) - met))
            waiting.remove(best)
            met |= stores_of(best, query)
            combine: Combine = "spark" if turn == number % 2 else "automatic"
            left[combine, best.strategy].add(query)
    return {
        combine: [_with(plan, left[combine, plan.strategy]) for plan in plans]
        for combine in COMBINE
    }


def _with(plan: PlacementPlan, queries: set[str]) -> PlacementPlan:
    routing = {query: routed for query, routed in plan.routing.items() if query in queries}
    return replace(plan, routing=routing)


def test_all_99_queries_are_right_on_twenty_random_placements(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    overrides = {
        "workload": {"source": "tpcds", "queries": "all"},
        "catalog": {"source": "tpcds", "scale_factor": 0.01},
    }
    analysis = analyze(load_project(PROJECT, overrides), Silent())
    problem = prepare(load_project(PROJECT, overrides), analysis).problem
    plans = [
        random_plan(problem, seed, routed_at_random=seed % 2 == 1) for seed in range(PLACEMENTS)
    ]
    queries = [query.name for query in analysis.workload.queries]
    by_combiner = dealt(plans, queries)
    plans = [plan for each in by_combiner.values() for plan in each]
    met = {
        (query, store)
        for plan in plans
        for query in plan.routing
        for store in stores_of(plan, query)
    }
    assert len(met) == len(queries) * len(embedded)
    kinds = Counter(
        (fragment.fragment.kind, fragment.store)
        for plan in plans
        for routing in plan.routing.values()
        for fragment in routing
    )
    assert all(kinds[kind, store] for kind in RUN_ALONE for store in embedded)

    job = Job(workload=analysis.workload, catalog=analysis.catalog, connections=embedded)
    results = [
        each
        for combine, dealt_to in by_combiner.items()
        for each in run(replace(job, combine=combine), dealt_to, spark)
    ]
    bad = [each for each in results if each.outcome is not QueryOutcome.VERIFIED]
    assert [(each.query, each.message, each.fragments) for each in bad] == []
    # Whole tables in the driver give any answer, and hide that the fragments gave none.
    again = [each for each in results if each.second_try]
    assert [(each.query, each.second_try, each.fragments) for each in again] == []
    assert Counter(each.query for each in results) == dict.fromkeys(queries, RUNS_OF_A_QUERY)
