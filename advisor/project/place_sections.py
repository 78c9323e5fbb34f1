"""The section ``[place]`` of a project file."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from advisor.project.live_stores import LIVE
from advisor.project.plan_files import named_plan
from advisor.project.project import DEFAULT_STRATEGIES, TPCDS_STRATEGIES, PlaceSettings
from advisor.project.project_file import ProjectFile
from advisor.project.source_settings import CatalogSettings
from advisor.project.store_settings import StoreSettings
from workloads.errors import ConfigurationError
from workloads.indexes import NamedIndex


def read_place(
    file: ProjectFile,
    raw: dict[str, Any],
    catalog: CatalogSettings,
    stores: Mapping[str, StoreSettings],
) -> PlaceSettings:
    """Return the section, with the placement that there is read from its plan, if it is one.

    The default strategies have the paper's placements where these can be made: of TPC-DS, and
    with a store of each kind that they need (`unmade`).
    """
    from placement.strategies import STRATEGIES

    if catalog.benchmark == "tpcds" and not unmade(raw, catalog, stores.values()):
        raw = {"strategies": (*DEFAULT_STRATEGIES[:-1], *TPCDS_STRATEGIES, "optimal"), **raw}
    is_known = True
    if "current" in raw:
        with file.problems.gathering():
            raw = {**raw, "current": _current(file, raw["current"], stores.values())}
        is_known = isinstance(raw["current"], Mapping)
        if not is_known:
            raw = {key: value for key, value in raw.items() if key != "current"}
    settings = file.read(PlaceSettings, raw, "place")
    for strategy in settings.strategies:
        with file.problems.gathering():
            file.known("strategy", strategy, STRATEGIES, "[place].strategies", every=True)
    for table, held in settings.current.items():
        for store in held:
            with file.problems.gathering():
                file.known("store", store, stores, f"[place].current.{table}")
    is_live = any(store.is_live for store in stores.values())
    if "horizon" in raw and is_known and not settings.current and not is_live:
        raise file.error(
            "[place].horizon",
            "only moves have to pay back: name the placement that there is as [place].current",
        )
    return settings


def unmade(
    raw: Mapping[str, Any], catalog: CatalogSettings, stores: Iterable[StoreSettings]
) -> Mapping[str, str]:
    """Return default strategy → the kind of store for want of which it is left out.

    Nothing is left out of strategies that `raw`, the section, names itself.
    """
    from placement.strategies.paper_partition import missing_kind

    kinds = {store.kind for store in stores}
    missing = missing_kind(kinds)
    # Without any store nothing is placed, and nothing is left out.
    if catalog.benchmark != "tpcds" or "strategies" in raw or not kinds or missing is None:
        return {}
    return dict.fromkeys(TPCDS_STRATEGIES, missing)


def current_indexes(
    file: ProjectFile, raw: Mapping[str, Any]
) -> Mapping[str, tuple[NamedIndex, ...]]:
    """Return store → the chosen indexes of the copies that there are, where a plan tells them.

    What is wrong with its file was told with the section.
    """
    value = raw.get("current")
    if not isinstance(value, str) or value == LIVE:
        return {}
    with suppress(ConfigurationError):
        return named_plan(Path(file.existing(value, "[place].current"))).indexes
    return {}


def _current(
    file: ProjectFile, value: object, stores: Iterable[StoreSettings]
) -> Mapping[str, Any]:
    """Return table → stores, of a plan's file or as the section says it.

    Nothing is said beside what live stores have by themselves where that is all.
    """
    where = f"[place].current = {value!r}"
    if isinstance(value, Mapping):
        return value
    if value == LIVE:
        if not any(store.is_live for store in stores):
            raise file.error(where, 'no store has its tables there: give one tables = "live"')
        return {}
    if not isinstance(value, str):
        raise file.error(
            where, "write the file of a plan, or tables with their stores: { orders = ['pg'] }"
        )
    path = Path(file.existing(value, "[place].current"))
    try:
        return named_plan(path).placement
    except ConfigurationError as error:
        raise file.error(where, str(error)) from None
