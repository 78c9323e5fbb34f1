"""The project that is asked for: a file, and the options that take precedence over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workloads.errors import ConfigurationError

if TYPE_CHECKING:
    from advisor.project.config import Overrides, ReadProject
    from advisor.project.project import Project

FILTERS = ("user", "database", "application", "since", "until", "shortest_s", "longest_s")
"""Options that say which executions of the workload count."""
SETTINGS: Mapping[str, tuple[str, str]] = {
    "scale_factor": ("catalog", "scale_factor"),
    "queries": ("workload", "queries"),
    "skip_invalid": ("workload", "skip_invalid"),
    **{name: ("workload", name) for name in FILTERS},
    "repeats": ("evaluate", "repeats"),
    "all_repeats": ("evaluate", "all_repeats"),
    "clients": ("evaluate", "clients"),
    "engine": ("evaluate", "engine"),
    "join_strategy": ("evaluate", "join_strategy"),
    "workers": ("evaluate", "workers"),
    "strategies": ("place", "strategies"),
    "quick_rates": ("place", "quick_rates"),
    "engines": ("experiments", "engines"),
}
"""Option → the section and key of the project file that it takes precedence over."""
LISTED = frozenset({"queries", "strategies", "engines", "user", "database", "application"})
"""Options that are lists with commas between their names."""
NUMBERS = frozenset({"clients"})
"""Options that are lists with commas between their numbers."""
STORES = "with_stores"
"""The option with the names of optional stores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChoice:
    """A project file, None for the demo's, and options by their names as they were given."""

    file: Path | None
    options: Mapping[str, object]

    def project(self) -> "Project":
        """Return the project.

        Raises:
            ConfigurationError: The file or an option cannot be used.
            RefusalsError: Several things in them cannot be used.
        """
        return self.read().usable()

    def read(self) -> "ReadProject":
        """Return the project as far as the file and the options can be used.

        Raises:
            ConfigurationError: The file is missing or not TOML.
        """
        from advisor.project.config import demo_file, read_project

        stores = names(str(self.options.get(STORES) or ""))
        return read_project(self.file or demo_file(), overrides(self.options), stores)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzedChoice:
    """A project file, or paths of SQL and logs with what a project file would say of them."""

    sources: tuple[str, ...]
    options: Mapping[str, object]
    dialect: str | None = None
    frequencies: str | None = None
    catalog: tuple[str, ...] | None = None
    rows: str | None = None

    def project(self) -> "Project":
        """Return the project.

        Raises:
            ConfigurationError: The file or an option cannot be used.
            RefusalsError: Several things in them cannot be used.
        """
        return self.read().usable()

    def read(self) -> "ReadProject":
        """Return the project of a file, or one of paths and options, as far as it can be used.

        Raises:
            ConfigurationError: The file is missing or not TOML, or options do not go together.
        """
        from advisor.project.config import read_paths, read_project

        files = [source for source in self.sources if source.endswith(".toml")]
        paths_only = {
            ("workload", "dialect"): self.dialect,
            ("workload", "frequencies"): self.frequencies,
            ("catalog", "source"): None if self.catalog is None else list(self.catalog),
            ("catalog", "rows"): self.rows,
        }
        if not files:
            return read_paths(list(self.sources), overrides(self.options, paths_only))
        if len(self.sources) > 1:
            raise ConfigurationError("Analyse one project file, or several paths of SQL.")
        for (section, key), value in paths_only.items():
            if value is not None:
                option = "catalog" if key == "source" else key
                raise ConfigurationError(
                    f"--{option} is for paths: {files[0]} says it as {key} under [{section}]."
                )
        return read_project(Path(files[0]), overrides(self.options))


def overrides(
    options: Mapping[str, object], others: Mapping[tuple[str, str], object] | None = None
) -> "Overrides":
    """Return section → key → value of the options given, and of `others` that are not None."""
    given = {SETTINGS[name]: _value(name, options.get(name)) for name in SETTINGS}
    found: dict[str, dict[str, object]] = {}
    for (section, key), value in {**given, **(others or {})}.items():
        if value is not None:
            found.setdefault(section, {})[key] = value
    return found


def _value(option: str, given: object) -> object:
    """Return an option's value as a project file has it: lists as lists, "all" as it is."""
    if option in LISTED and isinstance(given, str) and given != "all":
        return list(names(given))
    if option in NUMBERS and isinstance(given, str):
        # What is no number stays as it is, to be refused as in a project file.
        return [int(each) if each.isdecimal() else each for each in names(given)]
    return given


def names(text: str) -> tuple[str, ...]:
    """Return the names in a list as an option has it, with commas between them."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
