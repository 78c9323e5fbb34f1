"""Stores that die, stop or come back in mid-query."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from evaluation.embedded import running
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.measuring.measurement import QueryMeasurement, QueryOutcome
from evaluation.processes.folder import ServerFolder
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.failover import Failover
from evaluation.running.job import Job
from evaluation.runs import run_candidates
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from tests.spark.runtime_queries import (
    QUICK,
    SLOW,
    asked,
    awaited,
    compiled,
    statements,
    warm_up,
    whole,
)
from tests.stores import live_servers
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

# Servers compare every pair of rows, which takes minutes; DuckDB sorts, which takes none.
PAIRS = (
    "SELECT count(*) AS n FROM store_sales a JOIN store_sales b "
    "ON a.ss_item_sk + a.ss_ticket_number < b.ss_item_sk + b.ss_ticket_number "
    "AND b.ss_item_sk + b.ss_ticket_number < a.ss_item_sk + a.ss_ticket_number + 1"
)
REQUESTS = {each.store: each for each in live_servers.REQUESTS}


@contextmanager
def server(store: str, folder: Path) -> Iterator[tuple[Connection, Callable[[], None]]]:
    """A server of this test's own, and what kills it."""
    with running((REQUESTS[store],), folder, Silent()) as connections:
        yield connections[store], lambda: signal_all(folder, store, signal.SIGKILL)


def signal_all(folder: Path, store: str, number: signal.Signals) -> None:
    """Send a signal to the server's process and its children, which outlive their parent."""
    found = ServerFolder.of(folder, store, REQUESTS[store].name).running()
    assert found is not None
    pid = found.handle.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    for each in (pid, *map(int, children)):
        # A child may have ended meanwhile.
        with suppress(ProcessLookupError):
            os.kill(each, number)


def in_mid_query(connection: Connection, query: str, act: Callable[[], None]) -> Thread:
    """Start a thread that waits for a statement like `query` and then acts."""

    def watch() -> None:
        with asked(connection) as execute:
            source, column = (
                ("pg_stat_activity", "query")
                if connection.kind == "postgresql"
                else ("information_schema.processlist", "info")
            )
            own = f"SELECT 1 FROM {source} WHERE {column} LIKE '%{query}%' "
            others = f"AND {column} NOT LIKE '%{source}%'"
            assert awaited(lambda: bool(execute(own + others)), 120)
        act()

    thread = Thread(target=watch)
    thread.start()
    return thread


def job_and_plan(
    tiny: Catalog, connections: Mapping[str, Connection], store: str, *, copies: bool
) -> tuple[Job, PlacementPlan]:
    """PAIRS and a quick query whole in `store`; with `copies` their table is everywhere."""
    from tests.spark.test_runs import problem, whole

    catalog = replace(tiny, tables={"store_sales": tiny.tables["store_sales"]})
    workload = Workload(
        name="pairs",
        dialect="duckdb",
        queries=(
            Query(name="pairs", sql=PAIRS, origin="pairs"),
            Query(name="quick", sql="SELECT count(*) AS n FROM store_sales", origin="quick"),
        ),
    )
    plan = whole(problem(workload, catalog, connections), store)
    stores = tuple(sorted(connections)) if copies else (store,)
    job = Job(
        workload=workload,
        catalog=catalog,
        connections=connections,
        repeats=1,
        query_timeout_s=100,
    )
    return job, replace(plan, placement={"store_sales": stores})


@pytest.fixture
def duck_and_tiny(embedded: Mapping[str, Connection], tiny: Catalog) -> tuple[Connection, Catalog]:
    return embedded["duck"], tiny


@pytest.mark.parametrize(
    ("store", "copies"),
    [("pg", True), ("pg", False), ("maria", True), ("maria", False), ("mysql8", True)],
)
def test_a_killed_server_fails_its_queries_which_copies_answer(
    spark: "SparkSession", duck_and_tiny: tuple[Connection, Catalog], tmp_path: Path, store, copies
):
    duck, tiny = duck_and_tiny
    with server(store, tmp_path) as (own, kill):
        connections = {store: own, "duck": duck}
        job, plan = job_and_plan(tiny, connections, store, copies=copies)
        loaded = load(job.catalog, [plan], connections, Silent())
        thread = in_mid_query(own, "ss_item_sk", kill)
        load_s = {plan.strategy: loaded.load_s(plan)}
        (found,) = run_candidates(spark, job, [plan], load_s, Silent())
        thread.join()
    assert found.measured_s is None
    # The run went on with the other query, which lost its store too.
    for query in found.queries:
        assert_failed(query, store, own)
        if copies:
            assert "from the copies in 'duck', it was answered and verified" in query.message
        else:
            assert "no copy of store_sales is left" in query.message


