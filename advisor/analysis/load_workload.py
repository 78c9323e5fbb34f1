"""From what a project file names to a workload."""

from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from advisor.analysis.live_source import live_source
from advisor.project.project import Project
from advisor.project.source_settings import STORE_PREFIX, CatalogSettings
from evaluation.store_protocol.connection import NAMESPACE
from workloads.catalog import Catalog
from workloads.counting.counting import Counting
from workloads.errors import ConfigurationError
from workloads.problems import Problems
from workloads.progress import Progress
from workloads.search_path import Searching, SearchPath
from workloads.sources import parquet
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sources.joined import joined_workloads, refuse_nothing_left
from workloads.sources.logs import recorded
from workloads.sources.logs.frequencies import frequencies_of
from workloads.workload import Query, Workload


def read_workload(
    project: Project,
    progress: Progress,
    *,
    spark: bool = False,
    catalog: Catalog | None = None,
) -> Workload:
    """Return the statements that the project names, of those the chosen ones.

    With `spark` logs are folded into templates by a Spark job. A `catalog` that is known tells the
    schemas that search paths may name, and what its servers keep for sessions.

    Raises:
        ConfigurationError: A file holds no statement, a chosen query is not there, or there is
            no log to fold with Spark.
        StoreError: A live store does not answer.
        RefusalsError: Several sources cannot be read.
    """
    settings = project.workload
    if spark and not settings.paths:
        raise ConfigurationError("--spark folds logs, which are files and folders: leave it out.")
    if settings.benchmark is not None:
        benchmark = BENCHMARKS[settings.benchmark]
        names = settings.queries
        workload = benchmark.queries(
            "all" if names is None else (int(name.removeprefix("q")) for name in names)
        )
        return _weighted(workload, settings.frequencies)
    schemas = _known_schemas(project.catalog, catalog)
    searching = Searching(
        by_source={Path(each): path for each, path in settings.search_paths.items()},
        is_given=bool(settings.search_path),
        schemas=schemas,
        recorded={} if catalog is None else catalog.search_paths,
    )
    problems, found = Problems(), []
    if settings.paths:
        with problems.gathering():
            found.append(_recorded(project, searching, progress, spark=spark))
    for name in settings.stores:
        with problems.gathering():
            store = project.store(name)
            live = live_source(store.kind)
            connection = store.connection()
            remembered = live.workload(
                connection, schema=settings.schema, counting=_counting(project)
            )
            path = settings.searched_by(f"{STORE_PREFIX}{name}")
            found.append(_searched(remembered, path, schemas))
    problems.raise_any()
    joined = joined_workloads(found)
    refuse_nothing_left(joined, settings.filters)
    if settings.stores:
        # The file names queries of all sources; files alone are weighted as they are read.
        joined = _weighted(joined, settings.frequencies)
    return _chosen(joined, settings.queries)


def _known_schemas(settings: CatalogSettings, catalog: Catalog | None) -> frozenset[str] | None:
    """Return the schemas of a catalog in small letters; None where it would have to be read."""
    if catalog is not None:
        return frozenset(each.schema.lower() for each in catalog.relations)
    if settings.is_parquet and not settings.buckets and not settings.stores:
        return parquet.schemas(settings.paths[0])
    return None


def _recorded(
    project: Project, searching: Searching, progress: Progress, *, spark: bool
) -> Workload:
    settings = project.workload
    frequencies = None if settings.stores else settings.frequencies
    if spark:
        from evaluation.fold import fold

        return fold(
            settings.paths,
            settings.dialect,
            frequencies=frequencies,
            counting=_counting(project),
            searching=searching,
            master=project.evaluate.master,
            driver_memory=project.evaluate.driver_memory,
            progress=progress,
        )
    return recorded.workload(
        settings.paths,
        settings.dialect,
        frequencies=frequencies,
        counting=_counting(project),
        searching=searching,
        progress=progress,
    )


def _searched(
    workload: Workload, path: tuple[str, ...], schemas: frozenset[str] | None
) -> Workload:
    """Return a store's statements, with what the project says of its search path, if anything.

    What the store itself says of its sessions stands where the project says nothing.
    """

    def searched(query: Query) -> Query:
        if query.path is not None and query.path.unknown:
            return query
        found = SearchPath(path) if path else query.path
        return replace(query, path=None if found is None else found.within(schemas))

    return replace(workload, queries=tuple(map(searched, workload.queries)))


def _counting(project: Project) -> Counting:
    """Return what counts: the filters' part, and never what was run on the advisor's copies."""
    namespaces = {NAMESPACE, *(store.namespace for store in project.stores)}
    return Counting(filters=project.workload.filters, namespaces=tuple(sorted(namespaces)))


def _weighted(workload: Workload, frequencies: Path | None) -> Workload:
    if frequencies is None:
        return workload
    return replace(workload, queries=frequencies_of(frequencies, workload.queries))


def _chosen(workload: Workload, names: tuple[str, ...] | None) -> Workload:
    if names is None:
        return workload
    known = [query.name for query in workload.queries]
    problems = Problems()
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.4)
            hint = f": did you mean '{near[0]}'?" if near else ""
            problems.add(
                ConfigurationError(
                    f"No query of '{workload.name}' is called '{name}', one of the queries chosen; "
                    f"it has {len(known)}{hint}"
                )
            )
    problems.raise_any()
    return replace(workload, queries=tuple(q for q in workload.queries if q.name in names))
