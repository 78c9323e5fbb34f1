"""From what a project file names to a workload and a catalog."""

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from advisor.project.bucket_settings import bucket_access
from advisor.project.project import Project
from advisor.project.source_settings import STORE_PREFIX, CatalogSettings
from advisor.project.store_settings import StoreSettings
from evaluation.live.live import Live
from evaluation.store_protocol.connection import NAMESPACE
from workloads.cache import cache_folder
from workloads.catalog import Catalog
from workloads.counting.counting import Counting
from workloads.errors import CatalogError, ConfigurationError
from workloads.problems import Problems
from workloads.progress import Progress
from workloads.search_path import Searching, SearchPath
from workloads.sources import parquet
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sources.buckets import fetched
from workloads.sources.ddl import catalog as ddl
from workloads.sources.joined import joined_catalogs, joined_workloads, refuse_nothing_left
from workloads.sources.logs import recorded
from workloads.sources.logs.frequencies import frequencies_of
from workloads.workload import Query, Skipped, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCatalog:
    """A catalog, the tables whose rows were assumed, and statements of DDL not understood."""

    catalog: Catalog
    assumed_rows: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()


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
            live = _live(store.kind)
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


def read_catalog(project: Project, progress: Progress) -> FoundCatalog:
    """Return the tables that the project names, with the columns that one of its stores can hold.

    Raises:
        CatalogError: There are none, or they cannot be read.
        StoreError: A live store does not answer.
        RefusalsError: Several sources cannot be read.
    """
    settings = project.catalog
    if settings.benchmark is not None:
        benchmark = BENCHMARKS[settings.benchmark]
        scale = settings.scale_factor or 1.0
        return FoundCatalog(catalog=benchmark.generate(scale, cache_folder(), progress))
    found = _found(project, progress)
    joined = joined_catalogs([each.catalog for each in found])
    assumed = {
        (table.schema, table.own_name)
        for each in found
        for table in map(each.catalog.table, each.assumed_rows)
    }
    return FoundCatalog(
        catalog=joined,
        assumed_rows=tuple(
            name
            for name, table in joined.tables.items()
            if (table.schema, table.own_name) in assumed
        ),
        skipped=tuple(skipped for each in found for skipped in each.skipped),
    )


def _of_store(
    project: Project, store: StoreSettings, schema: str | None, progress: Progress
) -> Catalog:
    """Return the tables of a store; of one that is live with how each is read where it is."""
    from evaluation.kinds import KINDS

    connection = store.connection()
    schemas = store.schemas or ((schema,) if schema is not None else ())
    # Copies may be on the same server, which another store of the project stands for.
    ours = sorted({NAMESPACE, *(each.namespace for each in project.stores)})
    catalog = _live(store.kind).catalog(connection, progress, schemas=schemas, ours=ours)
    own = KINDS[store.kind].own
    if own is None or not store.is_live:
        return catalog
    return own.as_read(connection, catalog, progress)


def _found(project: Project, progress: Progress) -> list[FoundCatalog]:
    """Return the catalog of each source; all that cannot be read are told together."""
    settings = project.catalog
    problems, found = Problems(), list[FoundCatalog]()
    if settings.paths:
        with problems.gathering():
            found.append(_of_files(settings, progress))
    for url in settings.buckets:
        with problems.gathering():
            found.append(_of_bucket(url, progress))
    for name in settings.stores:
        with problems.gathering():
            catalog = _of_store(project, project.store(name), settings.schema, progress)
            found.append(FoundCatalog(catalog=catalog, assumed_rows=catalog.assumed_rows))
    problems.raise_any()
    return found


def reads_quickly(settings: CatalogSettings) -> bool:
    """Tell whether a catalog is read without generating, fetching or measuring any data."""
    return settings.benchmark is None and not settings.buckets and not settings.is_parquet


def quick_names(settings: CatalogSettings) -> Collection[str] | None:
    """Return the tables of a catalog whose data take long to be read; None if that needs them.

    Raises:
        CatalogError: A folder's files are no tables.
    """
    if settings.benchmark is not None:
        return BENCHMARKS[settings.benchmark].rows
    if settings.is_parquet and not settings.buckets and not settings.stores:
        return parquet.names(settings.paths[0])
    return None


def refuse_without_data(catalog: Catalog) -> None:
    """Raise CatalogError where a table has no data, so that no store can be loaded with it.

    Live tables stay where they are unless they were read.
    """
    without = [name for name, table in catalog.tables.items() if not table.is_judged]
    if without:
        raise CatalogError(
            f"Table '{without[0]}' has no data to load"
            f"{f', nor have {len(without) - 1} others' if len(without) > 1 else ''}: the catalog"
            f" '{catalog.name}' knows its shape alone. 'analyze' and 'place' need no data;"
            " to load and run, name a folder of Parquet as [catalog].source."
        )


def _of_files(settings: CatalogSettings, progress: Progress) -> FoundCatalog:
    """Return the tables of a folder of Parquet, or of files of DDL."""
    if settings.is_parquet:
        folder = settings.paths[0]
        return FoundCatalog(
            catalog=parquet.catalog(folder, cache=cache_folder(), progress=progress)
        )
    defined = ddl.definitions(
        settings.paths, progress, dialect=settings.dialect, rows=settings.rows
    )
    return FoundCatalog(
        catalog=defined.catalog, assumed_rows=defined.assumed_rows, skipped=defined.skipped
    )


def _of_bucket(url: str, progress: Progress) -> FoundCatalog:
    folder = fetched(url, bucket_access(os.environ), progress)
    return FoundCatalog(catalog=parquet.catalog(folder, cache=cache_folder(), progress=progress))


def _live(kind: str) -> Live:
    from evaluation.kinds import LIVE

    if kind not in LIVE:
        raise ConfigurationError(
            f"A store of kind '{kind}' keeps no types and no statistics of statements: name one of "
            f"{', '.join(LIVE)} as source, or files."
        )
    return LIVE[kind]


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
