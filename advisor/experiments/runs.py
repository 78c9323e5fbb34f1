"""Measures the cells that are left, setting by setting, and writes each result at once."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.experiments.cells import Cell, Setting, by_query, by_setting
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
    """All that a session of measurements needs: the loaded stores, and the job for them."""

    laboratory: Laboratory
    job: Job
    loaded: LoadedStores
    commit: str | None


def run(laboratory: Laboratory, progress: Progress) -> None:
    """Measure the cells that are left; what was measured before an interruption is kept.

    Every copy is loaded once, before the first cell. Queries are measured one after the other: a
    query's placements take turns, as in any evaluation.

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
            with progress.task("Measuring", len(left)) as task:
                for setting, cells in by_setting(left):
                    _measure(bench, setting, cells, task, progress)


def _measure(
    bench: _Bench, setting: Setting, cells: Sequence[Cell], task: Task, progress: Progress
) -> None:
    """Measure the cells of one setting; a Spark whose Java was killed is started again."""
    waiting = list(by_query(cells).items())
    with progress.task(setting.name, len(cells)) as own:
        while waiting:
            with _opened(bench, setting, progress) as (spark, job):
                while waiting and not has_ended(spark):
                    query, of_query = waiting.pop(0)
                    measured = _measured(bench, spark, job, query, of_query)
                    for cell in of_query:
                        write(_result(bench, cell, measured), bench.laboratory.folder)
                    task.advance(len(of_query))
                    own.advance(len(of_query))


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
    bench: _Bench, setting: Setting, progress: Progress
) -> "Iterator[tuple[SparkSession, Job]]":
    """Yield a session of Spark, and the job by which its queries are measured.

    A cluster or a Trino that the setting needs runs for the length of the block.
    """
    job = replace(bench.job, engine=setting.engine, join_strategy=setting.joins)
    if setting.engine != OURS:
        runs_sql = {n: each for n, each in job.connections.items() if each.kind in JDBC}
        job = replace(job, connections=runs_sql)
    with ExitStack() as stack:
        if setting.engine == "trino":
            trino = stack.enter_context(_trino(bench, job.connections, setting, progress))
            job = replace(job, trino=trino, master=LOCAL, executors=Executors())
        elif setting.workers is not None:
            master = stack.enter_context(_master(bench, setting.workers, progress))
            memory = bench.laboratory.project.experiments.worker_memory
            executors = Executors(workers=setting.workers, cores=1, memory=memory)
            job = replace(job, master=master, executors=executors)
        yield stack.enter_context(open_session(job, progress)), job


@contextmanager
def _master(bench: _Bench, workers: int, progress: Progress) -> Iterator[str]:
    """Yield the project's own cluster, or one of ours where it names none."""
    if not is_local(bench.job.master):
        yield bench.job.master
        return
    memory = bench.laboratory.project.experiments.worker_memory
    with ExitStack() as stack:
        with progress.task("Starting a cluster"):
            master = stack.enter_context(
                standalone_cluster(java_home(progress), workers=workers, memory=memory)
            )
        yield master


@contextmanager
def _trino(
    bench: _Bench, stores: Mapping[str, object], setting: Setting, progress: Progress
) -> Iterator[TrinoConnection]:
    """Yield the Trino that the project names, or one of ours with the stores as catalogs."""
    settings = bench.laboratory.project.evaluate
    if settings.trino is not None:
        yield settings.trino.connection(settings.silence_s)
        return
    found = {name: bench.job.connections[name] for name in stores}
    with running_trino(found, progress, workers=setting.workers) as url:
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
