"""Reads statements one after another: what each reads, writes, defines, or is left out for."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, SqlError, UnknownTableError
from workloads.footprint import Footprint
from workloads.pass_through import PassThrough
from workloads.sql.binding import Binder
from workloads.sql.definitions import Created, Definitions
from workloads.sql.filled_values import understood_with_values
from workloads.sql.footprints import footprint
from workloads.sql.left_out import (
    describes_the_system,
    kind_of_query,
    left_out,
    left_out_as,
)
from workloads.sql.only_of_its_server import only_of_its_server
from workloads.sql.parsing.door import door, error_at
from workloads.sql.parsing.executed import executed, is_cursor
from workloads.sql.parsing.kinds import begins_wrong, first_word, is_system_table
from workloads.sql.parsing.parse import statement
from workloads.sql.parsing.several import queries_of
from workloads.sql.resolving.schemas import with_unique_names
from workloads.sql.row_changes import Change
from workloads.sql.temporary_tables import of_permanent
from workloads.sql.writes import change, writes_within
from workloads.temporary_tables import PREFIX, made
from workloads.workload import Query, Skipped, SkippedKind

_MAY_WRITE = re.compile(r"\b(?:insert|update|delete|merge|into)\b", re.IGNORECASE)


class _Waiting(NamedTuple):
    """A statement that was left out since nothing defined `table` before it."""

    query: Query
    table: str
    skipped: Skipped


class Reader:
    """Reads statements one after another: what one defines, those after it may use.

    Those before it may use it too if nothing else is called so: files of a folder have no order,
    nor have the statistics of a server.
    With `is_bound` DuckDB was asked about all of them before, as statements of their own dialects.
    """

    def __init__(
        self, dialect: str, catalog: Catalog, search_path: Sequence[str], *, is_bound: bool
    ) -> None:
        self.queries: list[Query] = []
        self.footprints: list[Footprint] = []
        self.writes: list[Footprint] = []
        self.skipped: list[Skipped] = []
        self.passed_through: list[PassThrough] = []
        self.statements = 0
        self.executions = 0.0
        self._dialect = dialect
        self._search_path = search_path
        self._is_bound = is_bound
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
                parts = queries_of(query, self._dialect)
        except (SqlError, ConfigurationError):
            # What is wrong is said where the text is parsed.
            parts = [query]
        number = len(parts) or 1
        self.statements += number
        self.executions += number * query.executions
        if not parts:
            self._skip(query, "it is empty", "session")
        for part in parts:
            self._read(part)

    def read_again(self) -> None:
        """Read again the statements that name what was defined after them."""
        while ready := [each for each in self._waiting if self._is_told(each)]:
            for each in ready:
                self._waiting.remove(each)
                self.skipped.remove(each.skipped)
                self._read(each.query)

    def _is_told(self, waiting: _Waiting) -> bool:
        """Whether a statement has another reading now: its table is defined, or was created."""
        if self._is_defined(waiting.table):
            return True
        reason = self._defined.reason(waiting.table)
        is_created = reason is not None and reason.is_created
        return is_created and waiting.skipped.kind == "invalid"

    def _is_defined(self, table: str) -> bool:
        return any(view.lower() == table.lower() for view in self.catalog.views)

    def _read(self, query: Query) -> None:
        if (run := executed(query.sql)) != query.sql:
            latency_s = None if is_cursor(query.sql) else query.latency_s
            query = replace(query, sql=run, latency_s=latency_s)
        kind = kind_of_query(query)
        new = made(query.sql) if query.temporary is not None else None
        if new is not None and new.cte:
            # Those that read it in its session have it as a CTE.
            self._skip(query, f"it defines the view '{new.name}'", "definition")
            return
        try:
            if kind in {"read", "write", "create"}:
                query = with_unique_names(query, self.catalog, self._dialect, self._search_path)
            with door(query):
                if (left := left_out_as(kind)) is not None:
                    self._skip(query, f"{first_word(query.sql)[0]} {left[1]}", left[0])
                elif kind == "write":
                    self._changed(query)
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
        if not _MAY_WRITE.search(query.sql) and PREFIX not in query.sql:
            self._add(self._defined.as_they_are_now(query))
            return
        tree = statement(query, self._dialect)
        if not isinstance(tree, exp.Query) or writes_within(tree):
            self._changed(query)
            return
        into = tree.args.get("into")
        if into is not None:
            tree.set("into", None)
            self._keep(query, tree, into.this)
        elif PREFIX in query.sql:
            self._change(query, Change(targets=(), reads=(tree,)))
        else:
            self._add(self._defined.as_they_are_now(query))

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
            if made(query.sql) is not None and (known or query.temporary is not None):
                self._change(query, Change(targets=(), reads=(tree,)))
                return
            if not known:
                self._defined.define(query, created)
            written = (target,) if known else ()
            self._change(query, Change(targets=written, reads=(tree,)))
        else:
            self._change(query, Change(targets=(), reads=(tree,)))

    def _changed(self, query: Query) -> None:
        """Take a statement that writes apart, with the values that its log has."""
        query = self._filled(query, self._reads_within)
        self._change(query, change(query, self.catalog, self._dialect))

    def _reads_within(self, query: Query) -> Sequence[Query]:
        """Return what a statement that writes reads of permanent tables."""
        found, _ = of_permanent(change(query, self.catalog, self._dialect), self.catalog)
        return [replace(query, sql=read.sql(self._dialect)) for read in found.reads]

    def _filled(self, query: Query, reads: Callable[[Query], Sequence[Query]]) -> Query:
        return understood_with_values(query, self.catalog, self._dialect, self.binder, reads)

    def _change(self, query: Query, found: Change) -> None:
        """Note what is written, and take what is read for it as queries."""
        found, temporary = of_permanent(found, self.catalog)
        written = frozenset(
            table
            for target in found.targets
            for table in self._defined.tables_written(target, query, found.assigned)
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
        elif temporary:
            reason = f"'{temporary[0]}' is a temporary table"
            self.skipped.append(left_out(query, reason, "temporary", temporary=temporary[0]))
        else:
            self._skip(query, "it reads no table", "session")

    def _add(
        self, query: Query, writes: frozenset[str] = frozenset(), within: Query | None = None
    ) -> bool:
        """Take a query that reads; return False, and skip it if it is a statement, if it does not.

        `within` is the statement that the query is only a part of.
        """
        if within is None:
            query = self._filled(query, lambda filled: (filled,))
        found = None
        try:
            found = footprint(query, self.catalog, self._dialect)
            if not self._is_bound:
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
        own = only_of_its_server(query, self.catalog, self._dialect, error, writes)
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
            if not describes_the_system(query, self._dialect):
                self._read_beside(query)
                return
            self._skip(query, f"'{error.table}' describes the database system", "catalog", error)
        else:
            self._skip(query, error.reason, "invalid", error)
        if waits:
            self._waiting.append(_Waiting(query=query, table=table, skipped=self.skipped[-1]))

    def _read_beside(self, query: Query) -> None:
        """Take what a query reads beside tables that describe a store."""
        try:
            with door(query):
                tree = statement(query, self._dialect)
                reads = (tree,) if isinstance(tree, exp.Query) else ()
                self._change(query, Change(targets=(), reads=reads))
        except SqlError as error:
            self._skip(query, error.reason, "invalid", error)

    def _skip(
        self, query: Query, reason: str, kind: SkippedKind, error: SqlError | None = None
    ) -> None:
        self.skipped.append(left_out(query, reason, kind, error))
