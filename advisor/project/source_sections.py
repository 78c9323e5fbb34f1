"""The sections ``[workload]`` and ``[catalog]`` of a project file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from advisor.project.project_file import ProjectFile
from advisor.project.source_settings import (
    DEFAULT_SCALE_FACTOR,
    STORE_PREFIX,
    CatalogSettings,
    WorkloadSettings,
)
from advisor.project.store_settings import StoreSettings
from workloads.problems import Problems
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sources.buckets import BUCKET_PREFIX

Stores = Mapping[str, StoreSettings]

BENCHMARK_DIALECT = "duckdb"


def read_workload(file: ProjectFile, raw: dict[str, Any], stores: Stores) -> WorkloadSettings:
    """Return the section, its paths absolute and existing, a benchmark's queries as ``q9``."""
    settings = file.read(WorkloadSettings, raw, "workload")
    with file.problems.gathering():
        _refuse_empty_range(file, settings)
    raw = _with_path(file, raw, "workload", "frequencies", settings.frequencies)
    with file.problems.gathering():
        _refuse_unused_schema(file, settings, "[workload].schema")
    if settings.queries == ():
        raise file.error("[workload].queries", "the list is empty: name a query, or 'all'")
    if settings.benchmark is not None:
        with file.problems.gathering():
            _refuse_of_a_benchmark(file, settings)
        raw = {**raw, "queries": _benchmark_queries(file, settings)}
    else:
        sources = _existing(file, settings, stores, "[workload].source")
        with file.problems.gathering():
            paths = _search_paths(file, settings, sources)
            raw = {**raw, "search_paths": paths}
        raw = {**raw, "source": sources}
    return file.read(WorkloadSettings, raw, "workload")


def _refuse_of_a_benchmark(file: ProjectFile, settings: WorkloadSettings) -> None:
    """Raise where a benchmark's queries are given what only users' statements have."""
    if settings.dialect not in (None, BENCHMARK_DIALECT):
        title = BENCHMARKS[str(settings.benchmark)].title
        raise file.error(
            f"[workload].dialect = '{settings.dialect}'",
            f"the queries of {title} are in the SQL of '{BENCHMARK_DIALECT}': leave it out",
        )
    if settings.filters is not None:
        first = next(iter(settings.filters.written()))
        raise file.error(
            f"[workload].{first.partition(' ')[0]}",
            "the queries of a benchmark were run by nobody; leave it out",
        )


def read_catalog(file: ProjectFile, raw: dict[str, Any], stores: Stores) -> CatalogSettings:
    """Return the section, its paths absolute and existing, a benchmark with its scale factor."""
    settings = file.read(CatalogSettings, raw, "catalog")
    raw = _with_path(file, raw, "catalog", "rows", settings.rows)
    with file.problems.gathering():
        _refuse_unused_schema(file, settings, "[catalog].schema")
    if settings.benchmark is not None:
        raw = {"scale_factor": DEFAULT_SCALE_FACTOR, **raw}
    else:
        raw = {**raw, "source": _existing(file, settings, stores, "[catalog].source")}
    read = file.read(CatalogSettings, raw, "catalog")
    if settings.scale_factor is not None and read.benchmark is None:
        generated = " or ".join(f"'{name}'" for name in BENCHMARKS)
        file.problems.add(
            file.error("[catalog].scale_factor", f"only {generated} is scaled; leave it out")
        )
    for key, value in (("rows", read.rows), ("dialect", read.dialect)):
        if value is not None and (not read.paths or read.is_parquet):
            file.problems.add(
                file.error(f"[catalog].{key}", "only files of DDL have this key; leave it out")
            )
    return read


