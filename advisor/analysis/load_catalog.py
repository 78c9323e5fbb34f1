"""From what a project file names to a catalog."""

import os
from collections.abc import Collection
from dataclasses import dataclass

from advisor.analysis.live_source import live_source
from advisor.project.bucket_settings import bucket_access
from advisor.project.project import Project
from advisor.project.source_settings import CatalogSettings
from advisor.project.store_settings import StoreSettings
from evaluation.store_protocol.connection import NAMESPACE
from workloads.cache import cache_folder
from workloads.catalog import Catalog
from workloads.errors import CatalogError
from workloads.problems import Problems
from workloads.progress import Progress
from workloads.sources import parquet
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sources.buckets import fetched
from workloads.sources.ddl import catalog as ddl
from workloads.sources.joined import joined_catalogs
from workloads.workload import Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCatalog:
    """A catalog, the tables whose rows were assumed, and statements of DDL not understood."""

    catalog: Catalog
    assumed_rows: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()


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


def _of_store(
    project: Project, store: StoreSettings, schema: str | None, progress: Progress
) -> Catalog:
    """Return the tables of a store; of one that is live with how each is read where it is."""
    from evaluation.kinds import KINDS

    connection = store.connection()
    schemas = store.schemas or ((schema,) if schema is not None else ())
    # Copies may be on the same server, which another store of the project stands for.
    ours = sorted({NAMESPACE, *(each.namespace for each in project.stores)})
    catalog = live_source(store.kind).catalog(connection, progress, schemas=schemas, ours=ours)
    own = KINDS[store.kind].own
    if own is None or not store.is_live:
        return catalog
    return own.as_read(connection, catalog, progress)


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
