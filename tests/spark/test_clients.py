"""Several clients at once on real stores: every answer is verified, and a failure has no figure."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import pytest

from evaluation.clients.loops import TASK
from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.measuring.measurement import CandidateMeasurement, QueryOutcome
from evaluation.running.job import Job
from evaluation.runs import run_candidates
from evaluation.store_protocol.connection import Connection
from placement.costs import DEFAULT_COSTS
from placement.fragments.enumeration import enumerate_fragments
from placement.machines import Machines
from placement.plan import PlacementPlan
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.routing.routing import plan_for
from placement.stores import Store
from workloads.access_graph import access_graph
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.progress import Progress, Silent
from workloads.sql import footprint
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

SQL = {
    "by_state": "SELECT s_state, count(*) AS n, sum(ss_quantity) AS q FROM store_sales "
    "JOIN store ON ss_store_sk = s_store_sk GROUP BY s_state ORDER BY s_state",
    "reasons": "SELECT r_reason_sk, r_reason_desc FROM reason ORDER BY r_reason_sk",
}
EXECUTIONS = {"by_state": 3.0, "reasons": 1.0}
TABLES = ("store_sales", "store", "reason")
SPLIT = {"store_sales": ("duck",), "store": ("pg",), "reason": ("pg",)}


@pytest.fixture
def job(embedded: Mapping[str, Connection], tiny: Catalog) -> Iterator[Job]:
    """Two queries on three tables, in namespaces of their own of PostgreSQL and DuckDB."""
    connections = {
        name: replace(embedded[name], namespace="several_clients") for name in ("pg", "duck")
    }
    yield Job(
        workload=Workload(
            name="two",
            dialect="duckdb",
            queries=tuple(
                Query(name=name, sql=sql, origin=name, executions=EXECUTIONS[name])
                for name, sql in SQL.items()
            ),
        ),
        catalog=replace(tiny, tables={name: tiny.tables[name] for name in TABLES}),
        connections=connections,
        repeats=2,
        clients=(1, 2),
        machines=Machines(of_store={}, engine="engine", cores={"engine": 2}),
    )
    for connection in connections.values():
        for table in TABLES:
            BACKENDS[connection.kind].drop(connection, table)


def plans(job: Job) -> tuple[PlacementPlan, ...]:
    """Everything in PostgreSQL, and a placement over both stores."""
    footprints = [footprint(query, job.catalog, "duckdb") for query in job.workload.queries]
    asked = PlacementProblem(
        table_bytes={name: table.bytes for name, table in job.catalog.tables.items()},
        stores=tuple(
            Store(
                name=name,
                kind=each.kind,
                strength=BACKENDS[each.kind].strength,
                lacks=BACKENDS[each.kind].lacks,
            )
            for name, each in job.connections.items()
        ),
        queries=tuple(
            QueryProblem(
                name=each.query,
                executions=EXECUTIONS[each.query],
                sources=tuple(source.name for source in each.sources()),
                fragments=enumerate_fragments(each, Estimator(job.catalog, each)),
            )
            for each in footprints
        ),
        constraints=Constraints(pin={}, exclude={}, max_copies=1),
        costs=DEFAULT_COSTS,
        graph=access_graph(footprints),
    )
    alone = dict.fromkeys(TABLES, ("pg",))
    return (plan_for(asked, "pg", alone), plan_for(asked, "split", SPLIT))


def run(spark: "SparkSession", job: Job, progress: Progress) -> Mapping[str, CandidateMeasurement]:
    asked = plans(job)
    loaded = load(job.catalog, asked, job.connections, Silent())
    load_s = {plan.strategy: loaded.load_s(plan) for plan in asked}
    found = run_candidates(spark, job, asked, load_s, progress)
    return {each.plan.strategy: each for each in found}


def test_one_client_and_two_have_a_throughput_on_each_placement(spark: "SparkSession", job: Job):
    for found in run(spark, job, Silent()).values():
        assert found.verified
        for loop, clients in zip(found.loops, (1, 2), strict=True):
            assert (loop.clients, loop.outcome, loop.message) == (
                clients,
                QueryOutcome.VERIFIED,
                "",
            )
            # The fastest at least has all rounds; the first round is of all.
            assert 1 <= len(loop.rounds) <= job.repeats
            for each in loop.rounds:
                assert len(each.seconds) == 10 * clients
                # Clients cannot be at work for longer than the loop lasts.
                assert sum(each.seconds) <= clients * each.elapsed_s
            rates = [10 * clients / each for each in loop.totals_s]
            assert loop.queries_per_s == pytest.approx(median(rates))
            assert loop.predicted_per_s is not None
    assert {str(each) for each in spark.catalog.listTables()} == set()


class Tampering(Silent):
    """Drops a table as soon as clients are about to ask for it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator[Silent]:
        if description == TASK:
            BACKENDS[self._connection.kind].drop(self._connection, "store")
        with super().task(description, total) as task:
            yield task


def test_a_query_that_fails_leaves_the_loop_without_a_figure(spark: "SparkSession", job: Job):
    for found in run(spark, job, Tampering(job.connections["pg"])).values():
        assert found.verified
        assert found.measured_s is not None
        for loop in found.loops:
            assert (loop.outcome, loop.query) == (QueryOutcome.FAILED, "by_state")
            assert "'pg'" in loop.message
            assert "several_clients.store" in loop.message
            assert (loop.rounds, loop.queries_per_s) == ((), None)
