"""All refusals of a project together: of its file, its stores, its data and its constraints.

`analyze` gathers those of workload, catalog and constraints. Where the file or a store is refused
already, nothing of that would be asked any more. So it is looked at here, as far as that is fast.
"""

from collections.abc import Iterable

from advisor.analysis.analyze import understood_project
from advisor.analysis.load_catalog import quick_names, read_catalog, reads_quickly
from advisor.project.config import ReadProject
from advisor.project.constraints import refuse_constraints
from advisor.project.project import Project
from advisor.project.project_file import ProjectFile
from advisor.project.recorded_names import refuse_recorded_passwords
from advisor.project.store_access import refuse_inaccessible
from advisor.project.store_settings import StoreSettings
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
        usable = [each for each in project.stores if read.reaches([each.name])]
        for error in refusing(_accessible(project, usable, problems), progress):
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


def _accessible(
    project: Project, stores: Iterable[StoreSettings], problems: Problems
) -> list[StoreSettings]:
    """Return the stores that this machine can ask; why it cannot ask the others is a problem."""
    file, found = ProjectFile(path=project.file), []
    for store in stores:
        with problems.gathering():
            if not store.embedded:
                refuse_inaccessible(file, store)
            found.append(store)
    return found


def _look_further(read: ReadProject, progress: Progress, *, loads: bool) -> None:
    """Raise what else is refused, as far as that can be told without measuring any data."""
    project, problems = read.project, Problems()
    asked = {*project.workload.stores, *project.catalog.stores}
    sources = [
        store
        for store in project.stores
        if (store.name in asked or store.is_live) and read.reaches([store.name])
    ]
    accessible = frozenset(each.name for each in _accessible(project, sources, problems))
    with problems.gathering():
        _look_into(read, accessible, progress, loads=loads)
    problems.raise_any()


def _look_into(
    read: ReadProject, accessible: frozenset[str], progress: Progress, *, loads: bool
) -> None:
    """Raise what sources are refused for, of which stores can be asked that are `accessible`.

    Where the workload cannot be read, the tables alone say which constraints name none.
    """
    project = read.project
    if "catalog" in read.unusable or not accessible >= set(project.catalog.stores):
        return
    if reads_quickly(project.catalog):
        if "workload" not in read.unusable and accessible >= set(project.workload.stores):
            understood_project(project, progress, needs_data=loads)
        else:
            refuse_constraints(project, read_catalog(project, progress).catalog.tables)
    elif (names := quick_names(project.catalog)) is not None:
        refuse_constraints(project, names)
