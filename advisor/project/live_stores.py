"""Stores whose own tables are copies that exist: ``tables = "live"`` in ``[stores.NAME]``."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from advisor.project.project_file import ProjectFile
from advisor.project.source_settings import STORE_PREFIX
from advisor.project.store_settings import StoreSettings
from evaluation.kinds import KINDS
from workloads.sources.benchmarks import BENCHMARKS

LIVE = "live"
_KEYS = ("schemas", "movable", "read_only", "snapshot")


def refuse_unused_keys(
    file: ProjectFile, settings: StoreSettings, raw: Mapping[str, Any], where: str
) -> None:
    """Refuse keys of live stores in others, and live stores that cannot be.

    Raises:
        ConfigurationError: One is there.
    """
    if not settings.is_live:
        for key in _KEYS:
            if key in raw:
                raise file.error(f"[{where}].{key}", 'only a store with tables = "live" has it')
        return
    able = [name for name, kind in KINDS.items() if kind.own is not None]
    if settings.kind not in able:
        raise file.error(
            f"[{where}].tables", f"only stores of kind {' or '.join(able)} can have live tables"
        )
    if settings.embedded:
        raise file.error(f"[{where}].tables", "an embedded store holds nothing but our copies")
    if settings.read_only is False:
        raise file.error(
            f"[{where}].read_only",
            "a store with live tables is only read: describe the same server again, as a store of "
            "another name, for copies beside them",
        )


def with_live_sources(raw: dict[str, Any], stores: Iterable[StoreSettings]) -> dict[str, Any]:
    """Return the section ``[catalog]`` with the live stores among its sources."""
    live = [f"{STORE_PREFIX}{store.name}" for store in stores if store.is_live]
    named = raw.get("source", [])
    given = [named] if isinstance(named, str) else named
    if not live or not isinstance(given, list) or set(given) & BENCHMARKS.keys():
        return raw
    return {**raw, "source": [*given, *(each for each in live if each not in given)]}


def refuse_shared_files(file: ProjectFile, stores: Iterable[StoreSettings]) -> None:
    """Refuse a file with live tables that is another store too.

    Raises:
        ConfigurationError: One is: while its tables are read, nothing can be written to it.
    """
    by_path: dict[Path, list[StoreSettings]] = {}
    for store in stores:
        if store.path is not None:
            by_path.setdefault(store.path.resolve(), []).append(store)
    for path, same in by_path.items():
        live = [each.name for each in same if each.is_live]
        others = [each.name for each in same if each.name not in live[:1]]
        if live and others:
            raise file.error(
                f"[stores.{others[0]}].path",
                f"{path} is the file of [stores.{live[0]}], whose live tables are read there: name "
                "another file",
            )


def refuse_copies_of_benchmarks(
    file: ProjectFile, benchmark: str | None, stores: Iterable[StoreSettings]
) -> None:
    """Refuse live stores where nothing reads their tables.

    Raises:
        ConfigurationError: The catalog is a benchmark's.
    """
    live = [store.name for store in stores if store.is_live]
    if live and benchmark is not None:
        raise file.error(
            f"[stores.{live[0]}].tables",
            f"the catalog is that of {benchmark}, which has no live tables: leave [catalog] out",
        )
