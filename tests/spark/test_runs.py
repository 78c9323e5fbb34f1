"""Plans run on real stores: right answers are times, everything else is an outcome."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.measuring.measurement import CandidateMeasurement, QueryOutcome
from evaluation.running.job import Job
from evaluation.runs import run_candidates
from evaluation.store_protocol.connection import Connection
from placement.costs import DEFAULT_COSTS
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.routing.routing import plan_for
from placement.stores import Capability, Store
from workloads.access_graph import access_graph
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

PAPERS_TEN = ("q1", "q9", "q12", "q15", "q62", "q80", "q84", "q86", "q90", "q91")
SLOW = (
    "SELECT count(*) AS n FROM store_sales a, store_sales b, store_sales c "
    "WHERE a.ss_item_sk + b.ss_item_sk + c.ss_item_sk = 7"
)


def problem(
    workload: Workload, catalog: Catalog, connections: Mapping[str, Connection]
) -> PlacementProblem:
    footprints = [footprint(query, catalog, workload.dialect) for query in workload.queries]
    return PlacementProblem(
        table_bytes={name: table.bytes for name, table in catalog.tables.items()},
        stores=tuple(
            Store(
                name=name,
                kind=each.kind,
                strength=BACKENDS[each.kind].strength,
                lacks=BACKENDS[each.kind].lacks,
            )
            for name, each in connections.items()
        ),
        queries=tuple(
            QueryProblem(
                name=each.query,
                executions=1,
                sources=tuple(source.name for source in each.sources()),
                fragments=enumerate_fragments(each, Estimator(catalog, each)),
            )
            for each in footprints
        ),
        constraints=Constraints(pin={}, exclude={}, max_copies=3),
        costs=DEFAULT_COSTS,
        graph=access_graph(footprints),
    )


def measured(
    spark: "SparkSession", job: Job, plans: Sequence[PlacementPlan]
) -> tuple[CandidateMeasurement, ...]:
    loaded = load(job.catalog, plans, job.connections, Silent())
    load_s = {plan.strategy: loaded.load_s(plan) for plan in plans}
    return run_candidates(spark, job, plans, load_s, Silent())


def random_plan(asked: PlacementProblem, seed: int) -> PlacementPlan:
    """Every table in one to three stores, whatever they are good at."""
    choose = random.Random(seed)
    names = [store.name for store in asked.stores]
    placement = {
        table: tuple(sorted(choose.sample(names, choose.choice([1, 1, 2, 3]))))
        for table in asked.table_bytes
    }
    return plan_for(asked, f"random:{seed}", placement)


def everything_in(asked: PlacementProblem, store: str) -> PlacementPlan:
    return plan_for(asked, store, dict.fromkeys(asked.table_bytes, (store,)))


def whole(asked: PlacementProblem, store: str) -> PlacementPlan:
    """Everything in one store, and every query one fragment of it, however long it takes."""
    routing = {
        query.name: tuple(
            RoutedFragment(fragment=fragment, store=store, predicted_s=0.0)
            for fragment in query.fragments
            if fragment.kind is Capability.QUERY
        )
        for query in asked.queries
    }
    return replace(everything_in(asked, store), routing=routing)


def test_random_placements_give_the_right_answers(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog, queries: Workload
):
    ten = replace(queries, queries=tuple(queries.query(name) for name in PAPERS_TEN))
    asked = problem(ten, tiny, embedded)
    job = Job(workload=ten, catalog=tiny, connections=embedded, repeats=1)
    found = measured(spark, job, [random_plan(asked, seed) for seed in range(3)])
    bad = {
        (each.plan.strategy, query.query): (query.outcome, query.message)
        for each in found
        for query in each.queries
        if query.outcome is not QueryOutcome.VERIFIED
    }
    assert bad == {}
    assert all(each.measured_s is not None for each in found)
    assert all(sum(query.rows_moved for query in each.queries) > 0 for each in found)


@pytest.fixture
def one_table(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog
) -> tuple[Job, PlacementPlan]:
    """A job of one query on one table in PostgreSQL, in a namespace of its own."""
    catalog = replace(tiny, tables={"reason": tiny.tables["reason"]})
    workload = Workload(
        name="one",
        dialect="duckdb",
        queries=(
            Query(name="all", sql="SELECT r_reason_sk, r_reason_id FROM reason", origin="all"),
        ),
    )
    connections = {"pg": replace(embedded["pg"], namespace="tampered")}
    job = Job(workload=workload, catalog=catalog, connections=connections, repeats=2)
    return job, everything_in(problem(workload, catalog, connections), "pg")


def execute(connection: Connection, statement: str) -> None:
    with psycopg.connect(
        host=connection.host,
        port=connection.port,
        dbname=connection.database,
        user=connection.user,
        password=connection.password,
        autocommit=True,
    ) as session:
        session.execute(statement)


def test_changed_rows_make_a_query_wrong_and_leave_no_time(
    spark: "SparkSession", one_table: tuple[Job, PlacementPlan]
):
    job, plan = one_table
    loaded = load(job.catalog, [plan], job.connections, Silent())
    execute(job.connections["pg"], "UPDATE tampered.reason SET r_reason_id = 'x'")
    (found,) = run_candidates(spark, job, [plan], {"pg": loaded.load_s(plan)}, Silent())
    (query,) = found.queries
    assert query.outcome is QueryOutcome.WRONG
    assert query.seconds == ()
    assert found.measured_s is None
    BACKENDS["postgresql"].drop(job.connections["pg"], "reason")


def test_a_query_whose_values_are_not_known_has_no_part_in_any_seconds(
    spark: "SparkSession", one_table: tuple[Job, PlacementPlan]
):
    job, _ = one_table
    sql = "SELECT r_reason_id FROM reason WHERE r_reason_sk = $1"
    asked = replace(job.workload.queries[0], name="asked", sql=sql)
    job = replace(job, workload=replace(job.workload, queries=(*job.workload.queries, asked)))
    plan = everything_in(problem(job.workload, job.catalog, job.connections), "pg")
    (found,) = measured(spark, job, [plan])
    assert [(each.outcome, each.message) for each in found.queries] == [
        (QueryOutcome.VERIFIED, ""),
        (
            QueryOutcome.UNDETERMINED,
            "not determined: it has parameters, whose values are not known",
        ),
    ]
    assert found.measured_s is not None
    BACKENDS["postgresql"].drop(job.connections["pg"], "reason")


def test_a_failing_store_is_named_without_its_password(
    spark: "SparkSession", one_table: tuple[Job, PlacementPlan]
):
    job, plan = one_table
    load(job.catalog, [plan], job.connections, Silent())
    BACKENDS["postgresql"].drop(job.connections["pg"], "reason")
    (found,) = run_candidates(spark, job, [plan], {"pg": 0.0}, Silent())
    (query,) = found.queries
    assert query.outcome is QueryOutcome.FAILED
    assert "reason" in query.message
    assert "'pg'" in query.message
    assert str(job.connections["pg"].password) not in query.message
    assert query.measured_s is None


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_a_late_query_is_a_timeout_and_does_not_run_on(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog, store: str
):
    catalog = replace(tiny, tables={"store_sales": tiny.tables["store_sales"]})
    workload = Workload(
        name="slow", dialect="duckdb", queries=(Query(name="slow", sql=SLOW, origin="slow"),)
    )
    connections = {store: embedded[store]}
    plan = whole(problem(workload, catalog, connections), store)
    job = Job(
        workload=workload, catalog=catalog, connections=connections, repeats=1, query_timeout_s=2
    )
    loaded = load(catalog, [plan], connections, Silent())
    started = time.monotonic()
    (found,) = run_candidates(spark, job, [plan], {store: loaded.load_s(plan)}, Silent())
    (query,) = found.queries
    assert query.outcome is QueryOutcome.TIMEOUT
    assert query.seconds == ()
    assert time.monotonic() - started < 90
    if store == "pg":
        deadline = time.monotonic() + 5
        while running_statements(embedded["pg"]) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert running_statements(embedded["pg"]) == 0


def running_statements(connection: Connection) -> int:
    """Statements that run in the server beside this question."""
    with psycopg.connect(
        host=connection.host,
        port=connection.port,
        dbname=connection.database,
        user=connection.user,
        password=connection.password,
    ) as session:
        row = session.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).fetchone()
    return int(row[0]) if row else -1
