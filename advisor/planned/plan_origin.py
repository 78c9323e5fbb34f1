"""The project of a plan: its path is written into the plan's file and found from there."""

import argparse
import os
from dataclasses import replace
from pathlib import Path

from advisor.project.chosen_project import names
from advisor.project.config import Overrides, load_project
from advisor.project.project import Project
from placement.plan import PlacementPlan
from workloads.errors import ConfigurationError

PROJECT, QUERIES, SCALE_FACTOR, SKIP_INVALID = "project", "queries", "scale_factor", "skip_invalid"
STORES = "with_stores"
"""The settings of a plan that say so; all but the first as the options that `place` was given."""


def recorded(plan: PlacementPlan, arguments: argparse.Namespace) -> PlacementPlan:
    """Return the plan with the project file, relative to the plan's folder, and the options."""
    options = vars(arguments)
    folder = Path(arguments.output).resolve().parent
    origin: dict[str, str | int | float] = {
        PROJECT: os.path.relpath(Path(arguments.project).resolve(), folder)
    }
    for name in (QUERIES, SCALE_FACTOR, SKIP_INVALID, STORES):
        if options.get(name) is not None:
            origin[name] = options[name]
    return replace(plan, settings={**plan.settings, **origin})


def project_of(plan: PlacementPlan, file: Path) -> Project:
    """Return the project of a plan that was read from `file`, with the options of then.

    Raises:
        ConfigurationError: The plan names no project, or one that is not there any more.
    """
    named = plan.settings.get(PROJECT)
    if not isinstance(named, str):
        raise ConfigurationError(
            f"The plan {file} does not say of which project it is: make it anew with "
            "'advisor place PROJECT -o', or name the project with --project."
        )
    path = file.resolve().parent / named
    if not path.is_file():
        raise ConfigurationError(
            f"The plan {file} is of the project {named}, which is not at {path}: put it back, or "
            "name the project with --project."
        )
    return load_project(path, _options(plan), names(str(plan.settings.get(STORES, ""))))


def _options(plan: PlacementPlan) -> Overrides:
    overrides: dict[str, dict[str, object]] = {}
    if QUERIES in plan.settings:
        named = str(plan.settings[QUERIES])
        queries = named if named == "all" else list(names(named))
        overrides["workload"] = {"queries": queries}
    if SKIP_INVALID in plan.settings:
        overrides.setdefault("workload", {})["skip_invalid"] = bool(plan.settings[SKIP_INVALID])
    if SCALE_FACTOR in plan.settings:
        overrides["catalog"] = {"scale_factor": plan.settings[SCALE_FACTOR]}
    return overrides
