"""The project file: TOML in, validated frozen types out. The only place that reads it."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from advisor.project import (
    DEFAULT_SCALE_FACTOR,
    LAST_TPCDS_QUERY,
    STORE_KINDS,
    TPCDS,
    CatalogSettings,
    ConstraintSettings,
    EvaluateSettings,
    PlaceSettings,
    Project,
    StoreSettings,
    TrackingSettings,
    WorkloadSettings,
)
from workloads.errors import ConfigurationError

__all__ = ["Project", "demo_file", "load_project", "project_of_paths"]

SECTIONS = ("workload", "catalog", "stores", "constraints", "place", "evaluate", "tracking")
Overrides = Mapping[str, Mapping[str, object]]
T = TypeVar("T")


def load_project(path: Path, overrides: Overrides | None = None) -> Project:
    """Read and validate a project file.

    `overrides` (section → key → value) take precedence over the file and are validated alike.
    Relative paths in the file are relative to its folder.

    Raises:
        ConfigurationError: The file is missing or not TOML, or says what cannot be used.
    """
    raw = dict(_read(path))
    file = _File(path=path.resolve())
    for section, values in (overrides or {}).items():
        raw[section] = {**file.table(raw, section), **values}
    return _project(file, raw)


def project_of_paths(
    paths: Sequence[Path], *, dialect: str, catalog: str = TPCDS, scale_factor: float | None = None
) -> Project:
    """Return a project without stores for statements in `paths`, to be analysed.

    Raises:
        ConfigurationError: A path does not exist.
    """
    raw: dict[str, Any] = {
        "workload": {"source": [str(path.resolve()) for path in paths], "dialect": dialect},
        "catalog": {"source": catalog},
    }
    if scale_factor is not None:
        raw["catalog"]["scale_factor"] = scale_factor
    return _project(_File(path=Path.cwd() / "analyze"), raw, stores_needed=False)


def demo_file() -> Path:
    """Return the demo's project file, wherever the advisor is called from.

    Raises:
        ConfigurationError: The repository's ``conf`` folder is not beside the package.
    """
    file = Path(__file__).resolve().parents[1] / "conf" / "demo.toml"
    if not file.is_file():
        raise ConfigurationError(
            f"The demo's project file {file} is missing: the advisor was installed without its "
            "repository. Install it with `pip install --editable` from a clone."
        )
    return file


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """The file being validated: where errors are and what relative paths are relative to."""

    path: Path

    def error(self, where: str, text: str) -> ConfigurationError:
        return ConfigurationError(f"{where} in {self.path.name}: {text}")

    def known(self, kind: str, name: str, known: Iterable[str], where: str) -> None:
        """Raise unless `name` is one of `known`, naming the nearest."""
        names = list(known)
        if name in names:
            return
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        way_out = f"did you mean '{near[0]}'?" if near else "known: " + ", ".join(names)
        raise ConfigurationError(
            f"Unknown {kind} '{name}' in {where} of {self.path.name}: {way_out}"
        )

    def table(self, raw: Mapping[str, Any], section: str) -> dict[str, Any]:
        value = raw.get(section, {})
        if not isinstance(value, dict):
            raise self.error(f"[{section}]", f"this is a section, not the value {value!r}")
        return dict(value)

    def read(self, kind: type[T], raw: Mapping[str, Any], where: str) -> T:
        """Validate one section; its keys are the fields of `kind`."""
        keys = [field.name for field in fields(kind) if field.name != "name"]  # type: ignore[arg-type]
        for key in raw:
            if key != "name" or kind is not StoreSettings:
                self.known("key", key, keys, f"[{where}]")
        try:
            return TypeAdapter(kind).validate_python(dict(raw))
        except ValidationError as error:
            raise self._first(error, where) from None

    def _first(self, error: ValidationError, where: str) -> ConfigurationError:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"][:1])
        reason = first["msg"].removeprefix("Value error, ")
        if first["type"] == "missing":
            return self.error(f"[{where}].{key}", "this key is needed")
        return self.error(f"[{where}].{key} = {_toml(first['input'])}", reason)

    def existing(self, text: str, where: str) -> str:
        """Return `text` as an absolute path that exists."""
        path = (self.path.parent / Path(text).expanduser()).resolve()
        if not path.exists():
            raise self.error(f"{where} = '{text}'", f"there is no such file or folder ({path})")
        return str(path)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"There is no project file {path}: name one, or start from conf/demo.toml."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The project file {path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path.name} is not valid TOML: {error}.") from None


def _project(file: _File, raw: Mapping[str, Any], *, stores_needed: bool = True) -> Project:
    for section in raw:
        file.known("section", section, SECTIONS, "the project file")
    stores = _stores(file, file.table(raw, "stores"), needed=stores_needed)
    return Project(
        file=file.path,
        workload=_workload(file, file.table(raw, "workload")),
        catalog=_catalog(file, file.table(raw, "catalog")),
        stores=stores,
        tables=_constraints(file, file.table(raw, "constraints"), [s.name for s in stores]),
        place=_place(file, file.table(raw, "place")),
        evaluate=file.read(EvaluateSettings, file.table(raw, "evaluate"), "evaluate"),
        tracking=_tracking(file, file.table(raw, "tracking")),
    )


def _workload(file: _File, raw: dict[str, Any]) -> WorkloadSettings:
    settings = file.read(WorkloadSettings, raw, "workload")
    if settings.is_tpcds:
        for name in settings.queries or ():
            number = name.removeprefix("q")
            if not number.isdigit() or not 1 <= int(number) <= LAST_TPCDS_QUERY:
                raise file.error(
                    f"[workload].queries has '{name}'", "TPC-DS has the queries 1 to 99"
                )
        return settings
    if "dialect" not in raw:
        raise file.error(
            "[workload].dialect", "name the SQL of your files, such as 'postgres' or 'mysql'"
        )
    paths = [file.existing(path, "[workload].source") for path in settings.source]
    return file.read(WorkloadSettings, {**raw, "source": paths}, "workload")


def _catalog(file: _File, raw: dict[str, Any]) -> CatalogSettings:
    settings = file.read(CatalogSettings, raw, "catalog")
    if settings.is_tpcds:
        return file.read(CatalogSettings, {"scale_factor": DEFAULT_SCALE_FACTOR, **raw}, "catalog")
    if settings.scale_factor is not None:
        raise file.error("[catalog].scale_factor", "only source = 'tpcds' is scaled; leave it out")
    source = file.existing(settings.source, "[catalog].source")
    return file.read(CatalogSettings, {**raw, "source": source}, "catalog")


def _stores(file: _File, raw: dict[str, Any], *, needed: bool) -> tuple[StoreSettings, ...]:
    if needed and not raw:
        raise file.error("[stores]", "describe at least one, such as [stores.pg] with its kind")
    return tuple(_store(file, name, file.table(raw, name)) for name in raw)


def _store(file: _File, name: str, raw: dict[str, Any]) -> StoreSettings:
    where = f"stores.{name}"
    if "password" in raw:
        raise file.error(
            f"[{where}].password",
            "a password does not belong into a file: put it into an environment variable and "
            "name that in password_env",
        )
    known = ", ".join(STORE_KINDS)
    if "kind" not in raw:
        raise file.error(f"[{where}].kind", f"this key is needed: one of {known}")
    if raw["kind"] not in STORE_KINDS:
        raise file.error(f"[{where}].kind = {raw['kind']!r}", f"no such kind of store: {known}")
    kind = STORE_KINDS[raw["kind"]]
    address, unused = ("path", "host") if kind.is_file else ("host", "path")
    if unused in raw:
        raise file.error(f"[{where}].{unused}", f"kind '{raw['kind']}' takes {address} instead")
    if "database" in raw and kind.database is None and not kind.is_file:
        raise file.error(
            f"[{where}].database",
            f"a database of kind '{raw['kind']}' holds tables as a schema does: name the one for "
            "the advisor's tables in namespace",
        )
    raw = {"embedded": kind.is_file and address not in raw, **raw, "name": name}
    settings = file.read(StoreSettings, raw, where)
    if settings.embedded == (address in raw):
        raise file.error(f"[{where}]", f"give either embedded = true or {address}, and one only")
    return _addressed(file, settings, raw, where)


def _addressed(
    file: _File, settings: StoreSettings, raw: dict[str, Any], where: str
) -> StoreSettings:
    if settings.embedded or settings.path is not None:
        for key in ("host", "port", "database", "user", "password_env"):
            if key in raw:
                raise file.error(f"[{where}].{key}", "only a store with a host has this key")
        if settings.path is None:
            return settings
        path = (file.path.parent / settings.path.expanduser()).resolve()
        return file.read(StoreSettings, {**raw, "path": path}, where)
    if settings.user is None:
        raise file.error(f"[{where}].user", "this key is needed beside host")
    kind = STORE_KINDS[settings.kind]
    return file.read(StoreSettings, {"port": kind.port, "database": kind.database, **raw}, where)


def _constraints(file: _File, raw: dict[str, Any], stores: list[str]) -> ConstraintSettings:
    settings = file.read(ConstraintSettings, raw, "constraints")
    for key, named in (("pin", settings.pin), ("exclude", settings.exclude)):
        for table, names in named.items():
            for store in sorted(names):
                file.known("store", store, stores, f"[constraints].{key}.{table}")
    for table in settings.pin:
        both = settings.pin[table] & settings.exclude.get(table, frozenset())
        if both:
            raise file.error(
                f"[constraints] of table '{table}'",
                f"store '{min(both)}' is both in pin and in exclude: take it out of one",
            )
    return settings


def _place(file: _File, raw: dict[str, Any]) -> PlaceSettings:
    from placement.strategies import STRATEGIES

    settings = file.read(PlaceSettings, raw, "place")
    for strategy in settings.strategies:
        file.known("strategy", strategy, STRATEGIES, "[place].strategies")
    return settings


def _tracking(file: _File, raw: dict[str, Any]) -> TrackingSettings:
    settings = file.read(TrackingSettings, raw, "tracking")
    if settings.uri is not None and urlsplit(settings.uri).password:
        raise file.error(
            "[tracking].uri",
            "a password does not belong into a file: set MLFLOW_TRACKING_PASSWORD instead",
        )
    return settings
