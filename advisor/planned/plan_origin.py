"""The project of a plan: its path is written into the plan's file and found from there."""

import os
from dataclasses import replace
from pathlib import Path

from advisor.project.chosen_project import FILTERS, STORES, ProjectChoice
from advisor.project.config import demo_file
from advisor.project.project import Project
from placement.plan import PlacementPlan
from workloads.errors import ConfigurationError

PROJECT = "project"
OPTIONS = ("queries", "scale_factor", "skip_invalid", *FILTERS, STORES)
"""The settings of a plan that say so: the project's file, and options that `place` was given."""


def recorded(plan: PlacementPlan, choice: ProjectChoice, output: Path) -> PlacementPlan:
    """Return the plan with its project file, relative to the folder of `output`, and options."""
    origin: dict[str, str | int | float] = {
        PROJECT: os.path.relpath((choice.file or demo_file()).resolve(), output.resolve().parent)
    }
    for name in OPTIONS:
        given = choice.options.get(name)
        if isinstance(given, str | int | float):
            origin[name] = given
    return replace(plan, settings={**plan.settings, **origin})


def carried(plan: PlacementPlan, project: Project, output: Path) -> PlacementPlan:
    """Return a plan that was made of another file's, with its project as seen from `output`."""
    path = os.path.relpath(project.file.resolve(), output.resolve().parent)
    return replace(plan, settings={**plan.settings, PROJECT: path})


def project_of(plan: PlacementPlan, file: Path) -> Project:
    """Return the project of a plan that was read from `file`, with the options of then.

    Raises:
        ConfigurationError: The plan names no project, or one that is not there any more.
    """
    named = plan.settings.get(PROJECT)
    if not isinstance(named, str):
        raise ConfigurationError(
            f"The plan {file} does not say of which project it is: make it again with "
            "'advisor place PROJECT -o', or name the project with --project."
        )
    path = file.resolve().parent / named
    if not path.is_file():
        raise ConfigurationError(
            f"The plan {file} is of the project {named}, which is not at {path}: put it back, or "
            "name the project with --project."
        )
    options: dict[str, object] = {
        name: plan.settings[name] for name in OPTIONS if name in plan.settings
    }
    if "skip_invalid" in options:
        options["skip_invalid"] = bool(options["skip_invalid"])
    return ProjectChoice(file=path, options=options).project()
