"""The section ``[place]`` of a project file."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from advisor.plan_files import named_plan
from advisor.project import DEFAULT_STRATEGIES, TPCDS_STRATEGIES, PlaceSettings
from advisor.project_file import ProjectFile
from advisor.source_settings import CatalogSettings
from workloads.errors import ConfigurationError


def read_place(
    file: ProjectFile, raw: dict[str, Any], catalog: CatalogSettings, stores: Collection[str]
) -> PlaceSettings:
    """Return the section, with the placement that there is read from its plan, if it is one."""
    from placement.strategies import STRATEGIES

    if catalog.benchmark == "tpcds":
        raw = {"strategies": (*DEFAULT_STRATEGIES[:-1], *TPCDS_STRATEGIES, "optimal"), **raw}
    if "current" in raw:
        raw = {**raw, "current": _current(file, raw["current"])}
    settings = file.read(PlaceSettings, raw, "place")
    for strategy in settings.strategies:
        file.known("strategy", strategy, STRATEGIES, "[place].strategies")
    for table, held in settings.current.items():
        for store in held:
            file.known("store", store, stores, f"[place].current.{table}")
    if "horizon" in raw and not settings.current:
        raise file.error(
            "[place].horizon",
            "only moves have to pay back: name the placement that there is as [place].current",
        )
    return settings


def _current(file: ProjectFile, value: object) -> Mapping[str, Any]:
    """Return table → stores, of a plan's file or as the section says it."""
    where = f"[place].current = {value!r}"
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str):
        raise file.error(
            where, "write the file of a plan, or tables with their stores: { orders = ['pg'] }"
        )
    path = Path(file.existing(value, "[place].current"))
    try:
        return named_plan(path).placement
    except ConfigurationError as error:
        raise file.error(where, str(error)) from None
