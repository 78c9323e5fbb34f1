"""Every statement of a workload: understood, or left out for a reason."""

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from workloads.catalog import Catalog
from workloads.errors import NotSentError, SqlError
from workloads.footprint import Footprint
from workloads.pass_through import PassThrough
from workloads.progress import Progress
from workloads.sql.left_out import left_out
from workloads.sql.passing_through import passed_through
from workloads.sql.resolving.schemas import with_unique_views
from workloads.sql.statement_reader import Reader
from workloads.sql.temporary_tables import without_ambiguous
from workloads.sql.translate import meant
from workloads.workload import Query, Skipped, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A workload that has been read.

    `workload` holds what reads, and the reading part of what writes; `footprints` has one for
    each of its queries, in their order. `writes` are statements that write and read nothing: they
    have no blocks. `passed_through` are those that only their own server can run, which are in
    neither. `catalog` also holds the views that the workload itself defines. `skipped` are
    the statements that were left out, those that the workload's source left out among them.
    `statements` and `executions` are those that were read: a text may have several.
    """

    workload: Workload
    footprints: tuple[Footprint, ...]
    writes: tuple[Footprint, ...]
    catalog: Catalog
    skipped: tuple[Skipped, ...]
    passed_through: tuple[PassThrough, ...] = ()
    statements: int = 0
    executions: float = 0.0


def understand(
    workload: Workload, catalog: Catalog, progress: Progress, search_path: Sequence[str] = ()
) -> Understood:
    """Find what each statement of `workload` touches, in order.

    Names without a schema are looked for in `search_path` (see `with_unique_names`).

    A statement that is not understood, or that DuckDB cannot bind over the catalog's types, is
    passed through if a server of its dialect may run it. Else it is in `skipped`, of kind
    'invalid'; none raises an error.
    """
    told = without_ambiguous(workload, catalog)
    understand_all = _in_one_sql if any(q.dialect for q in told.queries) else _in_its_systems
    found = understand_all(told, catalog, progress, search_path)
    left = told.skipped[len(workload.skipped) :]
    return replace(
        found,
        statements=found.statements + len(left),
        executions=found.executions + sum(each.executions for each in left),
    )


def _in_its_systems(
    workload: Workload, catalog: Catalog, progress: Progress, search_path: Sequence[str]
) -> Understood:
    """Read the statements that a server ran with the tables that it may have.

    Others, such as those of files, may read tables of several systems.
    """
    own: dict[str, Catalog] = {}
    by_system: dict[str, list[Query]] = {}
    for query in workload.queries:
        known = own.setdefault(query.system, catalog.of_system(query.system))
        by_system.setdefault("" if known is catalog else query.system, []).append(query)
    if set(by_system) <= {""}:
        return _in_its_sql(workload, catalog, progress, search_path)
    parts = [
        _in_its_sql(
            replace(workload, queries=tuple(queries), skipped=()),
            own[system] if system else catalog,
            progress,
            search_path,
        )
        for system, queries in by_system.items()
    ]
    skipped = (*workload.skipped, *(each for part in parts for each in part.skipped))
    views = dict(with_unique_views(catalog).views)
    for part in parts:
        views |= part.catalog.views
    return Understood(
        workload=replace(
            workload,
            queries=tuple(query for part in parts for query in part.workload.queries),
            skipped=skipped,
        ),
        footprints=tuple(each for part in parts for each in part.footprints),
        writes=tuple(each for part in parts for each in part.writes),
        catalog=replace(catalog, views=views),
        skipped=skipped,
        passed_through=tuple(each for part in parts for each in part.passed_through),
        statements=sum(part.statements for part in parts),
        executions=sum(part.executions for part in parts),
    )


def _in_its_sql(
    workload: Workload,
    catalog: Catalog,
    progress: Progress,
    search_path: Sequence[str],
    *,
    is_bound: bool = False,
) -> Understood:
    """Read statements that are all in the workload's dialect (see `Reader` for `is_bound`)."""
    reader = Reader(workload.dialect, with_unique_views(catalog), search_path, is_bound=is_bound)
    with (
        closing(reader.binder),
        progress.task("Reading the workload", len(workload.queries)) as task,
    ):
        for query in workload.queries:
            reader.read(query)
            task.advance()
        reader.read_again()
    skipped = (*workload.skipped, *reader.skipped)
    return Understood(
        workload=replace(workload, queries=tuple(reader.queries), skipped=skipped),
        footprints=tuple(reader.footprints),
        writes=tuple(reader.writes),
        catalog=reader.catalog,
        skipped=skipped,
        passed_through=tuple(reader.passed_through),
        statements=reader.statements,
        executions=reader.executions,
    )


def _in_one_sql(
    workload: Workload, catalog: Catalog, progress: Progress, search_path: Sequence[str]
) -> Understood:
    """Read the statements of each dialect, and then all in the workload's, as they are meant."""
    meanings: list[Query] = []
    written: dict[str, frozenset[str]] = {}
    writes: list[Footprint] = []
    passed: list[PassThrough] = []
    skipped = list(workload.skipped)
    statements, executions = 0, 0.0
    for dialect in dict.fromkeys(query.dialect for query in workload.queries):
        queries = tuple(
            replace(query, dialect="") for query in workload.queries if query.dialect == dialect
        )
        part = replace(workload, dialect=dialect or workload.dialect, queries=queries, skipped=())
        found = understand(part, catalog, progress, search_path)
        skipped += found.skipped
        writes += found.writes
        passed += found.passed_through
        statements += found.statements
        executions += found.executions
        for query, read in zip(found.workload.queries, found.footprints, strict=True):
            try:
                sql = meant(query, found.catalog, part.dialect)
            except SqlError as error:
                own = None
                with suppress(NotSentError):
                    own = passed_through(
                        query, found.catalog, part.dialect, error.reason, read.writes
                    )
                if own is not None:
                    passed.append(own)
                else:
                    skipped.append(left_out(query, error.reason, "invalid", error))
                continue
            meanings.append(replace(query, sql=sql))
            written[query.name] = read.writes
    whole = replace(workload, queries=tuple(meanings), skipped=tuple(skipped))
    found = _in_its_sql(whole, catalog, progress, search_path, is_bound=True)
    footprints = tuple(
        replace(each, writes=written.get(each.query, each.writes)) for each in found.footprints
    )
    return replace(
        found,
        footprints=footprints,
        writes=(*writes, *found.writes),
        passed_through=(*passed, *found.passed_through),
        statements=statements,
        executions=executions,
    )
