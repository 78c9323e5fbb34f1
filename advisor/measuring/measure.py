"""Plans measured on a project's stores, and the job that says how."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.analysis.load_catalog import refuse_without_data
from advisor.measuring.open_stores import OpenStores, opening
from advisor.problem.hosting import hosting
from advisor.problem.machines import machines_of
from advisor.problem.prepared import Prepared
from advisor.problem.rates import default_costs
from advisor.project.project import Project
from evaluation import evaluate as evaluation
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import GivenLiterals, HostedStatement, Job
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.refitted import refitted
from workloads.errors import ConfigurationError
from workloads.literals.filling import Filling
from workloads.progress import Progress
from workloads.workload import Workload


def measure(
    prepared: Prepared,
    plans: Sequence[PlacementPlan],
    progress: Progress,
    opened: OpenStores | None = None,
) -> Measurements:
    """Load the plans into the project's stores, run the workload on each, and verify it.

    The stores and the Spark are those that were `opened`, or are opened for it.

    Raises:
        CatalogError: A table has no data.
        ConfigurationError: A plan is of other tables or stores, or two have one name.
    """
    project, analysis = prepared.project, prepared.analysis
    refuse_without_data(analysis.catalog)
    plans = fitted(prepared, plans)
    if not project.evaluate.references:
        plans = tuple(plan for plan in plans if plan.feasible)
    started = time.perf_counter()
    with opening(project, progress) if opened is None else nullcontext(opened) as stores:
        found = stores.connections()
        set_up_s = time.perf_counter() - started
        job = job_of(project, analysis, found, prepared.problem)
        measured = evaluation.evaluate(job, plans, progress, stores.bench.last)
    seconds = {"generate": analysis.generate_s, **measured.seconds}
    seconds["set_up"] = seconds.get("set_up", 0.0) + set_up_s
    return replace(measured, seconds=seconds)


def fitted(prepared: Prepared, plans: Sequence[PlacementPlan]) -> tuple[PlacementPlan, ...]:
    """Return the plans as they hold for the problem, without those that break an exclusion.

    Tables that are excluded from a store are never loaded there, not even for a reference.

    Raises:
        ConfigurationError: A plan is of other tables or stores, or two have one name.
    """
    names = [plan.strategy for plan in plans]
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"{names.count(name)} plans are called '{name}': give each its own 'strategy', "
                "so that their measurements can be told apart."
            )
    for plan in plans:
        prepared.refuse_foreign(plan)
    excluded = prepared.problem.constraints.exclude
    return tuple(
        refitted(prepared.problem, plan)
        for plan in plans
        if not any(excluded.get(t, frozenset()) & set(held) for t, held in plan.placement.items())
    )


def job_of(
    project: Project,
    analysis: Analysis,
    found: Mapping[str, Connection],
    problem: PlacementProblem | None = None,
) -> Job:
    """Return all that an evaluation needs to know, with the stores that were `found`.

    A `problem` tells the prices that its plans were made with.
    """
    settings = project.evaluate
    trino = settings.trino if settings.engine == "trino" else None
    return Job(
        workload=analysis.workload,
        catalog=analysis.catalog,
        connections=found,
        scale_factor=project.catalog.scale_factor,
        repeats=settings.repeats,
        all_repeats=settings.all_repeats,
        clients=settings.clients,
        machines=machines_of(project) if problem is None else problem.machines,
        query_timeout_s=settings.query_timeout_s,
        fetch_size=settings.fetch_size,
        seed=settings.seed,
        master=settings.master,
        driver_memory=settings.driver_memory,
        executors=settings.executors,
        join_strategy=settings.join_strategy,
        combine=settings.combine,
        engine=settings.engine,
        trino=None if trino is None else trino.connection(settings.silence_s),
        stores=() if problem is None else problem.stores,
        costs=default_costs(project) if problem is None else problem.costs,
        passed_through=_hosted(project, analysis),
        literals=tuple(_literals(analysis.filling or Filling(), analysis.workload)),
    )


def _literals(filling: Filling, workload: Workload) -> Iterator[GivenLiterals]:
    """Yield what statements with parameters are run with; what is passed through has it already.

    Each set has a name that no query of the workload has.
    """
    taken = {query.name for query in workload.queries}
    for name, each in filling.filled.items():
        mark = "~"
        while any(other.startswith(name + mark) for other in taken):
            mark += "~"
        sets = (replace(one, name=f"{name}{mark}{n}") for n, one in enumerate(each.sets, start=1))
        yield GivenLiterals(query=name, source=each.source, sets=tuple(sets))
    for name, reason in filling.unfilled.items():
        yield GivenLiterals(query=name, reason=reason)


def _hosted(project: Project, analysis: Analysis) -> tuple[HostedStatement, ...]:
    stores = hosting(project, analysis).stores
    return tuple(
        HostedStatement(
            query=each.query,
            dialect=each.dialect,
            tables=tuple(sorted(each.tables)),
            store=stores[each.query.name],
            incomparable=each.incomparable,
        )
        for each in analysis.passed_through
        if each.query.name in stores
    )