def query_name(file: ProjectFile, settings: WorkloadSettings, name: str, where: str) -> str:
    """Return what the workload calls a query: ``q9`` for a benchmark's 9, ``9`` and ``q9``.

    Raises:
        ConfigurationError: The benchmark has no such query.
    """
    if settings.benchmark is None:
        return name
    benchmark = BENCHMARKS[settings.benchmark]
    number = re.fullmatch(r"[qQ]?(\d+)", name)
    if number is None or not 1 <= int(number[1]) <= benchmark.last_query:
        raise file.error(
            f"{where} has '{name}'",
            f"{benchmark.title} has the queries 1 to {benchmark.last_query}",
        )
    return f"q{int(number[1])}"


def _search_paths(
    file: ProjectFile, settings: WorkloadSettings, sources: Sequence[str]
) -> Mapping[str, Sequence[str]]:
    """Return the search paths of single sources, by the sources as they are absolute."""
    absolute = dict(zip(settings.source, sources, strict=True))
    for each in settings.search_paths:
        file.known("source", each, absolute, "[workload].search_paths")
    return {absolute[each]: path for each, path in settings.search_paths.items()}


def _benchmark_queries(file: ProjectFile, settings: WorkloadSettings) -> list[str] | str:
    if settings.queries is None:
        return "all"
    return [query_name(file, settings, name, "[workload].queries") for name in settings.queries]


def _with_path(
    file: ProjectFile, raw: Mapping[str, Any], section: str, key: str, path: Path | None
) -> dict[str, Any]:
    """Return a section whose `key` is an absolute path, or without it where nothing is there."""
    others = {name: value for name, value in raw.items() if name != key}
    if path is not None:
        with file.problems.gathering():
            return {**others, key: file.existing(path, f"[{section}].{key}")}
    return others


def _refuse_empty_range(file: ProjectFile, settings: WorkloadSettings) -> None:
    """Raise where no execution can pass two filters."""
    since, until = settings.since, settings.until
    if since is not None and until is not None:
        if (since.tzinfo is None) is not (until.tzinfo is None):
            raise file.error(
                f"[workload].until = {until}", "since and until both have an offset, or none"
            )
        if until <= since:
            raise file.error(f"[workload].until = {until}", f"it is not later than since = {since}")
    shortest, longest = settings.shortest_s, settings.longest_s
    if shortest is not None and longest is not None and longest < shortest:
        raise file.error(
            f"[workload].longest_s = {longest:g}", f"it is below shortest_s = {shortest:g}"
        )


def _refuse_unused_schema(
    file: ProjectFile, settings: WorkloadSettings | CatalogSettings, where: str
) -> None:
    if settings.schema is not None and not settings.stores:
        raise file.error(where, "only a live store has schemas; leave it out")


def _existing(
    file: ProjectFile,
    settings: WorkloadSettings | CatalogSettings,
    stores: Stores,
    where: str,
) -> list[str]:
    """Return the sources, paths absolute; all paths exist, and all stores can be read."""
    problems = Problems()
    for name in settings.source:
        if name in BENCHMARKS and len(settings.source) > 1:
            problems.add(
                file.error(
                    f"{where} = '{name}'", "a benchmark is a source of its own: name it alone"
                )
            )
    for name in settings.stores:
        with problems.gathering():
            _refuse_unreadable_store(file, name, stores, where)
    # A statement's text is never in a bucket.
    others = (
        (STORE_PREFIX, BUCKET_PREFIX) if isinstance(settings, CatalogSettings) else STORE_PREFIX
    )
    found = []
    for each in settings.source:
        if each.startswith(others):
            found.append(each)
        elif each not in BENCHMARKS:
            with problems.gathering():
                found.append(file.existing(each, where, BENCHMARKS))
    problems.raise_any()
    return found


def _refuse_unreadable_store(file: ProjectFile, name: str, stores: Stores, where: str) -> None:
    """Raise unless `name` is a store of the project that is not ours."""
    if not stores:
        raise file.error(
            f"{where} = '{STORE_PREFIX}{name}'",
            "only a project file has stores: analyse one that names it as source",
        )
    file.known("store", name, stores, where)
    if stores[name].embedded:
        raise file.error(
            f"{where} = '{STORE_PREFIX}{name}'",
            "this store is embedded, so that it holds nothing but our copies: name one with a host",
        )
