"""The project file: TOML in, validated frozen types out. The only place that reads it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from advisor.project.constraint_sections import read_constraints, refuse_moves_from_nowhere
from advisor.project.evaluate_sections import read_evaluate
from advisor.project.place_sections import read_place, unmade
from advisor.project.project import Project, TrackingSettings
from advisor.project.project_file import ProjectFile, read_toml
from advisor.project.source_sections import read_catalog, read_workload
from advisor.project.store_sections import read_stores
from workloads.errors import ConfigurationError
from workloads.sources.benchmarks import BENCHMARKS

__all__ = ["Project", "demo_file", "load_project", "project_of_paths"]

SECTIONS = ("workload", "catalog", "stores", "constraints", "place", "evaluate", "tracking")
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

Overrides = Mapping[str, Mapping[str, object]]


def load_project(
    path: Path, overrides: Overrides | None = None, stores: Collection[str] = ()
) -> Project:
    """Read and validate a project file.

    `overrides` (section → key → value) take precedence over the file and are validated alike.
    Relative paths in the file are relative to its folder. Of the stores that are optional the
    project has only those named in `stores`.

    Raises:
        ConfigurationError: The file is missing or not TOML, or says what cannot be used.
    """
    raw = dict(read_toml(path))
    file = ProjectFile(path=path.resolve())
    for section, values in (overrides or {}).items():
        raw[section] = {**file.table(raw, section), **values}
    return _project(file, raw, asked=stores)


def project_of_paths(paths: Sequence[str], overrides: Overrides | None = None) -> Project:
    """Return a project without stores for statements in `paths`, to be analysed.

    The catalog is that of the benchmark that `paths` name, or TPC-DS, unless `overrides` name one.

    Raises:
        ConfigurationError: A path does not exist, or an option cannot be used.
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
) -> Project:
    for section in raw:
        file.known("section", section, SECTIONS, "the project file")
    evaluate = read_evaluate(file, file.table(raw, "evaluate"))
    raw_stores = file.table(raw, "stores")
    stores = tuple(
        store
        if "silence_s" in raw_stores[store.name]
        else replace(store, silence_s=evaluate.silence_s)
        for store in read_stores(file, raw_stores, needed=stores_needed, asked=asked)
    )
    by_name = {store.name: store for store in stores}
    workload = read_workload(file, file.table(raw, "workload"), by_name)
    catalog = read_catalog(file, file.table(raw, "catalog"), by_name)
    raw_place = file.table(raw, "place")
    place = read_place(file, raw_place, catalog, by_name)
    constraints = read_constraints(file, file.table(raw, "constraints"), by_name, workload)
    refuse_moves_from_nowhere(file, constraints, place.current)
    return Project(
        file=file.path,
        workload=workload,
        catalog=catalog,
        stores=stores,
        constraints=constraints,
        place=place,
        unmade=unmade(raw_place, catalog, stores),
        evaluate=evaluate,
        tracking=_tracking(file, file.table(raw, "tracking")),
    )


def _tracking(file: ProjectFile, raw: dict[str, Any]) -> TrackingSettings:
    settings = file.read(TrackingSettings, raw, "tracking")
    if settings.uri is not None and urlsplit(settings.uri).password:
        raise file.error(
            "[tracking].uri",
            "a password does not belong into a file: set MLFLOW_TRACKING_PASSWORD instead",
        )
    return settings
