"""A project's experiments: their plans, their cells, and the folder of their results."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from advisor.analysis.analyze import analyze
from advisor.experiments import results
from advisor.experiments.cells import Cell, cells, impossible
from advisor.experiments.results import Result
from advisor.pipeline import prepare
from advisor.problem.prepared import Prepared
from advisor.project.project import Project
from evaluation.measuring.measurement import QueryOutcome
from placement.plan import PlacementPlan
from placement.plan_file import read_plan, write_plan
from placement.problem import Constraints, PlacementProblem
from placement.routing.refitted import refitted
from placement.stores import Store
from placement.strategies import make, stands_for
from workloads.adapters import adapter
from workloads.errors import AdvisorError, ConfigurationError
from workloads.progress import Progress
from workloads.whole_files import write_whole
from workloads.workload import Query

PLANS = "plans"
_CHOSEN = {"strength": {"indexes"}}
"""The fields of a store that depend on the indexes chosen: results hold with others too."""
_FAILURES = (QueryOutcome.FAILED, QueryOutcome.TIMEOUT, QueryOutcome.WRONG)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laboratory:
    """A project that was prepared, its plans by their names, and where results are kept.

    `cells` are those of the experiments that were asked for; `impossible` maps those that no engine
    of theirs can answer to the reason. `command` makes the results.
    """

    prepared: Prepared
    plans: Mapping[str, PlacementPlan]
    folder: Path
    numbers: tuple[int, ...]
    cells: tuple[Cell, ...]
    impossible: Mapping[Cell, str]
    command: str

    @property
    def project(self) -> Project:
        """Return the project."""
        return self.prepared.project

    @property
    def queries(self) -> Mapping[str, Query]:
        """Return the workload's queries by their names."""
        return {each.name: each for each in self.prepared.analysis.workload.queries}

    @property
    def engine_settings(self) -> Mapping[str, object]:
        """Return what holds for all cells, and results depend on."""
        settings, experiments = self.project.evaluate, self.project.experiments
        return {
            "repeats": settings.repeats,
            "query_timeout_s": settings.query_timeout_s,
            "fetch_size": settings.fetch_size,
            "master": settings.master,
            "driver_memory": settings.driver_memory,
            "worker_memory": experiments.worker_memory,
            "stores": [(each.name, each.kind, each.server) for each in self.project.stores],
        }

    def digest(self, cell: Cell) -> str:
        """Return what a result of the cell holds for."""
        sql = self.queries[cell.query].sql
        return results.digest(cell, self.plans[cell.placement], sql, self.engine_settings)

    def done(self, of: Collection[Cell] | None = None) -> Mapping[Cell, Result]:
        """Return the results that there are, of all cells or of some."""
        found = results.read(self.folder, self.cells if of is None else of)
        return {cell: each for cell, each in found.items() if each.digest == self.digest(cell)}

    def left(self) -> list[Cell]:
        """Return the cells that can be measured and are not yet."""
        done = self.done()
        return [each for each in self.cells if each not in done and each not in self.impossible]

    def forget_failed(self) -> None:
        """Forget the results of cells that failed, took too long, or had a wrong answer."""
        for result in self.done().values():
            if result.measurement.outcome in _FAILURES:
                results.forget(result, self.folder)


