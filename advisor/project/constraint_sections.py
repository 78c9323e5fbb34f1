"""The sections ``[constraints]`` and ``[constraints.tags]`` of a project file."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from advisor.project.constraint_settings import ConstraintSettings
from advisor.project.project_file import ProjectFile
from advisor.project.source_sections import query_name
from advisor.project.source_settings import WorkloadSettings
from advisor.project.store_settings import StoreSettings

_PAIR = 2


def read_constraints(
    file: ProjectFile,
    raw: dict[str, Any],
    stores: Mapping[str, StoreSettings],
    workload: WorkloadSettings,
) -> ConstraintSettings:
    """Return the section, its stores known and no two keys of it contradicting each other.

    Queries are named as the workload names them. Tables are checked once there is a catalog.
    """
    settings = file.read(ConstraintSettings, raw, "constraints")
    with file.problems.gathering():
        settings = replace(settings, latency_s=_ceilings(file, settings, workload))
    for key in ("pin", "exclude", "only"):
        for name, named in getattr(settings, key).items():
            for store in named:
                with file.problems.gathering():
                    file.known("store", store, stores, f"[constraints].{key}.{name}")
    for key in ("together", "apart"):
        for names in getattr(settings, key):
            with file.problems.gathering():
                _refuse_lone(file, settings, key, names)
    _refuse_contradictions(file, settings, list(stores))
    with file.problems.gathering():
        _refuse_priceless(file, settings, stores)
    return settings


def refuse_moves_from_nowhere(file: ProjectFile, settings: ConstraintSettings) -> None:
    """Note where moves are limited, as nothing says what is there now."""
    for key in ("max_moves", "max_move_bytes"):
        if getattr(settings, key) is not None:
            file.problems.add(
                file.error(
                    f"[constraints].{key}",
                    "moves are counted from the placement that there is: name it as "
                    "[place].current",
                )
            )


def refuse_unchosen_indexes(file: ProjectFile, settings: ConstraintSettings) -> None:
    """Note a budget for indexes where none are chosen."""
    if settings.max_index_bytes is not None:
        file.problems.add(
            file.error(
                "[constraints].max_index_bytes",
                'only indexes that are chosen count: ask for them with [place].indexes = "advise"',
            )
        )


def _ceilings(
    file: ProjectFile, settings: ConstraintSettings, workload: WorkloadSettings
) -> Mapping[str, float]:
    """Return query → seconds by the workload's names: a benchmark's queries may be numbers."""
    where = "[constraints].latency_s"
    ceilings: dict[str, float] = {}
    for name, ceiling_s in settings.latency_s.items():
        query = query_name(file, workload, name, where)
        if workload.benchmark and query not in (workload.queries or (query,)):
            raise file.error(
                f"{where}.{name}", "[workload].queries leaves it out: add it there, or drop it here"
            )
        if query in ceilings:
            raise file.error(where, f"query '{query}' has two ceilings: leave one out")
        ceilings[query] = ceiling_s
    return ceilings


def _refuse_lone(
    file: ProjectFile, settings: ConstraintSettings, key: str, names: Collection[str]
) -> None:
    tables = [table for name in names for table in settings.tables(name)]
    where = f"[constraints].{key} has [{', '.join(map(repr, names))}]"
    if len(set(tables)) < _PAIR:
        raise file.error(where, "this is one table: name two or more, or a tag of two or more")
    twice = sorted({table for table in tables if tables.count(table) > 1})
    if key == "apart" and twice:
        raise file.error(where, f"table '{twice[0]}' cannot be apart from itself: name it once")


def _refuse_contradictions(
    file: ProjectFile, settings: ConstraintSettings, stores: Collection[str]
) -> None:
    """Note each table that is pinned to a store that it must not be in, or has no store left."""
    pinned = _by_table(settings, settings.pin)
    excluded = _by_table(settings, settings.exclude)
    limited = _limited(settings)
    for table in sorted({*pinned, *excluded, *limited}):
        text = _contradiction(
            pinned.get(table, set()) & set(stores),
            excluded.get(table, set()),
            limited.get(table, set(stores)),
        )
        if text is not None:
            file.problems.add(file.error(f"[constraints] of table '{table}'", text))


def _contradiction(pinned: set[str], excluded: set[str], allowed: set[str]) -> str | None:
    """Say how the stores of a table contradict one another; None where they do not."""
    if both := pinned & excluded:
        return f"store '{min(both)}' is both in pin and in exclude: take it out of one"
    if outside := pinned - allowed:
        return (
            f"it is pinned to store '{min(outside)}' and may only be in "
            f"{', '.join(sorted(allowed)) or 'none'}: add '{min(outside)}' to only, or take "
            "it out of pin"
        )
    if not allowed - excluded:
        return "only and exclude leave it no store: add one to only, or take one out of exclude"
    return None


def _by_table(
    settings: ConstraintSettings, named: Mapping[str, Collection[str]]
) -> Mapping[str, set[str]]:
    """Return table → the stores that it, or a tag of it, is named with."""
    found: dict[str, set[str]] = {}
    for name, stores in named.items():
        for table in settings.tables(name):
            found.setdefault(table, set()).update(stores)
    return found


def _limited(settings: ConstraintSettings) -> Mapping[str, set[str]]:
    """Return table → the stores that all of `only` leave it."""
    found: dict[str, set[str]] = {}
    for name, stores in settings.only.items():
        for table in settings.tables(name):
            found[table] = found.get(table, set(stores)) & set(stores)
    return found


def _refuse_priceless(
    file: ProjectFile, settings: ConstraintSettings, stores: Mapping[str, StoreSettings]
) -> None:
    priced = any(
        store.prices.storage_gb_month or store.prices.transfer_gb for store in stores.values()
    )
    if settings.max_money is not None and not priced:
        raise file.error(
            "[constraints].max_money",
            f"no store has a price, so that nothing costs money: give prices, such as "
            f"[stores.{next(iter(stores))}.prices] with storage_gb_month = 0.1",
        )
