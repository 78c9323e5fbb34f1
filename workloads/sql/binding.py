"""DuckDB's own view of statements before anything runs: over the catalog's empty tables.

Answers are compared with DuckDB's. A statement that it cannot bind has none: a function that there
is not, an operator that its arguments have not, a name that it reserves.
"""

import re
from collections.abc import Collection, Mapping
from typing import TypeVar

import duckdb
from sqlglot import Dialect, TokenType
from sqlglot.errors import TokenError

from workloads.catalog import Catalog, Table, View
from workloads.duck import needs_optimizer, quoted
from workloads.empty_database import EmptyDatabase
from workloads.errors import SqlError
from workloads.sql.parsing.door import error_at, offset_of
from workloads.sql.parsing.placeholders import question_marks
from workloads.sql.resolving.views import DUAL
from workloads.sql.translate import meant, translate
from workloads.workload import Query

Named = TypeVar("Named", Table, View)

_WORDS = re.compile(r"\w+")
_LINE = re.compile(r"^LINE (\d+): ", re.MULTILINE)
_OTHERWISE = (
    duckdb.IOException,
    duckdb.PermissionException,
    duckdb.OutOfMemoryException,
    duckdb.InterruptException,
)
"""Errors that say nothing about a statement: it would read a file, which is not done here."""


