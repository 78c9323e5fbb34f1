"""Accumulo reads a table once for all scans of a query, and the answers are right."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.job import Job
from evaluation.spark.combining import Combine
from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo.backend import Accumulo
from placement.fragments import one_scans as offering
from placement.fragments.one_scans import one_scans
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from tests.data_fixtures import statement
from tests.fuzzing.placements import COMBINE
from tests.spark.test_runs import measured, problem
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

# Groups of different rows, one whose keys are those of a part of a scan, and one that DuckDB
# combines. Aggregates without groups would be made in one pass.
ASKED = {
    "groups": """
        SELECT ss_store_sk, count(*) AS n, avg(ss_net_paid) AS mean FROM store_sales
        WHERE ss_quantity BETWEEN 1 AND 20 GROUP BY ss_store_sk
        UNION ALL SELECT ss_store_sk, count(*), avg(ss_ext_discount_amt) FROM store_sales
        WHERE ss_quantity BETWEEN 21 AND 40 GROUP BY ss_store_sk
        UNION ALL SELECT ss_promo_sk, count(ss_list_price), avg(ss_list_price) FROM store_sales
        WHERE ss_coupon_amt > 100 OR ss_quantity IS NULL GROUP BY ss_promo_sk
    """,
    "keyed": """
        SELECT count(*) AS n,
            (SELECT max(i_current_price) FROM item WHERE i_manager_id > 50) AS most
        FROM store_sales JOIN item ON ss_item_sk = i_item_sk WHERE i_manager_id < 3
    """,
    "combined by DuckDB": """
        SELECT regexp_replace(s.c, '^.(.)', '\\1') AS c, n FROM
            (SELECT min(i_category) AS c FROM item WHERE i_manager_id < 20) AS s,
            (SELECT count(*) AS n FROM item WHERE i_class_id > 5 HAVING count(*) > 0) AS t
    """,
}


def with_one_scans(asked: PlacementProblem, catalog: Catalog, workload: Workload):
    """The problem with one scan offered of every table, however small."""
    found = []
    for each in asked.queries:
        read = footprint(workload.query(each.name), catalog, workload.dialect)
        shared = one_scans(read, Estimator(catalog, read), each.fragments)
        found.append(replace(each, shared=shared))
    stores = [replace(each, capabilities=Accumulo.capabilities) for each in asked.stores]
    return replace(asked, stores=tuple(stores), queries=tuple(found))


@pytest.mark.parametrize("combine", COMBINE)
def test_a_table_is_read_once_for_all_that_want_other_rows_of_it(  # noqa: PLR0917
    spark: "SparkSession",
    accumulo: Mapping[str, Connection],
    tiny: Catalog,
    queries: Workload,
    monkeypatch: pytest.MonkeyPatch,
    combine: Combine,
):
    monkeypatch.setattr(offering, "LEAST_BYTES", 0.0)
    of_ours: list[Query] = [replace(statement(sql), name=name) for name, sql in ASKED.items()]
    workload = replace(queries, queries=tuple(of_ours))
    asked = with_one_scans(problem(workload, tiny, accumulo), tiny, workload)
    plan = plan_for(asked, "any", dict.fromkeys(asked.table_bytes, ("acc",)))
    job = Job(workload=workload, catalog=tiny, connections=accumulo, repeats=1, combine=combine)
    (found,) = measured(spark, job, [plan])
    bad = {q.query: q.message for q in found.queries if q.outcome is not QueryOutcome.VERIFIED}
    assert bad == {}
    for query in found.queries:
        names = {each.fragment.name: each.fragment.reduction for each in plan.routing[query.query]}
        together = [each for each in query.fragments if names[each.name].one_scan]
        assert len(together) > 1, query.query
        (read,) = (each for each in together if each.partitions)
        assert names[read.name].repeats is None
        (table,) = read.tables
        assert read.rows <= tiny.table(table).rows