def laboratory(
    project: Project, numbers: Collection[int], command: str, progress: Progress
) -> Laboratory:
    """Prepare the experiments of these numbers, all of them where there are none.

    Plans that were made before are taken again: a search that its time limit ends would otherwise
    find another.

    Raises:
        AdvisorError: The project cannot be used, or has no such experiment.
    """
    # The paper counts what an engine exchanges, and compares its joins: DuckDB has none of these.
    project = replace(project, evaluate=replace(project.evaluate, combine="spark"))
    asked = _numbers(project, numbers)
    analysis = analyze(project, progress, needs_data=True)
    prepared = prepare(project, analysis)
    folder = _folder(project, prepared)
    named = project.experiments.numbered
    strategies = dict.fromkeys(each for number in asked for each in named[number].placements)
    plans = _plans(prepared.problem, list(strategies), folder / PLANS, progress)
    if not project.evaluate.references:
        plans = {name: plan for name, plan in plans.items() if plan.feasible}
    queries = [query.name for query in analysis.workload.queries]
    wanted = cells(project.experiments, asked, plans, queries)
    kinds = {store.name: store.kind for store in project.stores}
    own_trino = project.evaluate.trino is not None
    reasons = {
        cell: impossible(cell, plans[cell.placement], kinds, own_trino=own_trino) for cell in wanted
    }
    return Laboratory(
        prepared=prepared,
        plans=plans,
        folder=folder,
        numbers=asked,
        cells=wanted,
        impossible={cell: reason for cell, reason in reasons.items() if reason is not None},
        command=command,
    )


def _numbers(project: Project, asked: Collection[int]) -> tuple[int, ...]:
    named = project.experiments.numbered
    if not named:
        raise ConfigurationError(
            f"{project.file.name} names no experiments: add [experiments.1] with placements, as "
            "conf/experiments/paper.toml does."
        )
    for number in asked:
        if number not in named:
            known = ", ".join(map(str, sorted(named)))
            raise ConfigurationError(
                f"{project.file.name} has no experiment {number}: it has {known}. Add "
                f"[experiments.{number}] with placements."
            )
    return tuple(sorted(set(asked) or named))


def _folder(project: Project, prepared: Prepared) -> Path:
    """Return the folder of the results, another for other data, queries, stores, limits or prices.

    Its plans are kept, so that all that a plan depends on tells it.
    """
    problem = prepared.problem
    known = [
        {name: table.fingerprint for name, table in prepared.analysis.catalog.tables.items()},
        [(each.name, each.sql) for each in prepared.analysis.workload.queries],
        [adapter(Store).dump_python(each, exclude=_CHOSEN) for each in problem.stores],
        adapter(Constraints).dump_python(problem.constraints, exclude={"max_index_bytes"}),
        {each.name: each.executions for each in problem.queries},
        [problem.objective, problem.costs, problem.clients, problem.machines],
        [problem.current, problem.horizon, problem.graph.writes],
    ]
    if project.place.indexes != "source":
        known += [project.place.indexes, problem.constraints.max_index_bytes]
    text = json.dumps(known, sort_keys=True, default=_plain)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    scale_factor = project.catalog.scale_factor
    name = "data" if scale_factor is None else f"sf{scale_factor:g}"
    return project.folder / "experiments" / f"{name}-{digest}"


def _plain(value: object) -> object:
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def _plans(
    problem: PlacementProblem, strategies: list[str], folder: Path, progress: Progress
) -> Mapping[str, PlacementPlan]:
    """Return the plans of the strategies by their names; those not made before are kept."""
    kept = dict(_kept(problem, folder))
    missing = [each for each in strategies if not any(stands_for(each, name) for name in kept)]
    if missing:
        with progress.task("Placing tables"):
            made = make(problem, missing)
        folder.mkdir(parents=True, exist_ok=True)
        for plan in made.plans:
            write_whole(folder / f"{quote(plan.strategy, safe='')}.json", write_plan(plan))
        # As the next call has them: results hold for plans that were read from these files.
        kept = dict(_kept(problem, folder))
    ordered = [name for each in strategies for name in kept if stands_for(each, name)]
    return {name: kept[name] for name in dict.fromkeys(ordered)}


def _kept(problem: PlacementProblem, folder: Path) -> list[tuple[str, PlacementPlan]]:
    """Return the plans in a folder by their names; files that hold none are as if not there."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            plan = refitted(problem, read_plan(file.read_text(encoding="utf-8")))
        except (OSError, AdvisorError):
            continue
        found.append((plan.strategy, plan))
    return found