def assert_failed(query: QueryMeasurement, store: str, connection: Connection) -> None:
    assert query.outcome is QueryOutcome.FAILED, query.message
    assert query.message.startswith(f"Store '{store}'"), query.message
    assert str(connection.password) not in query.message
    assert query.seconds == ()
    assert query.fragments == ()
    assert query.rows_moved == 0


def test_a_server_that_is_back_is_asked_again(spark: "SparkSession", tiny: Catalog, tmp_path: Path):
    catalog = replace(tiny, tables={"reason": tiny.tables["reason"]})
    query = Query(name="q", sql="SELECT 1 AS n", origin="q")
    workload = Workload(name="one", dialect="duckdb", queries=(query,))
    waits = compiled({"pg": "SELECT 1 AS n FROM pg_sleep(20)"})
    plan = PlacementPlan(
        strategy="pg",
        outcome=Outcome.FEASIBLE,
        placement={"reason": ("pg",)},
        routing={},
        predicted_s=0.0,
    )
    with server("pg", tmp_path) as (own, _):
        job = Job(workload=workload, catalog=catalog, connections={"pg": own})
        BACKENDS["postgresql"].prepare(own)
        compiler = Compiler(workload, catalog, dialects(job))
        with Federation(spark, job.connections, timeout_s=60) as federation:
            failover = Failover(job, compiler, federation, Oracle(catalog))
            # The server restarts by itself when one of its processes is killed.
            thread = in_mid_query(own, "pg_sleep", lambda: kill_backend(own))
            with pytest.raises(QueryFailedError) as error:
                federation.run(waits)
            thread.join()
            assert error.value.lost == ("pg",)
            second = failover.again(plan, waits, error.value)
    assert second.outcome is QueryOutcome.FAILED
    assert "it was answered and verified" in second.message


def kill_backend(connection: Connection) -> None:
    with asked(connection) as execute:
        # Asked for its columns alone it is over at once, before its rows are asked for.
        working: list[int] = []

        def works() -> bool:
            found = execute(
                "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' "
                "AND query NOT LIKE '%pg_stat_activity%' AND state = 'active'"
            )
            working[:] = [pid for (pid,) in found]
            return bool(working)

        assert awaited(works, 60)
        os.kill(working[0], signal.SIGKILL)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("store", ["pg", "maria", "mysql8"])
def test_a_stopped_server_holds_nothing_up_for_longer_than_the_limit(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    others: Mapping[str, Connection],
    store: str,
    alone: bool,
):
    connections = {**embedded, **others}
    connection = connections[store]
    folder = Path(str(connection.password_file)).parent.parent
    quick, slow = compiled({store: QUICK}), compiled({store: SLOW[store]})
    if alone:
        quick, slow = whole(store, QUICK), whole(store, SLOW[store])
    warm_up(spark, connections)
    with Federation(spark, connections, timeout_s=8) as federation:
        assert federation.run(quick).alone == alone
        stop = in_mid_query(
            connection, "1000000", lambda: signal_all(folder, store, signal.SIGSTOP)
        )
        try:
            for query in (slow, quick):
                started = time.monotonic()
                with pytest.raises(QueryFailedError, match=f"'{store}' does not answer") as error:
                    federation.run(query)
                stop.join()
                assert error.value.lost == (store,)
                assert time.monotonic() - started < 8 + 30
            # What waits for the stopped one keeps no other from its answer.
            assert federation.run(compiled({"duck": QUICK})).rows[0][0] == 1
        finally:
            stop.join()
            signal_all(folder, store, signal.SIGCONT)
        assert awaited(lambda: statements(connection) == 0)
        assert awaited(lambda: federation_answers(federation, quick))


def federation_answers(federation: Federation, query: CompiledQuery) -> bool:
    try:
        return bool(federation.run(query).rows[0][0] == 1)
    except QueryFailedError:
        return False
