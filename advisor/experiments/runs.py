"""Measures the cells that are left, place by place, and writes each query's results at once."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.experiments.cells import Cell, Setting, by_place, by_turn
from advisor.experiments.laboratory import Laboratory
from advisor.experiments.results import Result, write
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from evaluation.bench import Bench, open_bench
from evaluation.engines.trino_server import USER, TrinoServer, running_trino
from evaluation.evaluate import stores_held
from evaluation.installation.java import java_home
from evaluation.kinds import in_catalogs
from evaluation.load import LoadedStores, load
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import OURS, Job, TrinoConnection
from evaluation.spark.settings import Executors, is_local
from evaluation.spark.standalone import standalone_cluster
from placement.plan import PlacementPlan
from workloads.progress import Progress, Silent, Task

LOCAL = "local[*]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """All that measurements need: the loaded stores, the job for them, and the cluster's master."""

    laboratory: Laboratory
    plans: Mapping[str, PlacementPlan]
    job: Job
    loaded: LoadedStores
    commit: str | None
    master: str = LOCAL


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A place that is open: a session of Spark, the job for it, and a Trino of ours.

    `trino` is None where the place needs none, or takes the one that the project names.
    """

    bench: Bench
    job: Job
    trino: TrinoServer | None = None

    @property
    def has_ended(self) -> bool:
        """Whether something was killed that its queries need."""
        return self.bench.has_ended or (self.trino is not None and self.trino.has_ended)


def run(laboratory: Laboratory, progress: Progress) -> None:
    """Measure the cells that are left; what was measured before an interruption is kept.

    Every copy that they read is loaded once, before the first cell. Queries are measured one after
    the other: a query's placements take turns, as in any evaluation. Settings that run in the same
    place share one session of Spark.

    Raises:
        StoreError: A store refuses, or a load fails.
        SetUpError: Spark, a cluster or Trino does not start.
    """
    left = laboratory.left()
    if not left:
        return
    plans = {cell.placement: needed(laboratory, cell.placement, left) for cell in left}
    used = {store for plan in plans.values() for held in plan.placement.values() for store in held}
    stores = tuple(each for each in laboratory.project.stores if each.name in used)
    with connections(replace(laboratory.project, stores=stores), progress) as found:
        prepared = laboratory.prepared
        job = job_of(laboratory.project, prepared.analysis, found, prepared.problem)
        with stores_held(job, list(plans.values())):
            loaded = load(job.catalog, list(plans.values()), found, progress)
            work = _Work(
                laboratory=laboratory, plans=plans, job=job, loaded=loaded, commit=_commit()
            )
            with progress.task("Measuring", len(left)) as task, ExitStack() as clusters:
                most = max((each.setting.on_cluster or 0 for each in left), default=0)
                for place, cells in by_place(left):
                    if place.on_cluster and most:
                        master = clusters.enter_context(_cluster(work, most, progress))
                        work, most = replace(work, master=master), 0
                    if not place.on_cluster:
                        clusters.close()
                    _measure(work, place, cells, task, progress)


def _measure(
    work: _Work, place: Setting, cells: Sequence[Cell], task: Task, progress: Progress
) -> None:
    """Measure the cells of one place; a Spark or a Trino that was killed is started again."""
    waiting = list(by_turn(cells).items())
    with progress.task(f"Measuring in {place.place}", len(cells)) as own:
        while waiting:
            with _opened(work, place, progress) as opened:
                while waiting:
                    (setting, query), of_query = waiting.pop(0)
                    job = _set(opened.job, setting)
                    measured = _measured(work, opened.bench, job, query, of_query)
                    for cell in of_query:
                        write(_result(work, cell, measured), work.laboratory.folder)
                    task.advance(len(of_query))
                    own.advance(len(of_query))
                    if opened.has_ended:
                        break


def _set(job: Job, setting: Setting) -> Job:
    """Return the job with an engine, its joins, and the stores that it can read."""
    found = replace(job, engine=setting.engine, join_strategy=setting.joins)
    if setting.engine == OURS:
        return found
    listed = {name: each for name, each in job.connections.items() if in_catalogs(each.kind)}
    return replace(found, connections=listed)


def _measured(
    work: _Work, bench: Bench, job: Job, query: str, cells: Sequence[Cell]
) -> Measurements:
    chosen = work.laboratory.queries[query]
    plans = [_of_query(work.plans[cell.placement], query) for cell in cells]
    one = replace(
        job,
        workload=replace(job.workload, queries=(chosen,)),
        literals=tuple(each for each in job.literals if each.query == query),
        passed_through=(),
        all_repeats=True,
        clients=(),
    )
    return bench.measure(one, plans, work.loaded, Silent())


def _of_query(plan: PlacementPlan, query: str) -> PlacementPlan:
    """Return the plan for one query alone."""
    return replace(plan, routing={query: plan.routing[query]})


def needed(laboratory: Laboratory, placement: str, cells: Sequence[Cell]) -> PlacementPlan:
    """Return a plan with the copies alone that its queries among `cells` read.

    At a large scale factor the others would cost hours and disks. Limits that the plan breaks are
    left out: they would cost it rounds.
    """
    plan = laboratory.plans[placement]
    queries = dict.fromkeys(each.query for each in cells if each.placement == placement)
    held: dict[str, set[str]] = {}
    for query in queries:
        for routed in plan.routing[query]:
            for table in routed.fragment.tables:
                held.setdefault(table, set()).add(routed.store)
    return replace(
        plan,
        placement={table: tuple(sorted(held[table])) for table in plan.placement if table in held},
        routing={query: plan.routing[query] for query in queries},
        violations=(),
    )


def _result(work: _Work, cell: Cell, measured: Measurements) -> Result:
    laboratory = work.laboratory
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
        commit=work.commit,
    )


@contextmanager
def _opened(work: _Work, place: Setting, progress: Progress) -> Iterator[_Opened]:
    """Open a place for the length of the block; where it has a Trino, Spark only waits."""
    job, server = work.job, None
    with ExitStack() as stack:
        if place.engine == "trino":
            trino, server = stack.enter_context(_trino(work, place, progress))
            job = replace(job, trino=trino, master=LOCAL, executors=Executors())
        elif place.workers is not None:
            memory = work.laboratory.project.experiments.worker_memory
            executors = Executors(workers=place.workers, cores=1, memory=memory)
            job = replace(job, master=work.master, executors=executors)
        yield _Opened(bench=stack.enter_context(open_bench(job, progress)), job=job, trino=server)


@contextmanager
def _cluster(work: _Work, workers: int, progress: Progress) -> Iterator[str]:
    """Yield the master of the project's own cluster, or of one of ours where it names none."""
    if not is_local(work.job.master):
        yield work.job.master
        return
    memory = work.laboratory.project.experiments.worker_memory
    with ExitStack() as stack:
        with progress.task("Starting a cluster"):
            cluster = standalone_cluster(java_home(progress), workers=workers, memory=memory)
            master = stack.enter_context(cluster)
        yield master


@contextmanager
def _trino(
    work: _Work, place: Setting, progress: Progress
) -> Iterator[tuple[TrinoConnection, TrinoServer | None]]:
    """Yield the Trino that the project names, or one of ours with the stores as catalogs."""
    settings = work.laboratory.project.evaluate
    if settings.trino is not None:
        yield settings.trino.connection(settings.silence_s), None
        return
    stores = _set(work.job, place).connections
    with running_trino(stores, progress, workers=place.workers) as server:
        yield TrinoConnection(url=server.url, user=USER, silence_s=settings.silence_s), server


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
