"""Measures a project's stores with statements that are not the workload's, and fits their rates."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyzed
from advisor.analysis.load_catalog import read_catalog
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from advisor.problem.fitted_calibration import Measured, fitted
from advisor.problem.problem import placement_problem
from advisor.problem.rates import combiner_of, rates_of
from advisor.project.constraint_settings import ConstraintSettings
from advisor.project.project import PlaceSettings, Project
from advisor.project.source_settings import CatalogSettings, WorkloadSettings
from evaluation.calibration.behaviour import behaviours
from evaluation.calibration.calibration import Calibration, LeftOut
from evaluation.calibration.disk import DiskProfile, disk_profile
from evaluation.calibration.join_sweep import memories
from evaluation.calibration.links import links
from evaluation.calibration.probes import NAME, calibration_workload, with_indexes
from evaluation.calibration.server_settings import data_folder, settings_of
from evaluation.calibration.stream_probes import stream_times
from evaluation.evaluate import measure, open_session, stores_held
from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.server_settings.settings import ServerSettings
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.strategies import candidates
from workloads.benchmarks.tpch import TPCH
from workloads.errors import ConfigurationError, SetUpError, StoreError
from workloads.progress import Progress

SUFFIX = "_calibration"
_LONGEST_NAMESPACE = 63
# So many random splits, beside every store alone: what crosses stores, and the engine's work.
_SPLITS = 2
# What this does to a query is seen from others: a store is not waited for longer.
_TIMEOUT_S = 60.0


def calibrate(
    project: Project, progress: Progress, *, scale_factor: float, repeats: int
) -> Calibration:
    """Load TPC-H into the project's stores, measure it there and across them, and drop it again.

    It is kept in namespaces of its own, and replaces nothing.

    Raises:
        StoreError: A store refuses, or a load fails.
        ConfigurationError: No query could be measured, or a password is missing.
    """
    started = time.perf_counter()
    asked = calibrating(project, scale_factor=scale_factor, repeats=repeats)
    if not asked.stores:
        raise ConfigurationError(
            "All stores have live tables, so that none can be loaded with what is measured: "
            "describe a server again, as a store of another name without tables = 'live'."
        )
    asked.own_connections()
    read = read_catalog(asked, progress)
    found = replace(read, catalog=with_indexes(read.catalog))
    analysis = analyzed(
        asked,
        calibration_workload(),
        found,
        progress,
        generate_s=time.perf_counter() - started,
    )
    problem = placement_problem(asked, analysis, rates_of(asked, calibrated=False))
    with progress.task("Planning the calibration"):
        plans = (*candidates(problem, ("single_store",)), *_splits(problem))
    measured = _measured(asked, analysis, problem, plans, progress)
    return fitted(asked, measured, scale_factor, time.perf_counter() - started)


def _measured(
    asked: Project,
    analysis: Analysis,
    problem: PlacementProblem,
    plans: Sequence[PlacementPlan],
    progress: Progress,
) -> Measured:
    """Load the plans, measure them and what the stores do beside, and drop the tables again."""
    with connections(asked, progress) as found:
        job = job_of(asked, analysis, found)
        with (
            stores_held(job, plans),
            dropping(found, plans, progress),
            open_session(job, progress) as spark,
        ):
            loaded = load(job.catalog, plans, found, progress)
            measurements = measure(spark, job, plans, loaded, progress)
            behaving = behaviours(spark, job, progress)
            linked = links(spark, job, progress)
            streaming = stream_times(spark, job, progress)
            joining = memories(spark, job, progress)
            settings = {name: _settings(each) for name, each in found.items()}
        disk_of, disks, unmeasured = _disks(found, settings, progress)
    return Measured(
        problem=problem,
        loaded=loaded,
        measurements=measurements,
        behaviours=behaving,
        links=linked,
        streaming=streaming,
        memories=joining,
        settings=settings,
        disk_of=disk_of,
        disks=disks,
        unmeasured=unmeasured,
    )


def _settings(connection: Connection) -> ServerSettings:
    """Return a store's settings; none of one that is lost by now: its rates are measured."""
    try:
        return settings_of(connection)
    except StoreError:
        return ServerSettings()


def calibrating(project: Project, *, scale_factor: float, repeats: int) -> Project:
    """Return the project with TPC-H instead of its own workload, catalog and limits."""
    return replace(
        project,
        workload=WorkloadSettings(source=(TPCH.name,)),
        catalog=CatalogSettings(source=(TPCH.name,), scale_factor=scale_factor),
        constraints=ConstraintSettings(),
        place=PlaceSettings(seed=project.place.seed),
        stores=tuple(
            replace(store, namespace=store.namespace[: _LONGEST_NAMESPACE - len(SUFFIX)] + SUFFIX)
            for store in project.stores
            # Nothing is loaded into a live one: its rates stay what they are.
            if not store.is_live
        ),
        evaluate=replace(
            project.evaluate,
            repeats=repeats,
            # Rates are fitted to all executions, of whatever place in a ranking.
            all_repeats=True,
            clients=(),
            engine="fragments",
            # Rates are of who combines the project's own queries.
            combine="spark" if combiner_of(project) == "spark" else project.evaluate.combine,
            query_timeout_s=min(_TIMEOUT_S, project.evaluate.query_timeout_s),
        ),
    )


def _disks(
    connections: Mapping[str, Connection],
    settings: Mapping[str, ServerSettings],
    progress: Progress,
) -> tuple[dict[str, str], dict[str, DiskProfile], tuple[LeftOut, ...]]:
    """Measure every disk that a local store has its data on, once; after the queries.

    One without room for it loses its own figures, and nothing that was measured before.
    """
    disk_of: dict[str, str] = {}
    folders: dict[int, str] = {}
    for name, connection in connections.items():
        found = data_folder(connection, settings[name])
        if found is not None:
            disk_of[name] = folders.setdefault(found.stat().st_dev, str(found))
    disks: dict[str, DiskProfile] = {}
    unmeasured = []
    for folder in folders.values():
        try:
            disks[folder] = disk_profile(Path(folder), progress=progress)
        except SetUpError as error:
            unmeasured.append(
                LeftOut(placement=folder, query="disk", outcome="failed", message=str(error))
            )
    return disk_of, disks, tuple(unmeasured)


@contextmanager
def dropping(
    connections: Mapping[str, Connection], plans: Sequence[PlacementPlan], progress: Progress
) -> Iterator[None]:
    """Drop the plans' copies when the block ends; a store that is lost hinders no other."""
    held = {(s, t) for plan in plans for t, stores in plan.placement.items() for s in stores}
    try:
        yield
    finally:
        with (
            progress.task(f"Dropping the {NAME}'s tables", len(held)) as task,
            ExitStack() as drops,
        ):
            for store, table in sorted(held):
                connection = connections[store]
                drops.callback(task.advance)
                drops.callback(BACKENDS[connection.kind].drop, connection, table)


def _splits(problem: PlacementProblem) -> Iterator[PlacementPlan]:
    """Yield plans with every table in one store, drawn by the seed, and every store in use."""
    names = [store.name for store in problem.stores]
    if len(names) == 1:
        return
    draw = random.Random(problem.seed)  # noqa: S311 - placements, not secrets
    for number in range(1, _SPLITS + 1):
        tables = list(problem.table_bytes)
        draw.shuffle(tables)
        placement = {table: (names[i % len(names)],) for i, table in enumerate(tables)}
        yield plan_for(problem, f"split_{number}", placement)
