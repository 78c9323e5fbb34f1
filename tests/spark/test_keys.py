"""Keys fetched from one store keep rows in another: fewer rows move, the answers stay."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import pytest

from evaluation.measuring.measurement import QueryMeasurement, QueryOutcome
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fragments.reductions import reduced_fragments
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import plan_for
from tests.spark.test_runs import measured, problem
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

FACTS = ("store_sales", "catalog_sales", "web_sales", "store_returns", "web_returns")
STARS = ("q3", "q7", "q15", "q91")


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Reduce even the tiny tables of the tests."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)


def scans(asked: PlacementProblem, facts: str, rest: str) -> PlacementPlan:
    """Facts in one store, dimensions in another; every source is fetched alone."""
    placement = {table: (facts if table in FACTS else rest,) for table in asked.table_bytes}
    alone = replace(
        asked,
        queries=tuple(
            replace(q, fragments=tuple(f for f in q.fragments if len(f.sources) == 1))
            for q in asked.queries
        ),
    )
    return plan_for(alone, f"{facts}+{rest}", placement)


def reduced(asked: PlacementProblem, workload: Workload, catalog: Catalog) -> PlacementProblem:
    """Offer fragments that are reduced by keys too, at the price of nothing."""

    def offered(query: QueryProblem) -> QueryProblem:
        found = footprint(workload.query(query.name), catalog, workload.dialect)
        more = reduced_fragments(found, Estimator(catalog, found), query.fragments)
        return replace(query, fragments=query.fragments + more)

    engine = replace(asked.costs.engine, keys_s=0.0, keys_per_s=1e12)
    costs = replace(asked.costs, engine=engine)
    return replace(asked, costs=costs, queries=tuple(map(offered, asked.queries)))


@pytest.mark.parametrize("stores", [("pg", "maria"), ("maria", "duck"), ("duck", "pg")])
def test_dimensions_in_another_store_reduce_the_facts(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    queries: Workload,
    stores: tuple[str, str],
):
    stars = replace(queries, queries=tuple(queries.query(name) for name in STARS))
    asked = problem(stars, tiny, embedded)
    job = Job(workload=stars, catalog=tiny, connections=embedded, repeats=1)
    plain = scans(asked, *stores)
    sent = replace(scans(reduced(asked, stars, tiny), *stores), strategy="keys")
    assert any(
        each.fragment.reduction.reducers for routed in sent.routing.values() for each in routed
    )
    before, after = measured(spark, job, [plain, sent])
    for each in (*before.queries, *after.queries):
        assert each.outcome is QueryOutcome.VERIFIED, each.message
    for plainly, keyed in zip(before.queries, after.queries, strict=True):
        # None of q3's dates is sold on: the engine may see so before it has asked for the sales.
        facts = _facts(plainly, stores[0])
        assert not facts or _facts(keyed, stores[0]) <= facts / 4, keyed.query
    assert sum(_facts(each, stores[0]) for each in before.queries) > 25_000


def _facts(measured: QueryMeasurement, store: str) -> int:
    return measured.moved[store].rows if store in measured.moved else 0


def one_query(
    tiny: Catalog, embedded: Mapping[str, Connection], sql: str
) -> tuple[Job, PlacementPlan]:
    workload = Workload(
        name="one", dialect="duckdb", queries=(Query(name="q", sql=sql, origin="q"),)
    )
    asked = reduced(problem(workload, tiny, embedded), workload, tiny)
    return Job(workload=workload, catalog=tiny, connections=embedded, repeats=1), scans(
        asked, "pg", "maria"
    )


NOTHING = (
    "SELECT count(*) AS n FROM store_sales, date_dim "
    "WHERE ss_sold_date_sk = d_date_sk AND d_year = 1901 AND d_moy = 13"
)


def test_where_there_is_no_key_no_row_is_fetched(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog
):
    (found,) = measured(spark, *_plans(one_query(tiny, embedded, NOTHING)))
    (query,) = found.queries
    assert query.outcome is QueryOutcome.VERIFIED, query.message
    assert query.moved["pg"].rows == 0


@pytest.mark.parametrize("loaded", [True, False])
def test_keys_that_a_statement_does_not_hold_are_loaded_or_not_sent(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    monkeypatch: pytest.MonkeyPatch,
    loaded: bool,
):
    monkeypatch.setattr("evaluation.running.found_keys.MOST_SENT", 3)
    # The days of a month follow one another.
    monkeypatch.setattr("evaluation.running.found_keys.MOST_RANGES", 0)
    monkeypatch.setattr("evaluation.running.restricting.ROWS_A_KEY", 0.0 if loaded else inf)
    sql = NOTHING.replace("d_year = 1901 AND d_moy = 13", "d_year = 2001 AND d_moy = 11")
    (found,) = measured(spark, *_plans(one_query(tiny, embedded, sql)))
    (query,) = found.queries
    assert query.outcome is QueryOutcome.VERIFIED, query.message
    sales = tiny.tables["store_sales"].rows
    if loaded:
        assert 0 < query.moved["pg"].rows < sales / 4
    else:
        # Spark asks for keys that are not NULL, which few sales lack.
        assert query.moved["pg"].rows > 0.9 * sales


def test_keys_that_are_fetched_alone_are_counted(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("evaluation.federation.keys.MOST_FETCHED_ROWS", -1)
    sql = NOTHING.replace("d_year = 1901 AND d_moy = 13", "d_year = 2001 AND d_moy = 11")
    (found,) = measured(spark, *_plans(one_query(tiny, embedded, sql)))
    (query,) = found.queries
    assert query.outcome is QueryOutcome.VERIFIED, query.message
    assert query.moved["maria"].rows == 2 * 30
    assert 0 < query.moved["pg"].rows < tiny.tables["store_sales"].rows / 4


def _plans(made: tuple[Job, PlacementPlan]) -> tuple[Job, list[PlacementPlan]]:
    job, plan = made
    keyed: list[RoutedFragment] = [
        each for each in plan.routing["q"] if each.fragment.reduction.reducers
    ]
    assert keyed
    return job, [plan]
