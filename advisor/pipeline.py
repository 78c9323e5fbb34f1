"""The main job: workload → access graph → candidates → stores → measurements."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from advisor.analysis import Analysis
from advisor.analyze import analyze
from advisor.problem import placement_problem
from advisor.project import Project
from evaluation import evaluate as evaluation
from evaluation.connection import Connection
from evaluation.engines.trino_catalogs import TrinoCatalog, trino_catalog
from evaluation.job import Job, write_job
from evaluation.measurement import Measurements
from evaluation.servers import embedded
from evaluation.stores.mysql_servers import is_mariadb
from placement.check import check
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing import plan_for
from placement.strategies import Candidates, make
from placement.time_limit import OutOfTimeError, ends_of
from workloads.errors import CatalogError, ConfigurationError, InfeasibleError
from workloads.progress import Progress

__all__ = [
    "analyze",
    "connections",
    "evaluate",
    "export",
    "export_trino",
    "job_of",
    "place",
    "placement_problem",
    "refuse_foreign",
    "refuse_without_data",
    "requested",
]

CURRENT = "current"
"""The name of the present placement among the candidates."""


def refuse_without_data(analysis: Analysis) -> None:
    """Raise CatalogError where a table has no data, so that no store can be loaded with it."""
    without = [name for name, table in analysis.catalog.tables.items() if table.parquet is None]
    if without:
        raise CatalogError(
            f"Table '{without[0]}' has no data to load"
            f"{f', nor have {len(without) - 1} others' if len(without) > 1 else ''}: the catalog"
            f" '{analysis.catalog.name}' knows its shape alone. 'analyze' and 'place' need no data;"
            " to load and run, name a folder of Parquet as [catalog].source."
        )


def place(project: Project, analysis: Analysis, progress: Progress) -> Candidates:
    """Make every candidate that the project asks for, and the placement that there is.

    All of it takes no longer than the project's time limit.

    Raises:
        ConfigurationError: The constraints name what there is not.
        InfeasibleError: No placement fits the hard limits.
    """
    problem = placement_problem(project, analysis)
    with progress.task("Placing tables"):
        problem = replace(problem, ends=ends_of(problem))
        there = tuple(current(problem))
        made = make(problem, project.place.strategies)
        return replace(made, plans=there + made.plans)


def current(problem: PlacementProblem) -> Iterator[PlacementPlan]:
    """Yield what doing nothing costs, if every table is somewhere and every query can be run."""
    if problem.table_bytes.keys() == problem.current.keys():
        with suppress(InfeasibleError, OutOfTimeError):
            yield plan_for(problem, CURRENT, problem.current)


def evaluate(
    project: Project, analysis: Analysis, plans: Sequence[PlacementPlan], progress: Progress
) -> Measurements:
    """Load the plans into the project's stores, run the workload on each, and verify it.

    Raises:
        CatalogError: A table has no data.
        ConfigurationError: A plan is of other tables or stores, or two have one name.
    """
    refuse_without_data(analysis)
    plans = _fitted(project, plans, placement_problem(project, analysis))
    if not project.evaluate.references:
        plans = tuple(plan for plan in plans if plan.feasible)
    started = time.perf_counter()
    with connections(project, progress) as found:
        set_up_s = time.perf_counter() - started
        measured = evaluation.evaluate(job_of(project, analysis, found), plans, progress)
    seconds = {"generate": analysis.generate_s, **measured.seconds}
    seconds["set_up"] = seconds.get("set_up", 0.0) + set_up_s
    return replace(measured, seconds=seconds)


def export(project: Project, progress: Progress) -> str:
    """Return the evaluation's job as JSON, for ``spark-submit evaluation/jobs/…``.

    Raises:
        ConfigurationError: An embedded store is not up: the job could not reach it.
    """
    _refuse_asleep(project)
    analysis = analyze(project, progress)
    refuse_without_data(analysis)
    with connections(project, progress) as found:
        return write_job(job_of(project, analysis, found))


def export_trino(project: Project, progress: Progress) -> tuple[TrinoCatalog, ...]:
    """Return the stores as catalogs of a Trino.

    Raises:
        ConfigurationError: An embedded store is not up, or a store's name cannot be a catalog's.
        StoreError: A store does not answer that must say which server it is.
    """
    _refuse_asleep(project)
    tables = analyze(project, progress).catalog.tables.values()
    names = [name for table in tables for name in (table.name, *(c.name for c in table.columns))]
    with connections(project, progress) as found:
        return tuple(
            trino_catalog(
                connection,
                mariadb=connection.kind == "mysql" and is_mariadb(connection),
                mixed_case=any(name != name.lower() for name in (*names, connection.namespace)),
            )
            for connection in found.values()
        )


def _refuse_asleep(project: Project) -> None:
    running = {status.store for status in embedded.status(project.folder) if status.kept}
    asleep = [
        store.name
        for store in project.stores
        if store.embedded and store.kind != "duckdb" and store.name not in running
    ]
    if asleep:
        raise ConfigurationError(
            f"Store '{asleep[0]}' is not up, so that nothing else could reach it: "
            f"run 'advisor stores up {project.file.name}' first."
        )


@contextmanager
def connections(project: Project, progress: Progress) -> Iterator[Mapping[str, Connection]]:
    """Yield store → connection, with the embedded servers running for the length of the block."""
    requests = requested(project)
    others = project.own_connections()
    with embedded.running(requests, project.folder, progress) as servers:
        found = {**servers, **others}
        yield {
            store.name: replace(
                found[store.name],
                # A server knows none: calibrating keeps its tables beside those of a workload.
                namespace=store.namespace,
                options={**found[store.name].options, **store.options},
                silence_s=store.silence_s,
            )
            for store in project.stores
        }


def requested(project: Project) -> tuple[embedded.EmbeddedRequest, ...]:
    """Return the stores of the project that we are to run ourselves."""
    return tuple(
        embedded.EmbeddedRequest(
            store=store.name,
            kind=store.kind,
            server=store.other_server,
            nodes=store.node_count,
            memory_bytes=store.memory_bytes,
        )
        for store in project.stores
        if store.embedded
    )


def _fitted(
    project: Project, plans: Sequence[PlacementPlan], problem: PlacementProblem
) -> tuple[PlacementPlan, ...]:
    """Return the plans as they hold for `problem`, without those that break an exclusion.

    A plan that was edited, or made for other queries or with other rates, keeps its placement
    and is routed, priced and checked anew. What is excluded from a store is never loaded there,
    not even for a reference.
    """
    names = [plan.strategy for plan in plans]
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"{names.count(name)} plans are called '{name}': give each its own 'strategy', "
                "so that their measurements can be told apart."
            )
    for plan in plans:
        refuse_foreign(project, plan, problem)
    excluded = problem.constraints.exclude
    return tuple(
        plan
        if all(broken in plan.violations for broken in check(problem, plan))
        else plan_for(problem, plan.strategy, plan.placement)
        for plan in plans
        if not any(excluded.get(t, frozenset()) & set(held) for t, held in plan.placement.items())
    )


def refuse_foreign(project: Project, plan: PlacementPlan, problem: PlacementProblem) -> None:
    """Raise ConfigurationError where a plan is of other tables or stores than the project."""
    stores = {store.name for store in problem.stores}
    foreign = sorted(
        (plan.placement.keys() ^ problem.table_bytes.keys())
        | ({store for held in plan.placement.values() for store in held} - stores)
    )
    if foreign:
        raise ConfigurationError(
            f"The plan '{plan.strategy}' is not one of {project.file.name}: it differs in "
            f"{', '.join(foreign[:3])}. Make it anew with 'advisor place'."
        )


def job_of(project: Project, analysis: Analysis, found: Mapping[str, Connection]) -> Job:
    """Return all that an evaluation needs to know, with the stores that were `found`."""
    settings = project.evaluate
    trino = settings.trino if settings.engine == "trino" else None
    return Job(
        workload=analysis.workload,
        catalog=analysis.catalog,
        connections=found,
        scale_factor=project.catalog.scale_factor,
        repeats=settings.repeats,
        all_repeats=settings.all_repeats,
        query_timeout_s=settings.query_timeout_s,
        fetch_size=settings.fetch_size,
        seed=settings.seed,
        master=settings.master,
        driver_memory=settings.driver_memory,
        executors=settings.executors,
        join_strategy=settings.join_strategy,
        engine=settings.engine,
        trino=None if trino is None else trino.connection(settings.silence_s),
    )
