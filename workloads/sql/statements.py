"""Every statement of a workload: understood, or left out for a reason."""

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, SqlError, UnknownTableError
from workloads.footprint import Footprint
from workloads.pass_through import PassThrough
from workloads.progress import Progress
from workloads.sql.binding import Binder
from workloads.sql.definitions import Created, Definitions
from workloads.sql.footprints import footprint
from workloads.sql.parsing.door import door, error_at
from workloads.sql.parsing.kinds import begins_wrong, first_word, is_system_table, kind_of
from workloads.sql.parsing.parse import statement
from workloads.sql.parsing.split import split_statements
from workloads.sql.passing_through import passed_through
from workloads.sql.resolving.schemas import with_unique_names, with_unique_views
from workloads.sql.row_changes import Change
from workloads.sql.translate import meant
from workloads.sql.writes import change, writes_within
from workloads.workload import Query, Skipped, SkippedKind, Workload

_MAY_WRITE = re.compile(r"\b(?:insert|update|delete|merge|into)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A workload that has been read.

    `workload` holds what reads, and the reading part of what writes; `footprints` has one for
    each of its queries, in their order. `writes` are statements that write and read nothing: they
    have no blocks. `passed_through` are those that only their own server can run, which are in
    neither. `catalog` also holds the views that the workload itself defines. `skipped` are
    the statements that were left out, those that the workload's source left out among them.
    """

    workload: Workload
    footprints: tuple[Footprint, ...]
    writes: tuple[Footprint, ...]
    catalog: Catalog
    skipped: tuple[Skipped, ...]
    passed_through: tuple[PassThrough, ...] = ()


def understand(
    workload: Workload, catalog: Catalog, progress: Progress, search_path: Sequence[str] = ()
) -> Understood:
    """Find what each statement of `workload` touches, in order.

    Names without a schema are looked for in `search_path` (see `with_unique_names`).

    A statement that is not understood, or that DuckDB cannot bind over the catalog's types, is
    passed through if a server of its dialect may run it. Else it is in `skipped`, of kind
    'invalid'; none raises an error.
    """
    if any(query.dialect for query in workload.queries):
        return _in_one_sql(workload, catalog, progress, search_path)
    reader = _Reader(workload.dialect, with_unique_views(catalog), search_path)
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
    for dialect in dict.fromkeys(query.dialect for query in workload.queries):
        queries = tuple(
            replace(query, dialect="") for query in workload.queries if query.dialect == dialect
        )
        part = replace(workload, dialect=dialect or workload.dialect, queries=queries, skipped=())
        found = understand(part, catalog, progress, search_path)
        skipped += found.skipped
        writes += found.writes
        passed += found.passed_through
        for query, read in zip(found.workload.queries, found.footprints, strict=True):
            try:
                sql = meant(query, found.catalog, part.dialect)
            except SqlError as error:
                own = passed_through(query, found.catalog, part.dialect, error.reason, read.writes)
                if own is not None:
                    passed.append(own)
                else:
                    skipped.append(_left_out(query, error.reason, "invalid", error))
                continue
            meanings.append(replace(query, sql=sql))
            written[query.name] = read.writes
    whole = replace(workload, queries=tuple(meanings), skipped=tuple(skipped))
    found = understand(whole, catalog, progress, search_path)
    footprints = tuple(
        replace(each, writes=written.get(each.query, each.writes)) for each in found.footprints
    )
    return replace(
        found,
        footprints=footprints,
        writes=(*writes, *found.writes),
        passed_through=(*passed, *found.passed_through),
    )


def _left_out(
    query: Query, reason: str, kind: SkippedKind, error: SqlError | None = None
) -> Skipped:
    return Skipped(
        source=query.origin,
        line=(error.line if error else None) or query.line,
        column=(error.column if error else None) or query.column,
        reason=reason,
        kind=kind,
        executions=query.executions,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A statement that was left out since nothing defined `table` before it."""

    query: Query
    table: str
    skipped: Skipped


class _Reader:
    """Reads statements one after another: what one defines, those after it may use.

    Those before it may use it too if nothing else is called so: files of a folder have no order.
    """

    def __init__(self, dialect: str, catalog: Catalog, search_path: Sequence[str]) -> None:
        self.queries: list[Query] = []
        self.footprints: list[Footprint] = []
        self.writes: list[Footprint] = []
        self.skipped: list[Skipped] = []
        self.passed_through: list[PassThrough] = []
        self._dialect = dialect
        self._search_path = search_path
        self._defined = Definitions(catalog, dialect)
        self._waiting: list[_Waiting] = []
        self.binder = Binder(dialect)

    @property
    def catalog(self) -> Catalog:
        """The catalog with the views that were defined so far."""
        return self._defined.catalog

    def read(self, query: Query) -> None:
        """Read one statement, or several in one text."""
        try:
            with door(query):
                parts = self._parts(query)
        except (SqlError, ConfigurationError):
            # What is wrong is said where the text is parsed.
            parts = [query]
        if not parts:
            self._skip(query, "it is empty", "session")
        for part in parts:
            self._read(part)

    def read_again(self) -> None:
        """Read again the statements that name what was defined after them."""
        while ready := [each for each in self._waiting if self._is_defined(each.table)]:
            for each in ready:
                self._waiting.remove(each)
                self.skipped.remove(each.skipped)
                self._read(each.query)

    def _is_defined(self, table: str) -> bool:
        return any(view.lower() == table.lower() for view in self.catalog.views)

    def _parts(self, query: Query) -> list[Query]:
        if ";" not in query.sql and first_word(query.sql)[0]:
            return [query]
        parts = split_statements(query.sql, self._dialect, query.origin)
        if len(parts) == 1:
            return [query]
        return [
            replace(
                query,
                name=f"{query.name}/{number}",
                sql=part.sql,
                line=query.line + part.line - 1,
                column=part.column + (query.column - 1 if part.line == 1 else 0),
            )
            for number, part in enumerate(parts, start=1)
        ]

    def _read(self, query: Query) -> None:
        kind = kind_of(query.sql)
        try:
            if kind in {"read", "write", "create"}:
                query = with_unique_names(query, self.catalog, self._dialect, self._search_path)
            with door(query):
                if kind in {"definition", "session"}:
                    self._skip(query, f"{first_word(query.sql)[0]} reads no table", kind)
                elif kind == "write":
                    self._change(query, change(query, self.catalog, self._dialect))
                elif kind == "create":
                    self._create(query)
                elif kind == "read":
                    self._select(query)
                else:
                    raise error_at(query, *begins_wrong(query.sql))
        except UnknownTableError as error:
            self._skip_unknown(query, error)
        except SqlError as error:
            self._skip(query, error.reason, "invalid", error)

    def _select(self, query: Query) -> None:
        if not _MAY_WRITE.search(query.sql):
            self._add(self._defined.as_they_are_now(query))
            return
        tree = statement(query, self._dialect)
        if not isinstance(tree, exp.Query) or writes_within(tree):
            self._change(query, change(query, self.catalog, self._dialect))
            return
        into = tree.args.get("into")
        if into is None:
            self._add(self._defined.as_they_are_now(query))
            return
        tree.set("into", None)
        self._keep(query, tree, into.this)

    def _create(self, query: Query) -> None:
        created = self._defined.created(query)
        if created is None or created.query is None:
            self._skip(query, "CREATE reads no table", "definition")
        elif created.is_view:
            self._defined.define(query, created)
            self._skip(query, f"it defines the view '{created.name}'", "definition")
        else:
            self._keep(query, created.query, created.table)

    def _keep(self, query: Query, tree: exp.Query, target: exp.Expr) -> None:
        """Take the query whose result is kept as a table, and let later statements read that."""
        if isinstance(target, exp.Table) and isinstance(target.this, exp.Identifier):
            created = Created(table=target, query=tree)
            known = self.catalog.spelled(created.name) in self.catalog.tables
            if not known:
                self._defined.define(query, created)
            written = (target,) if known else ()
            self._change(query, Change(targets=written, reads=(tree,)))
        else:
            self._change(query, Change(targets=(), reads=(tree,)))

    def _change(self, query: Query, found: Change) -> None:
        """Note what is written, and take what is read for it as queries."""
        written = frozenset(
            table
            for target in found.targets
            for table in self._defined.tables_written(target, query)
        )
        for read in found.reads:
            self._defined.check(query, read)
        kept = 0
        for number, read in enumerate(found.reads, start=1):
            part = replace(
                query,
                name=query.name if number == 1 else f"{query.name}/{number}",
                sql=read.sql(self._dialect),
            )
            kept += self._add(part, writes=written if kept == 0 else frozenset(), within=query)
        if kept:
            return
        if written:
            only = Footprint(
                query=query.name, executions=query.executions, blocks=(), writes=written
            )
            self.writes.append(only)
        elif found.targets:
            name = found.targets[0].name
            self._skip(query, f"it only fills '{name}', which the workload creates", "definition")
        else:
            self._skip(query, "it reads no table", "session")

    def _add(
        self, query: Query, writes: frozenset[str] = frozenset(), within: Query | None = None
    ) -> bool:
        """Take a query that reads; return False, and skip it if it is a statement, if it does not.

        `within` is the statement that the query is only a part of.
        """
        found = None
        try:
            found = footprint(query, self.catalog, self._dialect)
            self.binder.check(query, self.catalog, found.tables)
        except SqlError as error:
            if self._pass_through(query, error, writes):
                return True
            if found is None or self.binder.decides(self.catalog, found.tables):
                if within is None:
                    raise
                raise error_at(within, 0, f"what it reads: {error.reason}") from error
        if found.tables:
            self.queries.append(query)
            self.footprints.append(replace(found, writes=writes))
        elif within is None:
            self._skip(query, "it reads no table", "session")
        return bool(found.tables)

    def _pass_through(self, query: Query, error: SqlError, writes: frozenset[str]) -> bool:
        """Take a query that only its own server can run; return whether it is one."""
        if isinstance(error, UnknownTableError):
            return False
        own = passed_through(query, self.catalog, self._dialect, error.reason, writes)
        if own is not None:
            self.passed_through.append(own)
        return own is not None

    def _skip_unknown(self, query: Query, error: UnknownTableError) -> None:
        """Leave out a statement on a table that the workload creates, or that describes a store."""
        table = error.table.rpartition(".")[2]
        waits = not self._is_defined(table)
        reason = self._defined.reason(error.table)
        if reason is not None:
            kind: SkippedKind = "definition" if reason.is_created else "invalid"
            self._skip(query, reason.text, kind, error)
        elif is_system_table(error.table):
            self._skip(query, f"'{error.table}' describes the database system", "session", error)
        else:
            self._skip(query, error.reason, "invalid", error)
        if waits:
            self._waiting.append(_Waiting(query=query, table=table, skipped=self.skipped[-1]))

    def _skip(
        self, query: Query, reason: str, kind: SkippedKind, error: SqlError | None = None
    ) -> None:
        self.skipped.append(_left_out(query, reason, kind, error))