class Binder:
    """Binds statements in DuckDB; tables and views are made when one names them.

    Its database opens when it is first asked. `close` gives it back.
    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._open: EmptyDatabase | None = None
        self._made: set[str] = set()
        self._refused: dict[str, str] = {}
        # One of the views has an ASOF JOIN.
        self._has_asof = False

    def check(self, query: Query, catalog: Catalog, tables: Collection[str]) -> None:
        """Raise SqlError where DuckDB cannot bind `query`, which reads `tables` of `catalog`.

        Nothing is said of tables whose types are not known, nor of another dialect's statements
        that read none: a setting of the server, say.
        """
        read = [catalog.tables[name] for name in tables]
        _refuse_bare(query, read)
        if not all(table.columns and all(c.type for c in table.columns) for table in read):
            return
        if self._dialect != "duckdb" and not read:
            return
        try:
            sql = meant(query, catalog, self._dialect)
        except SqlError:
            # It was read a moment ago: what cannot be written again is said by who needs it.
            return
        if not self._provide(sql, catalog):
            return
        marked = question_marks(sql, "duckdb")
        open_ = _has_parameters(marked)
        if open_ and not self.decides(catalog, tables):
            # The statistics of a server have parameters for all values, and tell no type of them.
            return
        self._connection.execute(f"SET search_path = '{self._schemas(sql, catalog)}'")
        try:
            self._explain(marked, "PREPARE statement AS" if open_ else "EXPLAIN")
        except _OTHERWISE:
            return
        except duckdb.ParserException as error:
            # A parameter may stand where DuckDB takes none: it is to be filled in before.
            if not open_:
                raise self._error(query, sql, error) from error
        except duckdb.Error as error:
            raise self._error(query, sql, error) from error

    def _explain(self, sql: str, how: str) -> None:
        if self._has_asof or needs_optimizer(sql):
            self._connection.execute("PRAGMA enable_optimizer")
        try:
            self._connection.execute(f"{how} {sql}")
        finally:
            self._connection.execute("PRAGMA disable_optimizer")

    def decides(self, catalog: Catalog, tables: Collection[str]) -> bool:
        """Tell whether a statement that is refused here cannot be used.

        One of another dialect on tables without data can: it is never run here, and its own system
        may know more.
        """
        if self._dialect == "duckdb":
            return True
        return bool(tables) and all(catalog.tables[name].is_judged for name in tables)

    def names(self, query: Query, catalog: Catalog) -> tuple[str, ...]:
        """Return what DuckDB calls the columns of the result of `query`; none where it cannot tell.

        Raises:
            SqlError: Its text does not parse.
        """
        sql = meant(query, catalog, self._dialect)
        self._provide(sql, catalog)
        self._connection.execute(f"SET search_path = '{self._schemas(sql, catalog)}'")
        try:
            described = self._connection.execute(f"DESCRIBE {sql}").fetchall()
        except duckdb.Error:
            return ()
        return tuple(str(row[0]) for row in described)

    def close(self) -> None:
        """Give the database back."""
        if self._open is not None:
            self._open.close()

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        if self._open is None:
            self._open = EmptyDatabase()
            # A plan is made with every statement, and none is run: a good one of 200 joins, or of
            # a sum of 1,000 terms, takes minutes.
            self._open.connection.execute("PRAGMA disable_optimizer; CREATE SCHEMA former")
        return self._open.connection

    def _provide(self, sql: str, catalog: Catalog) -> bool:
        """Make the tables and views that a text names; return whether all its tables are there."""
        lowered = sql.lower()
        names = set(_WORDS.findall(lowered))
        tables = _by_lower(catalog.tables)
        views = {DUAL.name: DUAL} | _by_lower(catalog.views)
        # What is no word stands in quotes. A text may have a quote in it, so they are not paired.
        odd = (name for name in (*tables, *views) if _WORDS.fullmatch(name) is None)
        names.update(name for name in odd if quoted(name) in lowered)
        complete = True
        for name in sorted(names - self._made):
            if name in tables:
                complete &= self._create_table(tables[name])
            elif name in views:
                self._made.add(name)
                self._create_view(views[name], catalog)
        return complete

    def _create_table(self, table: Table) -> bool:
        columns = ", ".join(f"{quoted(each.name)} {each.type}" for each in table.columns)
        name = quoted(table.name)
        try:
            self._connection.execute(f"CREATE TABLE main.{name} ({columns})")
        except duckdb.Error:
            # A type that DuckDB has not: nothing can be said of what reads it.
            return False
        self._made.add(table.name.lower())
        if table.former_names:
            added = ", ".join(
                f"{quoted(present)} AS {quoted(former)}"
                for former, present in table.former_names.items()
            )
            self._connection.execute(
                f"CREATE VIEW former.{name} AS SELECT *, {added} FROM main.{name}"  # noqa: S608
            )
        return True

    def _create_view(self, view: View, catalog: Catalog) -> None:
        """Create a view after those that it reads; one that DuckDB refuses is remembered."""
        query = Query(name=view.name, sql=view.sql, origin=f"view {view.name}")
        columns = ", ".join(map(quoted, view.columns))
        listed = f" ({columns})" if columns else ""
        try:
            sql = translate(query, view.dialect or "duckdb", "duckdb")
            self._provide(sql, catalog)
            self._has_asof |= needs_optimizer(sql)
            self._connection.execute(f"CREATE VIEW main.{quoted(view.name)}{listed} AS {sql}")
        except (duckdb.Error, SqlError) as error:
            self._refused[view.name] = _first_line(error)

    def _schemas(self, sql: str, catalog: Catalog) -> str:
        """Return where DuckDB looks for tables: first for those with their columns' old names."""
        words = {word.lower() for word in re.findall(r"\w+", sql)}
        former = (name for table in catalog.tables.values() for name in table.former_names)
        return "former,main" if not words.isdisjoint(former) else "main"

    def _error(self, query: Query, sql: str, error: duckdb.Error) -> SqlError:
        reason = _first_line(error)
        for view, refusal in self._refused.items():
            if view.lower() in reason.lower():
                reason = f"view '{view}': {refusal}"
        found = _LINE.search(str(error))
        start = offset_of(sql, int(found[1]), 1) if found and sql == query.sql else 0
        return error_at(query, start, f"DuckDB, whose answer counts, refuses it: {reason}")


def _refuse_bare(query: Query, tables: Collection[Table]) -> None:
    bare = next((table.name for table in tables if table.is_bare), None)
    if bare is not None:
        raise error_at(query, 0, f"table '{bare}' has no column that a copy could have")


def _by_lower(named: Mapping[str, Named]) -> dict[str, Named]:
    return {name.lower(): each for name, each in named.items()}


def _has_parameters(sql: str) -> bool:
    if "?" not in sql and "$" not in sql:
        return False
    try:
        tokens = Dialect.get_or_raise("duckdb").tokenize(sql)
    except TokenError:
        return False
    kinds = (TokenType.PLACEHOLDER, TokenType.PARAMETER)
    return any(token.token_type in kinds for token in tokens)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")
