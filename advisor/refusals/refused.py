"""All refusals of a project together: of its file, its stores, its data and its constraints.

`analyze` gathers those of workload, catalog and constraints. Where the file or a store is refused
already, nothing of that would be asked any more. So it is looked at here, as far as that is fast.
"""

from advisor.analysis.analyze import understood_project
from advisor.analysis.load_catalog import quick_names, reads_quickly
from advisor.project.config import ReadProject
from advisor.project.constraints import refuse_constraints
from advisor.project.project import Project
from advisor.project.recorded_names import refuse_recorded_passwords
from advisor.refusals.asked_stores import refusing
from workloads.problems import Problems
from workloads.progress import Progress


def refuse(read: ReadProject, progress: Progress, *, loads: bool = False) -> Project:
    """Return the project, if nothing is known that refuses it before its data are read.

    With `loads` its stores are to get copies: they are asked whether they would take them.

    Raises:
        AdvisorError: One thing is refused.
        RefusalsError: Several things are, of the file, the stores, the data and the constraints.
    """
    problems, project = Problems(read.errors), read.project
    if loads:
        usable = [each for each in project.stores if f"stores.{each.name}" not in read.unusable]
        for error in refusing(usable, progress):
            problems.add(error)
        with problems.gathering():
            refuse_recorded_passwords(project)
        if project.evaluate.engine == "trino" and project.evaluate.trino is not None:
            with problems.gathering():
                project.evaluate.trino.connection()
    if problems.errors:
        with problems.gathering():
            _look_further(read, progress, loads=loads)
    problems.raise_any()
    return project


def _look_further(read: ReadProject, progress: Progress, *, loads: bool) -> None:
    """Raise what else is refused, as far as that can be told without measuring any data."""
    project = read.project
    if "catalog" in read.unusable or not read.reaches(project.catalog.stores):
        return
    if (
        reads_quickly(project.catalog)
        and "workload" not in read.unusable
        and read.reaches(project.workload.stores)
    ):
        understood_project(project, progress, needs_data=loads)
    elif (names := quick_names(project.catalog)) is not None:
        refuse_constraints(project, names)
