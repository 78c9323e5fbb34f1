"""Definitions inside a workload, for its later statements: views, and tables of a query."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import chain

from sqlglot import exp

from workloads.catalog import Catalog, View
from workloads.errors import SqlError, UnknownTableError
from workloads.sql.outlines import Outlines
from workloads.sql.parsing.door import door, error_at
from workloads.sql.parsing.parse import parse, statement
from workloads.sql.resolving.resolve import qualified, unknown_table
from workloads.sql.resolving.views import cte_of, view_of
from workloads.sql.view_targets import written_through
from workloads.workload import Query

_CREATE = re.compile(
    r"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:[\w=`@.]+\s+){0,6}?(?P<kind>VIEW|TABLE)\s+"
    r"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.`\"\[\]#]+)",
    re.IGNORECASE,
)
_RIGHTS = re.compile(
    r"\A(?P<before>\s*CREATE\s+(?:OR\s+REPLACE\s+)?)(?:(?:ALGORITHM\s*=\s*\w+|DEFINER\s*=\s*\S+"
    r"|SQL\s+SECURITY\s+\w+)\s+)+",
    re.IGNORECASE,
)
"""Clauses by which MySQL runs a view, and with whose rights: sqlglot reads some of them."""
_ENDING = re.compile(
    r"\bWITH\s+(?:(?:NO\s+)?DATA|(?:(?:CASCADED|LOCAL)\s+)?CHECK\s+OPTION|READ\s+ONLY)\s*$",
    re.IGNORECASE,
)
"""Clauses that follow the query of a view or a table and are no part of it."""
_ON_COMMIT = re.compile(r"\bON\s+COMMIT\s+(?:DROP|(?:PRESERVE|DELETE)\s+ROWS)\b", re.IGNORECASE)
"""The fate of a temporary table, before its query: no matter to that, and sqlglot reads it not."""
_SELECTS = re.compile(r"\b(?:SELECT|VALUES|FROM)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A table or view that CREATE makes. `query` is None for a table that begins empty."""

    table: exp.Table
    query: exp.Query | None = None
    columns: tuple[str, ...] = ()
    is_view: bool = False
    keeps_old: bool = False

    @property
    def name(self) -> str:
        """Return its name, without a schema."""
        return self.table.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a table that a statement names is unknown."""

    text: str
    is_created: bool


@dataclass(slots=True)
class Definitions:
    """The views of a catalog and of the statements that were read so far."""

    catalog: Catalog
    dialect: str
    _empty: dict[str, str] = field(default_factory=dict)
    """Table that begins empty → where the workload creates it."""
    _made: set[str] = field(default_factory=set)
    """Tables that the workload makes of queries."""
    _broken: dict[str, str] = field(default_factory=dict)
    """View that was not understood → where it is defined."""
    _renamed: dict[str, str] = field(default_factory=dict)
    """View that was defined anew, in other words → the name of its last definition."""
    _outlines: Outlines = field(default_factory=Outlines)

    def created(self, query: Query) -> Created | None:
        """Return what a CREATE makes, None for what can never be read.

        Raises:
            SqlError: It is a view or a table of a query, and does not parse.
        """
        plain = _ENDING.sub(_blank, query.sql)
        plain = _RIGHTS.sub(lambda words: words["before"].ljust(len(words[0])), plain)
        found = _CREATE.search(plain)
        if found is None:
            return None
        head = _SELECTS.search(plain, found.end())
        selects = head is not None
        name = re.sub(r"[`\"\[\]#]", "", found["name"]).rpartition(".")[2]
        if head is not None:
            plain = _ON_COMMIT.sub(_blank, plain[: head.start()]) + plain[head.start() :]
        try:
            tree = statement(replace(query, sql=plain), self.dialect)
            if selects and not isinstance(tree, exp.Create):
                raise error_at(query, 0, f"this CREATE {found['kind'].upper()} is not understood")
        except SqlError:
            if selects:
                self._broken[name.lower()] = _where(query)
                raise
            tree = None
        created = _created(tree) if isinstance(tree, exp.Create) else None
        if created is None:
            created = Created(table=exp.Table(this=exp.to_identifier(name)))
        if created.query is None:
            self._empty.setdefault(created.name.lower(), _where(query))
        return created

    def define(self, query: Query, created: Created) -> None:
        """Let later statements read what `created`, which has a query, makes.

        Raises:
            SqlError: Its query is not understood.
        """
        name, body = created.name, created.query
        if body is None or self.catalog.spelled(name) in self.catalog.tables:
            return
        if not created.is_view:
            self._made.add(name.lower())
        try:
            resolved = self.check(query, body)
        except UnknownTableError as error:
            if error.table.lower() == name.lower():
                raise _reads_itself(name, error) from error
            reason = self.reason(error.table)
            where = self._empty if reason is not None and reason.is_created else self._broken
            where[name.lower()] = _where(query)
            raise
        except SqlError:
            self._broken[name.lower()] = _where(query)
            raise
        view = View(
            name=name, sql=body.sql(self.dialect), dialect=self.dialect, columns=created.columns
        )
        key = next((each for each in self.catalog.views if each.lower() == name.lower()), None)
        if key is None:
            self._outlines.note(view, body, resolved, self.catalog)
            self._add(view)
        elif not created.keeps_old and not _same(self._last(key), view):
            self._define_anew(key, view)

    def as_they_are_now(self, query: Query) -> Query:
        """Return `query` reading the last definition of each view, by the name that that has."""
        if not self._renamed:
            return query
        tree = parse(query, self.dialect)
        if not self._rename(tree):
            return query
        return replace(query, sql=tree.sql(self.dialect))

    def check(self, query: Query, tree: exp.Query) -> exp.Query:
        """Return `tree`, a part of the statement `query`, with its names resolved.

        Raises:
            SqlError: One is unknown, at its place in the statement.
        """
        self._rename(tree)
        catalog = self._outlines.catalog_for(tree, self.catalog)
        return qualified(tree.copy(), query, catalog, self.dialect)

    def tables_written(
        self, target: exp.Table, query: Query, assigned: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return the catalog's tables that writing to `target` writes.

        A view stands for those of its tables that have the columns `assigned`, in small letters, or
        the first where none are told; a table that the workload creates is none of the catalog's.

        Raises:
            UnknownTableError: The table is unknown.
        """
        name = self.catalog.spelled(target.name)
        if name in self.catalog.tables:
            return (name,)
        lower = name.lower()
        view = view_of(exp.Table(this=exp.to_identifier(name)), self.catalog)
        if view is not None and lower not in self._made:
            with door(query):
                body = parse(Query(name=view.name, sql=view.sql, origin=view.name), view.dialect)
                through = written_through(view, body, assigned)
                found = (self.tables_written(each, query, its) for each, its in through.items())
                if through:
                    return tuple(dict.fromkeys(chain.from_iterable(found)))
        if view is not None or lower in self._empty:
            return ()
        raise unknown_table(target, query, self.catalog)

    def reason(self, name: str) -> Reason | None:
        """Say why the table or view `name` is unknown, if the workload itself has to do with it."""
        lower = name.lower().rpartition(".")[2]
        if lower in self._empty:
            text = f"'{name}' is a table that the workload itself creates ({self._empty[lower]})"
            return Reason(text=text, is_created=True)
        if lower in self._broken:
            text = f"the definition of '{name}' was not understood ({self._broken[lower]})"
            return Reason(text=text, is_created=False)
        return None

    def _rename(self, tree: exp.Query) -> bool:
        """Name the last definitions in `tree`; return whether there were any."""
        if not self._renamed:
            return False
        found = False
        for table in list(tree.find_all(exp.Table)):
            new = self._renamed.get(table.name.lower())
            if new is None or cte_of(table) is not None:
                continue
            if not table.alias:
                table.set("alias", exp.TableAlias(this=table.this.copy()))
            table.this.set("this", new)
            found = True
        return found

    def _define_anew(self, name: str, view: View, path: tuple[str, ...] = ()) -> None:
        """Give a view, and each that reads it, a new name beside the old: queries read both."""
        number = 2
        while f"{name}_{number}" in self.catalog.views:
            number += 1
        self._add(replace(view, name=f"{name}_{number}"))
        self._renamed[name.lower()] = f"{name}_{number}"
        later = set(self._renamed.values())
        for key in [key for key in self.catalog.views if key not in later]:
            last = self._last(key)
            tree = parse(Query(name=key, sql=last.sql, origin=key), last.dialect)
            outdated = {name.lower(), f"{name}_{number - 1}".lower()}
            read = [table for table in tree.find_all(exp.Table) if table.name.lower() in outdated]
            if key in (*path, name) or not read:
                continue
            for table in read:
                table.this.set("this", name)
            self._rename(tree)
            self._define_anew(key, replace(last, sql=tree.sql(last.dialect)), (*path, name))

    def _last(self, name: str) -> View:
        return self.catalog.views[self._renamed.get(name.lower(), name)]

    def _add(self, view: View) -> None:
        self.catalog = replace(self.catalog, views={**self.catalog.views, view.name: view})


def _blank(words: re.Match[str]) -> str:
    """Return blanks in the place of words: all else keeps its own."""
    return " " * len(words[0])


def _created(tree: exp.Create) -> Created | None:
    """Return what `tree` makes if that can be read: a view or a table."""
    is_view = tree.kind == "VIEW"
    if not is_view and tree.kind != "TABLE":
        return None
    target, columns = tree.this, ()
    if isinstance(target, exp.Schema):
        columns = tuple(column.name for column in target.expressions if column.name)
        target = target.this
    if not isinstance(target, exp.Table):
        return None
    body = tree.expression.unnest() if tree.expression is not None else None
    query = body if isinstance(body, exp.Query) else None
    return Created(
        table=target,
        query=query,
        columns=columns if query is not None else (),
        is_view=is_view,
        keeps_old=bool(tree.args.get("exists")),
    )


def _reads_itself(name: str, error: SqlError) -> SqlError:
    return SqlError(
        f"view '{name}' reads itself", origin=error.origin, line=error.line, column=error.column
    )


def _same(one: View, other: View) -> bool:
    return (one.sql, one.columns) == (other.sql, other.columns)


def _where(query: Query) -> str:
    return f"{query.origin}:{query.line}"
