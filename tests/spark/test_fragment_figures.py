"""What is counted of each fragment, held against what its SQL gives in DuckDB."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from evaluation.kinds import BACKENDS
from evaluation.measuring.measurement import QueryOutcome
from evaluation.measuring.prediction_quality import prediction_quality
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from tests.spark.test_runs import measured, problem, random_plan
from tests.unit.advisor import measurements as made
from workloads.catalog import Catalog
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ASKED = ("q1", "q15", "q80", "q86")
SEEDS = (1, 4)


@pytest.fixture(scope="module", params=["automatic", "spark"])
def figures(
    request: pytest.FixtureRequest,
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    queries: Workload,
):
    """Four queries on two random placements, run twice each; who combines them."""
    few = replace(queries, queries=tuple(queries.query(name) for name in ASKED))
    asked = problem(few, tiny, embedded)
    job = Job(workload=few, catalog=tiny, connections=embedded, repeats=2, combine=request.param)
    found = measured(spark, job, [random_plan(asked, seed) for seed in SEEDS])
    return few, found, request.param


def test_every_fragment_of_the_plan_is_measured_in_its_store(figures):
    _, candidates, _ = figures
    for candidate in candidates:
        for query in candidate.queries:
            assert query.outcome is QueryOutcome.VERIFIED, query.message
            routed = candidate.plan.routing[query.query]
            assert {(each.name, each.store) for each in query.fragments} == {
                (each.fragment.name, each.store) for each in routed
            }


def test_rows_out_of_a_fragment_are_those_of_its_sql_but_for_nulls_to_join_by(
    figures, tiny, embedded
):
    few, candidates, _ = figures
    dialects = {
        name: StoreDialect(dialect="duckdb", namespace="", lacks=BACKENDS[each.kind].lacks)
        for name, each in embedded.items()
    }
    compiler = Compiler(few, tiny, dialects)
    checked = 0
    with duckdb.connect() as duck:
        for name, table in tiny.tables.items():
            duck.execute(f"CREATE VIEW \"{name}\" AS FROM '{table.parquet}'")
        for candidate in candidates:
            for query in candidate.queries:
                compiled = compiler.compile(query.query, candidate.plan.routing[query.query])
                whole = {each.view: each.sql for each in compiled.fragments if not each.keys}
                for each in query.fragments:
                    if each.view not in whole or not each.partitions:
                        continue
                    relation = duck.sql(whole[each.view])
                    known = " AND ".join(f'"{column}" IS NOT NULL' for column in relation.columns)
                    (rows,), (complete,) = (
                        relation.filter(kept).count("*").fetchone() for kept in ("TRUE", known)
                    )
                    assert complete <= each.rows <= rows, each.name
                    checked += 1
    assert checked > 20


def test_a_fragments_seconds_lie_within_its_querys(figures):
    _, candidates, _ = figures
    for candidate in candidates:
        for query in candidate.queries:
            assert 0 <= query.engine_s <= max(query.seconds)
            for each in query.fragments:
                assert each.elapsed_s <= max(query.seconds)
                assert (each.seconds > 0) == (each.partitions > 0)


def test_rows_moved_are_those_of_all_fragments_and_their_keys(figures):
    _, candidates, _ = figures
    for candidate in candidates:
        for query in candidate.queries:
            rows = sum(each.rows for each in query.fragments)
            reduced = any(" by " in each.name for each in query.fragments)
            assert query.rows_moved >= rows if reduced else query.rows_moved == rows


def test_what_exchanges_write_has_records_and_bytes(figures):
    _, candidates, combine = figures
    for candidate in candidates:
        for query in candidate.queries:
            assert (query.shuffle_records > 0) == (query.shuffle_bytes > 0)
    # DuckDB has no exchanges.
    written = any(query.shuffle_records for each in candidates for query in each.queries)
    assert written == (combine == "spark")


def test_estimates_of_rows_are_near_what_was_counted(figures):
    _, candidates, _ = figures
    quality = prediction_quality(made.measurements(candidates))
    assert quality.rows.median < 1.5
    assert quality.tau in (-1, 1)
