"""A plan with its problem, analysis and project: the input of explain, what-if and migrate."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from advisor.analysis.analyze import analyze
from advisor.figures import counted
from advisor.measuring.clear_text import tell_clear_text
from advisor.pipeline import prepare
from advisor.planned.plan_origin import project_of
from advisor.problem.hosting import tell_all_notes
from advisor.problem.prepared import Prepared
from advisor.project.config import load_project
from advisor.project.plan_files import named_plan
from advisor.project.project import Project
from placement.plan import PlacementPlan
from placement.routing.refitted import at_prices, corrected, refitted
from placement.strategies.optimal import Optimal
from workloads.progress import Progress

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Prepared):
    """A plan beside all that it is made from.

    `problem` has the indexes that the plan has, and the plan's corrections of prices.
    """

    plan: PlacementPlan


def planned(
    file: Path, note: Note, progress: Progress, *, project_file: Path | None = None
) -> Planned:
    """Return the plan in `file`, or the best one of the project that `file` is.

    A plan's project is the one that its file names, unless there is a `project_file`. A plan that
    no longer matches its project keeps its placement: it is routed, priced and checked again, and
    `note` is told so.

    Raises:
        ConfigurationError: The file or its project cannot be read, or the plan is of other
            tables or stores than the project.
        InfeasibleError: A query cannot be run on the plan's placement, or none fits.
    """
    if file.suffix == ".toml":
        prepared = _prepared(load_project(file), note, progress)
        with progress.task("Placing tables"):
            return _with_plan(prepared, Optimal()(prepared.problem))
    plan = named_plan(file)
    project = project_of(plan, file) if project_file is None else load_project(project_file)
    prepared = _prepared(project, note, progress)
    found = fitting(prepared, plan, file, note)
    if found.corrections is not None:
        note(
            f"Measurements have corrected the prices of the plan {file}: all seconds are by its "
            f"prices, of {counted(found.corrections.number, 'measured fragment')}."
        )
    return _with_plan(prepared, found)


def refuse_unreadable(file: Path, project_file: Path | None) -> None:
    """Read the files that `planned` begins with, before anything is made for its answer.

    Raises:
        ConfigurationError: The file or its project cannot be read.
    """
    if file.suffix == ".toml":
        load_project(file)
    elif project_file is None:
        project_of(named_plan(file), file)
    else:
        named_plan(file)
        load_project(project_file)


def fitting(prepared: Prepared, plan: PlacementPlan, file: Path, note: Note) -> PlacementPlan:
    """Return the plan of `file` as the problem prices it; `note` is told where it said otherwise.

    Raises:
        ConfigurationError: The plan is of other tables or stores than the project.
        InfeasibleError: A query cannot be run on the plan's placement.
    """
    prepared.refuse_foreign(plan)
    found = refitted(prepared.problem, plan)
    if found is not plan:
        note(
            f"The plan {file} no longer matches {prepared.project.file.name}: its placement and "
            "settings are kept, and routing and costs were computed again."
        )
    return found


def alike(given: Planned, plan: PlacementPlan, file: Path, note: Note) -> PlacementPlan:
    """Return the plan of `file` with the prices of the one that is `given`.

    Seconds by the formula and seconds that measurements have corrected are not compared. `note` is
    told where they were computed again.
    """
    found = at_prices(given.problem, plan)
    if found is not plan:
        note(
            f"The seconds of {file} were computed again with the prices of the other plan: "
            "measurements have corrected those of one of them, or of both in different ways."
        )
    return found


def _prepared(project: Project, note: Note, progress: Progress) -> Prepared:
    analysis = analyze(project, progress)
    tell_all_notes(project, analysis, note)
    tell_clear_text(project, note, sources_alone=True)
    return prepare(project, analysis)


def _with_plan(prepared: Prepared, plan: PlacementPlan) -> Planned:
    return Planned(
        project=prepared.project,
        analysis=prepared.analysis,
        rates=prepared.rates,
        problem=corrected(prepared.problem.with_indexes(plan.indexes), plan.corrections),
        plan=plan,
    )
