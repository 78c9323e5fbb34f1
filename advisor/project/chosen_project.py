"""The project that a command's arguments name, with the options that take precedence."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from advisor.project.config import Overrides, demo_file, load_project, project_of_paths
from advisor.project.project import Project
from workloads.errors import ConfigurationError


def named_project(arguments: argparse.Namespace) -> Project:
    """Return the project of the file named.

    Raises:
        ConfigurationError: The file or an option cannot be used.
    """
    return load_project(arguments.project, _overrides(arguments), _stores(arguments))


def project_or_demo(arguments: argparse.Namespace) -> Project:
    """Return the project of the file named, if one can be and is, else the demo's.

    Raises:
        ConfigurationError: The file or an option cannot be used.
    """
    file = vars(arguments).get("project")
    return load_project(file or demo_file(), _overrides(arguments), _stores(arguments))


def analyzed_project(arguments: argparse.Namespace) -> Project:
    """Return the project to analyse: the file named, or one made of paths and options.

    Raises:
        ConfigurationError: The file or an option cannot be used.
    """
    sources: list[str] = arguments.sources
    files = [source for source in sources if source.endswith(".toml")]
    paths_only = {
        ("workload", "dialect"): arguments.dialect,
        ("workload", "frequencies"): arguments.frequencies,
        ("catalog", "source"): arguments.catalog,
        ("catalog", "rows"): arguments.rows,
    }
    if not files:
        return project_of_paths(sources, _overrides(arguments, paths_only))
    if len(sources) > 1:
        raise ConfigurationError("Analyse one project file, or several paths of SQL.")
    for (section, key), value in paths_only.items():
        if value is not None:
            option = "catalog" if key == "source" else key
            raise ConfigurationError(
                f"--{option} is for paths: {files[0]} says it as {key} under [{section}]."
            )
    return load_project(Path(files[0]), _overrides(arguments))


def _overrides(
    arguments: argparse.Namespace, others: Mapping[tuple[str, str], object] | None = None
) -> Overrides:
    """Return the options that take precedence over the project file, those the command has."""
    options = vars(arguments)
    given: Mapping[tuple[str, str], object] = {
        ("catalog", "scale_factor"): options.get("scale_factor"),
        ("workload", "queries"): _listed(options.get("queries")),
        ("workload", "skip_invalid"): options.get("skip_invalid"),
        ("evaluate", "repeats"): options.get("repeats"),
        ("evaluate", "all_repeats"): options.get("all_repeats"),
        ("evaluate", "engine"): options.get("engine"),
        ("evaluate", "join_strategy"): options.get("join_strategy"),
        ("evaluate", "workers"): options.get("workers"),
        ("place", "strategies"): _listed(options.get("strategies")),
        **(others or {}),
    }
    overrides: dict[str, dict[str, object]] = {}
    for (section, key), value in given.items():
        if value is not None:
            overrides.setdefault(section, {})[key] = value
    return overrides


def _stores(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the optional stores that are asked for."""
    return names(vars(arguments).get("with_stores") or "")


def names(text: str) -> tuple[str, ...]:
    """Return the names in a list as an option has it, with commas between them."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _listed(text: str | None) -> object:
    return text if text is None or text == "all" else list(names(text))
