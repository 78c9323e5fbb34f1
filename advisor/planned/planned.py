"""A plan with its problem, analysis and project: the input of explain, what-if and migrate."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from advisor import pipeline
from advisor.analysis.analysis import Analysis
from advisor.analysis.notes import notes
from advisor.planned.plan_origin import project_of
from advisor.project.config import load_project
from advisor.project.plan_files import named_plan
from advisor.project.project import Project
from placement.limits.check import check
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from workloads.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, its problem, and the project and analysis that the problem is made of."""

    project: Project
    analysis: Analysis
    problem: PlacementProblem
    plan: PlacementPlan


def planned(
    file: Path,
    note: Callable[[str], None],
    progress: Progress,
    *,
    project_file: Path | None = None,
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
        project = load_project(file)
        analysis = _analyzed(project, note, progress)
        problem = pipeline.placement_problem(project, analysis)
        with progress.task("Placing tables"):
            plan = Optimal()(problem)
        return Planned(project=project, analysis=analysis, problem=problem, plan=plan)
    plan = named_plan(file)
    project = project_of(plan, file) if project_file is None else load_project(project_file)
    analysis = _analyzed(project, note, progress)
    problem = pipeline.placement_problem(project, analysis)
    pipeline.refuse_foreign(project, plan, problem)
    if any(broken not in plan.violations for broken in check(problem, plan)):
        note(
            f"The plan {file} no longer matches {project.file.name}: its placement is kept, and "
            "routing and costs were computed again."
        )
        plan = plan_for(problem, plan.strategy, plan.placement)
    return Planned(project=project, analysis=analysis, problem=problem, plan=plan)


def _analyzed(project: Project, note: Callable[[str], None], progress: Progress) -> Analysis:
    analysis = pipeline.analyze(project, progress)
    for text in notes(analysis):
        note(text)
    return analysis
