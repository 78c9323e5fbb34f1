"""The project file: TOML in, validated frozen types out. The only place that reads it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from advisor.project.constraint_sections import (
    read_constraints,
    refuse_moves_from_nowhere,
    refuse_unchosen_indexes,
)
from advisor.project.constraint_settings import ConstraintSettings
from advisor.project.evaluate_sections import read_evaluate
from advisor.project.experiment_sections import read_experiments
from advisor.project.experiment_settings import ExperimentsSettings
from advisor.project.live_stores import (
    refuse_copies_of_benchmarks,
    refuse_shared_files,
    with_live_sources,
)
from advisor.project.place_sections import current_indexes, read_place, unmade
from advisor.project.project import EvaluateSettings, PlaceSettings, Project, TrackingSettings
from advisor.project.project_file import ProjectFile, read_toml
from advisor.project.source_sections import read_catalog, read_workload
from advisor.project.source_settings import CatalogSettings, WorkloadSettings
from advisor.project.store_cores import refuse_cores
from advisor.project.store_sections import FoundStores, read_stores
from advisor.project.store_settings import StoreSettings
from advisor.project.tracking_sections import read_tracking
from workloads.errors import AdvisorError, ConfigurationError
from workloads.problems import Problems
from workloads.sources.benchmarks import BENCHMARKS

__all__ = [
    "Project", "ReadProject", "demo_file", "load_project", "project_of_paths", "read_paths",
    "read_project",
]  # fmt: skip

SECTIONS = (
    "workload", "catalog", "stores", "constraints", "place", "evaluate", "tracking", "experiments",
)  # fmt: skip
OPTIONS = {
    "[workload].source": "PATH",
    "[workload].dialect": "--dialect",
    "[workload].frequencies": "--frequencies",
    "[workload].queries": "--queries",
    "[workload].user": "--user",
    "[workload].database": "--database",
    "[workload].application": "--application",
    "[workload].since": "--since",
    "[workload].until": "--until",
    "[workload].shortest_s": "--shortest-s",
    "[workload].longest_s": "--longest-s",
    "[catalog].source": "--catalog",
    "[catalog].scale_factor": "--scale-factor",
    "[catalog].rows": "--rows",
}
"""The option for each key that `project_of_paths` takes."""

DEFAULT_CATALOG = "tpcds"

_NONE = "none"
"""The source of a workload or a catalog whose section cannot be used."""

Overrides = Mapping[str, Mapping[str, object]]
Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadProject:
    """A project file as far as it can be used, and the errors of the rest.

    In `project` a key that cannot be used is as if it were not there. `unusable` are sections that
    cannot be used at all, such as ``stores.pg``: a stand-in is in their place, so that what names
    them can be checked.
    """

    project: Project
    errors: tuple[AdvisorError, ...] = ()
    unusable: frozenset[str] = frozenset()

    def reaches(self, stores: Iterable[str]) -> bool:
        """Tell whether none of `stores` has a section that cannot be used."""
        return not any(f"stores.{name}" in self.unusable for name in stores)

    def usable(self) -> Project:
        """Return the project.

        Raises:
            ConfigurationError: Something in the file cannot be used.
            RefusalsError: So do several things.
        """
        Problems(self.errors).raise_any()
        return self.project


def load_project(
    path: Path, overrides: Overrides | None = None, stores: Collection[str] = ()
) -> Project:
    """Read and validate a project file (see `read_project`).

    Raises:
        ConfigurationError: The file is missing or not TOML, or says what cannot be used.
        RefusalsError: It says several things that cannot be used.
    """
    return read_project(path, overrides, stores).usable()


def read_project(
    path: Path, overrides: Overrides | None = None, stores: Collection[str] = ()
) -> ReadProject:
    """Read a project file, and go on where something in it cannot be used.

    `overrides` (section → key → value) take precedence over the file and are validated alike.
    Relative paths in the file are relative to its folder. Of the stores that are optional the
    project has only those named in `stores`.

    Raises:
        ConfigurationError: The file is missing or not TOML.
    """
    raw = dict(read_toml(path))
    file = ProjectFile(path=path.resolve())
    for section, values in (overrides or {}).items():
        with file.problems.gathering():
            raw[section] = {**file.table(raw, section), **values}
    return _project(file, raw, asked=stores)


def project_of_paths(paths: Sequence[str], overrides: Overrides | None = None) -> Project:
    """Return the project of paths (see `read_paths`).

    Raises:
        ConfigurationError: A path does not exist, or an option cannot be used.
        RefusalsError: So is it with several.
    """
    return read_paths(paths, overrides).usable()


def read_paths(paths: Sequence[str], overrides: Overrides | None = None) -> ReadProject:
    """Return a project without stores for statements in `paths`, to be analysed.

    The catalog is that of the benchmark that `paths` name, or TPC-DS, unless `overrides` name one.
    Among its errors are paths that do not exist, and options that cannot be used.
    """
    file = ProjectFile(path=Path.cwd() / "analyze", options=OPTIONS)
    given = overrides or {}
    catalog = paths[0] if len(paths) == 1 and paths[0] in BENCHMARKS else DEFAULT_CATALOG
    raw = {
        "workload": {"source": list(paths), **given.get("workload", {})},
        "catalog": {"source": catalog, **given.get("catalog", {})},
    }
    return _project(file, raw, stores_needed=False)


def demo_file() -> Path:
    """Return the demo's project file, wherever the advisor is called from.

    Raises:
        ConfigurationError: The repository's ``conf`` folder is not beside the package.
    """
    file = Path(__file__).resolve().parents[2] / "conf" / "demo.toml"
    if not file.is_file():
        raise ConfigurationError(
            f"The demo's project file {file} is missing: the advisor was installed without its "
            "repository. Install it with `pip install --editable` from a clone."
        )
    return file


def _project(
    file: ProjectFile,
    raw: Mapping[str, Any],
    *,
    stores_needed: bool = True,
    asked: Collection[str] = (),
) -> ReadProject:
    for section in raw:
        with file.problems.gathering():
            file.known("section", section, SECTIONS, "the project file")
    sections = _Sections(file=file, raw=raw)
    evaluate = sections.read("evaluate", read_evaluate, EvaluateSettings())
    found = sections.read(
        "stores",
        lambda file, raw: read_stores(file, raw, needed=stores_needed, asked=asked),
        FoundStores(stores=()),
    )
    return ReadProject(
        project=_of_sections(sections, evaluate, found.patient_for(evaluate.silence_s)),
        errors=file.problems.errors,
        unusable=frozenset(sections.unusable | {f"stores.{name}" for name in found.unusable}),
    )


def _of_sections(
    sections: "_Sections", evaluate: EvaluateSettings, stores: tuple[StoreSettings, ...]
) -> Project:
    """Return the project of what can be used of its sections."""
    by_name = {store.name: store for store in stores}
    workload = sections.read(
        "workload",
        lambda file, raw: read_workload(file, raw, by_name),
        WorkloadSettings(source=(_NONE,)),
    )
    catalog = sections.read(
        "catalog",
        lambda file, raw: read_catalog(file, with_live_sources(raw, stores), by_name),
        CatalogSettings(source=(_NONE,)),
    )
    with sections.file.problems.gathering():
        refuse_copies_of_benchmarks(sections.file, catalog.benchmark, stores)
        refuse_shared_files(sections.file, stores)
    with sections.file.problems.gathering():
        refuse_cores(sections.file, stores)
    place = sections.read(
        "place", lambda file, raw: read_place(file, raw, catalog, by_name), PlaceSettings()
    )
    constraints = sections.read(
        "constraints",
        lambda file, raw: read_constraints(file, raw, by_name, workload),
        ConstraintSettings(),
    )
    raw_place = sections.raw_of("place")
    if not raw_place.get("current") and not any(store.is_live for store in stores):
        refuse_moves_from_nowhere(sections.file, constraints)
    if place.indexes != "advise":
        refuse_unchosen_indexes(sections.file, constraints)
    return Project(
        file=sections.file.path,
        workload=workload,
        catalog=catalog,
        stores=stores,
        constraints=constraints,
        place=place,
        unmade=unmade(raw_place, catalog, stores),
        current_indexes=current_indexes(sections.file, raw_place),
        evaluate=evaluate,
        tracking=sections.read("tracking", read_tracking, TrackingSettings()),
        experiments=sections.read("experiments", read_experiments, ExperimentsSettings()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sections:
    """The sections of a file, read one after another, whatever is wrong in those before."""

    file: ProjectFile
    raw: Mapping[str, Any]
    unusable: set[str] = field(default_factory=set)

    def read(
        self,
        name: str,
        reader: Callable[[ProjectFile, dict[str, Any]], Settings],
        stand_in: Settings,
    ) -> Settings:
        """Return what `reader` makes of a section, or `stand_in` where it cannot be used."""
        with self.file.problems.gathering():
            return reader(self.file, self.file.table(self.raw, name))
        self.unusable.add(name)
        return stand_in

    def raw_of(self, name: str) -> dict[str, Any]:
        """Return the keys of a section as they were written; none where it is no section."""
        value = self.raw.get(name, {})
        return dict(value) if isinstance(value, dict) else {}
