"""Parts of a quick calibration: statements over TPC-H, and over each live store's own tables."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from advisor.analysis.analyze import analyzed
from advisor.analysis.load_catalog import FoundCatalog, read_catalog
from advisor.measuring.calibrate import calibrating
from advisor.measuring.measure import job_of
from advisor.problem.problem import placement_problem
from advisor.problem.rates import rates_of
from advisor.project.project import Project
from advisor.project.source_settings import STORE_PREFIX, CatalogSettings
from evaluation.calibration.calibration import LeftOut
from evaluation.calibration.quick_probes import SCALE_FACTOR, live_workload, quick_workload
from evaluation.calibration.repeated import MOST_RUNS
from evaluation.calibration.warming import EngineRuns
from evaluation.measuring.measurement import CandidateMeasurement
from evaluation.running.job import Job
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.connection import Connection
from placement.problem import PlacementProblem
from workloads.catalog import Catalog
from workloads.errors import AdvisorError, StoreError
from workloads.progress import Progress
from workloads.workload import Workload

_STATEMENT_S = 8.0
"""The time limit of a statement: no more can be waited for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Statements over one catalog, and the stores of `project` that they are put to."""

    project: Project
    problem: PlacementProblem
    job: Job


@dataclass(slots=True)
class Findings:
    """The findings so far: what was measured of each part, and what was left out and why.

    `loads` maps a store to its copies of TPC-H's tables. `runs` are those of the engine.
    """

    seen: list[tuple[Part, tuple[CandidateMeasurement, ...]]] = field(default_factory=list)
    loads: dict[str, list[LoadedTable]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    runs: EngineRuns = field(default_factory=EngineRuns)

    def leave_out(self, store: str, error: Exception) -> None:
        """Take note that a store was not measured."""
        self.left_out.append(
            LeftOut(placement=store, query="all", outcome="failed", message=str(error))
        )

    @contextmanager
    def leaving_out(self, store: str) -> Iterator[None]:
        """Leave a store out for which the block fails."""
        try:
            yield
        except AdvisorError as error:
            self.leave_out(store, error)

    @property
    def first_reason(self) -> str:
        """Say why the first thing that is left out is so, after a sentence."""
        return f" {self.left_out[0].message}" if self.left_out else ""


def quick_project(project: Project) -> Project:
    """Return the project with TPC-H instead of its own workload and catalog, and no live store."""
    return calibrating(project, scale_factor=SCALE_FACTOR, repeats=MOST_RUNS)


def live_catalog(project: Project, progress: Progress) -> Catalog:
    """Return the tables that the project's live stores have.

    Raises:
        StoreError: A live store does not answer.
        RefusalsError: Several do not.
    """
    sources = tuple(f"{STORE_PREFIX}{each.name}" for each in project.stores if each.is_live)
    if not sources:
        return Catalog(name="live", tables={})
    asked = replace(project, catalog=CatalogSettings(source=sources))
    return read_catalog(asked, progress).catalog


def written_part(
    project: Project, connections: Mapping[str, Connection], progress: Progress
) -> Part | None:
    """Return the statements over TPC-H, for all stores that are not live; None without any."""
    asked = quick_project(project)
    if not asked.stores:
        return None
    found = read_catalog(asked, progress)
    return _part(asked, quick_workload(), found.catalog, connections, progress)


def live_parts(
    project: Project,
    catalog: Catalog,
    connections: Mapping[str, Connection],
    findings: Findings,
    progress: Progress,
) -> Iterator[Part]:
    """Yield the statements over the tables of each live store, which `catalog` has."""
    asked = quick_project(project)
    for store in project.stores:
        if not store.is_live:
            continue
        with findings.leaving_out(store.name):
            workload, tables = live_workload(catalog, store.name)
            if not workload.queries:
                raise StoreError(store.name, "it has no table that is small enough to be read.")
            own = replace(catalog, tables={each.name: each for each in tables}, views={})
            alone = replace(asked, stores=(replace(store, movable=False),))
            yield _part(alone, workload, own, connections, progress)


def _part(
    asked: Project,
    workload: Workload,
    catalog: Catalog,
    connections: Mapping[str, Connection],
    progress: Progress,
) -> Part:
    analysis = analyzed(asked, workload, FoundCatalog(catalog=catalog), progress, generate_s=0.0)
    namespaces = {each.name: each.namespace for each in asked.stores}
    # All stores, so that Spark has the drivers of all of them from the start.
    found = {
        name: replace(each, namespace=namespaces.get(name, each.namespace))
        for name, each in connections.items()
    }
    job = job_of(asked, analysis, found)
    return Part(
        project=asked,
        problem=placement_problem(asked, analysis, rates_of(asked, calibrated=False)),
        job=replace(job, query_timeout_s=min(_STATEMENT_S, job.query_timeout_s)),
    )
