"""Measures the cells that are left, place by place, and writes each query's results at once."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.experiments.cells import Cell, Setting, by_place, by_turn
from advisor.experiments.laboratory import Laboratory
from advisor.experiments.results import Result, write
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from evaluation.engines.trino_server import USER, running_trino
from evaluation.evaluate import measure, open_session, stores_held
from evaluation.installation.java import java_home
from evaluation.kinds import JDBC
from evaluation.load import LoadedStores, load
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import OURS, Job, TrinoConnection
from evaluation.spark.java import has_ended
from evaluation.spark.settings import Executors, is_local
from evaluation.spark.standalone import standalone_cluster
from placement.plan import PlacementPlan
from workloads.progress import Progress, Silent, Task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """All that measurements need: the loaded stores, the job for them, and the cluster's master."""

    laboratory: Laboratory
    job: Job
    loaded: LoadedStores
    commit: str | None
    master: str = LOCAL


def run(laboratory: Laboratory, progress: Progress) -> None:
    """Measure the cells that are left; what was measured before an interruption is kept.

    Every copy is loaded once, before the first cell. Queries are measured one after the other: a
    query's placements take turns, as in any evaluation. Settings that run in the same place share
    one session of Spark.

    Raises:
        StoreError: A store refuses, or a load fails.
        SetUpError: Spark, a cluster or Trino does not start.
    """
    left = laboratory.left()
    if not left:
        return
    plans = [laboratory.plans[name] for name in dict.fromkeys(each.placement for each in left)]
    with connections(laboratory.project, progress) as found:
        prepared = laboratory.prepared
        job = job_of(laboratory.project, prepared.analysis, found, prepared.problem)
        with stores_held(job, plans):
            loaded = load(job.catalog, plans, found, progress)
            bench = _Bench(laboratory=laboratory, job=job, loaded=loaded, commit=_commit())
            with progress.task("Measuring", len(left)) as task, ExitStack() as clusters:
                most = max((each.setting.on_cluster or 0 for each in left), default=0)
                for place, cells in by_place(left):
                    if place.on_cluster and most:
                        master = clusters.enter_context(_cluster(bench, most, progress))
                        bench, most = replace(bench, master=master), 0
                    if not place.on_cluster:
                        clusters.close()
                    _measure(bench, place, cells, task, progress)


def _measure(
    bench: _Bench, place: Setting, cells: Sequence[Cell], task: Task, progress: Progress
) -> None:
    """Measure the cells of one place; a Spark whose Java was killed is started again."""
    waiting = list(by_turn(cells).items())
    with progress.task(f"Measuring in {place.place}", len(cells)) as own:
        while waiting:
            with _opened(bench, place, progress) as (spark, job):
                while waiting and not has_ended(spark):
                    (setting, query), of_query = waiting.pop(0)
                    measured = _measured(bench, spark, _set(job, setting), query, of_query)
                    for cell in of_query:
                        write(_result(bench, cell, measured), bench.laboratory.folder)
                    task.advance(len(of_query))
                    own.advance(len(of_query))


def _set(job: Job, setting: Setting) -> Job:
    """Return the job with an engine, its joins, and the stores that it can read."""
    found = replace(job, engine=setting.engine, join_strategy=setting.joins)
    if setting.engine == OURS:
        return found
    runs_sql = {name: each for name, each in job.connections.items() if each.kind in JDBC}
    return replace(found, connections=runs_sql)


def _measured(
    bench: _Bench, spark: "SparkSession", job: Job, query: str, cells: Sequence[Cell]
) -> Measurements:
    chosen = bench.laboratory.queries[query]
    plans = [_of_query(bench.laboratory.plans[cell.placement], query) for cell in cells]
    one = replace(
        job,
        workload=replace(job.workload, queries=(chosen,)),
        literals=tuple(each for each in job.literals if each.query == query),
        passed_through=(),
        all_repeats=True,
    )
    return measure(spark, one, plans, bench.loaded, Silent())


def _of_query(plan: PlacementPlan, query: str) -> PlacementPlan:
    """Return the plan for one query alone, without the limits that would cost it rounds."""
    return replace(plan, routing={query: plan.routing[query]}, violations=())


def _result(bench: _Bench, cell: Cell, measured: Measurements) -> Result:
    laboratory = bench.laboratory
    found = next(c for c in measured.candidates if c.plan.strategy == cell.placement)
    (query,) = (each for each in found.queries if each.query == cell.query)
    return Result(
        cell=cell,
        digest=laboratory.digest(cell),
        measurement=query,
        predicted_s=laboratory.plans[cell.placement].query_s(cell.query),
        machine=measured.machine,
        versions=measured.versions,
        started_at=measured.started_at,
        command=laboratory.command,
        commit=bench.commit,
    )


@contextmanager
def _opened(
    bench: _Bench, place: Setting, progress: Progress
) -> "Iterator[tuple[SparkSession, Job]]":
    """Yield a session of Spark in a place, and the job that its queries are measured by.

    A Trino that the place needs runs for the length of the block; Spark then only waits.
    """
    job = bench.job
    with ExitStack() as stack:
        if place.engine == "trino":
            trino = stack.enter_context(_trino(bench, place, progress))
            job = replace(job, trino=trino, master=LOCAL, executors=Executors())
        elif place.workers is not None:
            memory = bench.laboratory.project.experiments.worker_memory
            executors = Executors(workers=place.workers, cores=1, memory=memory)
            job = replace(job, master=bench.master, executors=executors)
        yield stack.enter_context(open_session(job, progress)), job


@contextmanager
def _cluster(bench: _Bench, workers: int, progress: Progress) -> Iterator[str]:
    """Yield the master of the project's own cluster, or of one of ours where it names none."""
    if not is_local(bench.job.master):
        yield bench.job.master
        return
    memory = bench.laboratory.project.experiments.worker_memory
    with ExitStack() as stack:
        with progress.task("Starting a cluster"):
            cluster = standalone_cluster(java_home(progress), workers=workers, memory=memory)
            master = stack.enter_context(cluster)
        yield master


@contextmanager
def _trino(bench: _Bench, place: Setting, progress: Progress) -> Iterator[TrinoConnection]:
    """Yield the Trino that the project names, or one of ours with the stores as catalogs."""
    settings = bench.laboratory.project.evaluate
    if settings.trino is not None:
        yield settings.trino.connection(settings.silence_s)
        return
    stores = _set(bench.job, place).connections
    with running_trino(stores, progress, workers=place.workers) as url:
        yield TrinoConnection(url=url, user=USER, silence_s=settings.silence_s)


def _commit() -> str | None:
    """Return the commit of the advisor's checkout; None where git does not tell it."""
    try:
        done = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"],
            capture_output=True,
            check=False,
            text=True,
        )
    except OSError:
        return None
    return done.stdout.strip() or None
