"""Names with a schema: each table of a statement written by its unique name in the catalog.

Everything after this stage knows tables by one name. Where orders are in two schemas, the text
``orders.id … FROM sales.orders`` becomes ``"sales.orders".id … FROM "sales.orders"``, else the
schema is left out. Nothing else of a text is changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from workloads.catalog import Catalog, Table, View
from workloads.errors import SqlError, UnknownTableError
from workloads.search_path import SearchPath
from workloads.sql.parsing.door import error_at, place_of
from workloads.sql.parsing.parse import start_of, statement
from workloads.sql.resolving.captured_names import renamed_ctes
from workloads.sql.resolving.relation_names import RelationNames, of_schema
from workloads.sql.resolving.temporary_relations import temporary_meant
from workloads.sql.resolving.views import cte_of, visible_cte
from workloads.temporary_tables import SCHEMA
from workloads.workload import Query

DEFAULT_SCHEMAS = ("public", "main", "dbo")
"""Where a name without a schema is looked for at last: PostgreSQL's, DuckDB's and SQL Server's."""


def with_unique_names(
    query: Query, catalog: Catalog, dialect: str, search_path: Sequence[str] = ()
) -> Query:
    """Return `query` with the unique names of its tables and views.

    A name without a schema is the one of `query.schema`, of `query.path`, and then of the schemas
    of `search_path` in their order, if several are called so. In MySQL it is of `query.schema`
    alone, where that is known, and where the session set its path, of that alone. A text that does
    not parse stays as it is.

    Raises:
        UnknownTableError: A table is in other schemas than the one that stands before it.
        SqlError: A name without a schema may mean several tables, or none on the session's path.
    """
    names = RelationNames(catalog, dialect)
    names_temporary = bool(query.temporary) or SCHEMA in query.sql.lower()
    if not names.has_schemas and not names.twins and not names_temporary:
        return query
    try:
        tree = statement(query, dialect)
    except SqlError:
        if query.temporary:
            # Its tables may be told by their names, which would be those of permanent ones.
            raise
        return query
    told = query.path.schemas if query.path is not None else ()
    usual = () if dialect == "mysql" else DEFAULT_SCHEMAS
    path = (query.schema, *(told or search_path), *usual)
    edits = list(_Statement(query, tree, names, path, dialect).edits())
    text = query.sql
    for edit in sorted(edits, key=lambda each: -each.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    # A text may be read again, and then has unique names.
    if text == query.sql:
        return query
    temporary = None if query.temporary is None else ()
    return replace(query, sql=text, path=None, temporary=temporary)


def with_unique_views(catalog: Catalog) -> Catalog:
    """Return the catalog with views that read tables by their unique names.

    One whose tables are not known stays as it is: whoever reads it is told.
    """
    views = {name: _view(view, catalog) for name, view in catalog.views.items()}
    return replace(catalog, views=views) if views else catalog


def _view(view: View, catalog: Catalog) -> View:
    query = Query(name=view.name, sql=view.sql, origin=view.name, schema=view.schema)
    try:
        return replace(view, sql=with_unique_names(query, catalog, view.dialect).sql)
    except SqlError:
        return view


class _Edit(NamedTuple):
    """A part of a text, from `start` up to `end`, and what takes its place."""

    start: int
    end: int
    text: str


class _Statement:
    """One statement, whose tables are looked up."""

    def __init__(
        self, query: Query, tree: exp.Expr, names: RelationNames, path: Sequence[str], dialect: str
    ) -> None:
        self._query = query
        self._tree = tree
        self._names = names
        self._path = [schema for schema in path if schema]
        self._dialect = dialect

    def edits(self) -> Iterator[_Edit]:
        """Yield what is to be written otherwise."""
        qualifiers: dict[tuple[int, str], str] = {}
        captured: list[exp.CTE] = []
        for relation in self._tree.find_all(exp.Table, exp.Subquery):
            found = self._table(relation)
            scope, name = id(relation.parent_select), self._alias(relation)
            if found is None or relation.alias:
                qualifiers.setdefault((scope, name), relation.alias_or_name)
                if found is not None:
                    qualifiers[scope, _key(found)] = relation.alias
            else:
                # By its schema a table is found even where another one is called so too.
                qualifiers[scope, _key(found)] = found.name
                qualifiers.setdefault((scope, name), found.name)
            if found is not None and isinstance(relation, exp.Table):
                yield from self._renamed(relation, found)
                # Without its schema the name would be that of a CTE.
                cte = visible_cte(relation, found.name) if relation.db else None
                captured += [] if cte is None else [cte]
        for column in self._tree.find_all(exp.Column):
            yield from self._qualified(column, qualifiers)
        yield from map(_Edit._make, renamed_ctes(self._tree, captured, self._quoted))

    def _table(self, relation: exp.Expr) -> Table | View | None:
        """Return what a relation is in the catalog; None for a subquery or a CTE."""
        if not isinstance(relation, exp.Table) or not isinstance(relation.this, exp.Identifier):
            return None
        if cte_of(relation) is not None or isinstance(_around(relation), exp.Create):
            return None
        if (temporary := temporary_meant(relation, self._query, self._dialect)) is not None:
            return temporary
        return self._meant(relation)

    def _meant(self, table: exp.Table) -> Table | View | None:
        """Return what a name means; None where no schema has a table that is called so."""
        found = self._names.called(table.name)
        if not found:
            return None
        found = self._told_apart(table, found)
        if table.db:
            return self._in_schema(table, table.db, found)
        if self._dialect == "mysql" and self._query.schema:
            return self._in_schema(table, self._query.schema, found)
        path = self._query.path
        if path is not None and path.is_whole:
            return self._on_whole_path(table, path, found)
        if len(found) == 1:
            return found[0]
        if path is not None and path.unknown:
            raise self._ambiguous(table, found, f"and the search path is not known: {path.unknown}")
        return self._on_path(table, found)

    def _told_apart(
        self, table: exp.Table, found: Sequence[Table | View]
    ) -> Sequence[Table | View]:
        """Return what a name may mean, without those that only case tells from it."""
        same = self._names.told_apart(table.this, table.args.get("db"), found)
        if same:
            return same
        known = " and ".join(f"'{each.name}'" for each in found)
        if same is None:
            reason = (
                f"the case of '{self._untold(table)}' is not told: quote it, or write {known}"
                + ("" if self._query.system else f"; {self._read_as()}")
            )
            raise error_at(self._query, start_of(table), reason)
        raise self._unknown(table, table.name, f"only case tells the tables {known} apart")

    def _untold(self, table: exp.Table) -> str:
        """Return the name of a table, or of its schema, whose case is not told."""
        is_quoted = isinstance(table.this, exp.Identifier) and table.this.quoted
        return table.db if is_quoted else table.name

    def _read_as(self) -> str:
        return f"it is read as SQL of '{self._dialect}', --dialect names another"

    def _on_whole_path(
        self, table: exp.Table, path: SearchPath, found: Sequence[Table | View]
    ) -> Table | View:
        """Return the table of the first schema of a path that has one; there are no others."""
        # DuckDB looks in its main schema at last, whatever the path.
        last = ("main", "") if self._dialect == "duckdb" else ("",)
        for own in (*path.schemas, *last):
            if (there := of_schema(found, own)) is not None:
                return there
        known = " and ".join(f"'{each.schema}.{each.own_name}'" for each in found)
        listed = ", ".join(path.schemas) or "no schema of the catalog"
        reason = f"the search path of its session is {listed}; the catalog has {known}"
        raise self._unknown(table, table.name, reason)

    def _in_schema(
        self, table: exp.Table, schema: str, found: Sequence[Table | View]
    ) -> Table | View:
        """Return the table of a schema."""
        # A table whose schema is not known may be in any.
        for own in (schema, ""):
            if (there := of_schema(found, own)) is not None:
                return there
        raise self._elsewhere(table, schema, found)

    def _on_path(self, table: exp.Table, found: Sequence[Table | View]) -> Table | View:
        """Return the table of several that the search path comes to first."""
        for each in found:
            # A text may be read again after its names are unique.
            if each.name.lower() == table.name.lower():
                return each
        for schema in self._path:
            if (there := of_schema(found, schema)) is not None:
                return there
        raise self._ambiguous(table, found, "write one before it, or name [workload].search_path")

    def _ambiguous(self, table: exp.Table, found: Sequence[Table | View], reason: str) -> SqlError:
        schemas = " and ".join(f"'{each.schema}'" for each in found)
        message = f"table '{table.name}' is in the schemas {schemas}: {reason}"
        return error_at(self._query, start_of(table), message)

    def _elsewhere(
        self, table: exp.Table, schema: str, found: Sequence[Table | View]
    ) -> UnknownTableError:
        known = " and ".join(f"'{each.schema}.{each.own_name}'" for each in found)
        return self._unknown(table, f"{schema}.{table.name}", f"the catalog has {known}")

    def _unknown(self, table: exp.Table, name: str, reason: str) -> UnknownTableError:
        line, column = place_of(self._query, start_of(table))
        error = UnknownTableError(
            f"unknown table '{name}'; {reason}",
            origin=self._query.origin,
            line=line,
            column=column,
        )
        error.table = name
        return error

    def _renamed(self, table: exp.Table, found: Table | View) -> Iterator[_Edit]:
        """Yield a table by its unique name; nothing where it is written so."""
        parts = [part for part in table.parts if isinstance(part, exp.Identifier)]
        start, end = parts[0].meta["start"], parts[-1].meta["end"] + 1
        if table.name.lower() != found.name.lower():
            yield _Edit(start, end, self._quoted(found.name))
        elif table.db:
            yield _Edit(start, parts[-1].meta["start"], "")

    def _qualified(
        self, column: exp.Column, qualifiers: dict[tuple[int, str], str]
    ) -> Iterator[_Edit]:
        """Yield a column behind ``table.`` or ``schema.table.`` by what its table is called now."""
        if not column.table:
            return
        called = self._names.spelt(column.args["table"])
        if column.db:
            schema = column.args["db"]
            there = [
                each
                for each in self._names.called(called)
                if each.schema.lower() == schema.name.lower()
            ]
            same = self._names.told_apart(column.args["table"], schema, there)
            # Else it is a field of a structure: table.column.field.
            if not same:
                return
            called = _key(same[0])
        select: exp.Expr | None = column.parent_select
        while (new := qualifiers.get((id(select), called))) is None and select is not None:
            select = select.parent_select
        new = new or column.table
        if column.db or new.lower() != called:
            parts = [part for part in column.parts[:-1] if isinstance(part, exp.Identifier)]
            yield _Edit(parts[0].meta["start"], parts[-1].meta["end"] + 1, self._quoted(new))

    def _alias(self, relation: exp.Expr) -> str:
        """Return what columns of a relation have before them."""
        alias = relation.args.get("alias")
        named = alias.this if isinstance(alias, exp.TableAlias) else relation.this
        if isinstance(named, exp.Identifier):
            return self._names.spelt(named)
        return relation.alias_or_name.lower()

    def _quoted(self, name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(self._dialect)


def _around(table: exp.Table) -> exp.Expr | None:
    """Return what a table is the target of, if it is one of a statement."""
    above = table.parent
    return above.parent if isinstance(above, exp.Schema) else above


def _key(found: Table | View) -> str:
    """Return what stands for a schema and a name before a column: no name without a schema."""
    return f".{found.name.lower()}"
