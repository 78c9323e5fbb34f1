"""Tables while DDL is read: later statements add to them, change them and drop them."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from workloads.catalog import Catalog, Table, View, unique_names
from workloads.definition import (
    Alteration,
    CurrentSchema,
    Definition,
    NamedType,
    Removal,
    TableDefinition,
    TableName,
    TypeDefinition,
    table_name,
)
from workloads.errors import SqlError
from workloads.sources.ddl.draft import (
    Draft,
    defined_column,
    refuse_other,
    table_of,
    with_renamed,
)
from workloads.sources.ddl.duck_types import DuckTypes, duck_types
from workloads.sources.ddl.filled_tables import as_view, filled_columns, filled_rows
from workloads.sources.ddl.partitions import Partitions
from workloads.sources.ddl.table_keys import with_keys
from workloads.sources.ddl.twins import Twins
from workloads.workload import Query, Skipped

# Elsewhere a name without a schema is of the current one alone.
_SEARCHING = frozenset({"postgres", "redshift", "duckdb"})
DEFAULT_ROWS = 1_000
"""Rows of a table of which nothing tells how many it has."""


class Drafts:
    """The tables and views that statements of DDL define, one after the other.

    `dialect` is that of the statements that are applied next, `schema` where their tables without
    one are, and `system` the server that they are a dump of, "" where they do not say so.
    """

    def __init__(self) -> None:
        self.dialect = "duckdb"
        self.skipped: list[Skipped] = []
        self.schema = ""
        self.twins = Twins()
        self.system = ""
        self._drafts: dict[TableName, Draft] = {}
        self._views: dict[TableName, View] = {}
        self._rows: dict[TableName, int] = {}
        self._said: set[TableName] = set()
        self._partitions = Partitions()
        self._named: dict[str, TypeDefinition] = {}

    def begin(self, dialect: str, schema: str, system: str = "") -> None:
        """Begin a file: its dialect, and the schema of its names without one ("" if unknown)."""
        self.dialect = dialect
        self.schema = schema
        self.system = system

    @property
    def views(self) -> Mapping[str, View]:
        """The views by name, without those that are called as a table is.

        A partition is one: the rows of its table within its bounds.
        """
        names = self._names()
        views = [view for key, view in self._views.items() if key not in self._drafts]
        views += self._partitions.views(self._drafts)
        named = (replace(view, name=names[view.schema, view.name]) for view in views)
        return {view.name: view for view in named}

    @property
    def assumed_rows(self) -> tuple[str, ...]:
        """Return the tables whose rows are `DEFAULT_ROWS` for want of knowledge."""
        names = self._names()
        partitions = self._partitions.of(self._drafts)
        unknown = (
            draft
            for key, draft in self._drafts.items()
            if key not in partitions and self._known(key) is None
        )
        return tuple(names[draft.name.schema, draft.name.name] for draft in unknown)

    def has(self, name: str) -> bool:
        """Whether a table or a view is called so, in any case."""
        asked = table_name(name).lower
        views = (view for view in self._views if view.name == asked.name)
        return bool(self._meant(asked)) or any(views)

    def nearest(self, name: str) -> str | None:
        """Return the table whose name is nearest, if one is near."""
        known = {str(each): each for each in self._drafts} | {e.name: e for e in self._drafts}
        near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
        return str(self._drafts[known[near[0]]].name) if near else None

    def count(self, rows: Mapping[TableName, int], *, in_dump: bool = False) -> None:
        """Remember the rows of tables; those said later count, but a dump's only where none is.

        A name without a schema counts for each table that is called so.
        """
        for name, count in rows.items():
            if self.twins.has(name):
                continue
            for key in self._meant(name) or self._meant(TableName(name.name)) or [name.lower]:
                if not (in_dump and key in self._said):
                    self._rows[key] = count

    def _meant(self, name: TableName) -> list[TableName]:
        """Return the tables that a name may mean, in small letters: none, one, or several."""
        key = name.lower
        if key in self._drafts:
            return [key]
        return [
            each
            for each in self._drafts
            if each.name == key.name and (not key.schema or not each.schema)
        ]

    def _key(self, name: TableName) -> TableName:
        """Return the table that a statement means by a name: one of its schema goes first."""
        if not name.schema and self.schema:
            here = TableName(name.name, self.schema).lower
            if here in self._drafts:
                return here
            if self.dialect not in _SEARCHING:
                return name.lower
        found = self._meant(name)
        return found[0] if found else name.lower

    def _names(self) -> Mapping[tuple[str, str], str]:
        """Return (schema, name) → the unique name of each table and view."""
        tables = [(draft.name.schema, draft.name.name) for draft in self._drafts.values()]
        return unique_names([*tables, *((v.schema, v.name) for v in self._views.values())])

    def apply(self, found: Definition, place: Query, rows: int | None = None) -> None:
        """Take a definition in.

        Raises:
            CatalogError: A table is defined twice, and not in the same way.
            SqlError: It is made like a table that is not defined.
        """
        if self.dialect == "postgres":
            found = self.twins.without(found, place.sql, self.schema)
        if isinstance(found, TableDefinition):
            self._add(found, place)
            name = TableName(found.name, found.schema or self.schema)
            if rows is not None:
                self._rows[name.lower] = rows
                self._said.add(name.lower)
            if found.partition_of is not None:
                self._partitions.add(self._key(found.partition_of), self._key(name), found.bounds)
        elif isinstance(found, View):
            view = replace(found, schema=found.schema or self.schema)
            self._views[TableName(view.name, view.schema).lower] = view
        elif isinstance(found, NamedType):
            self._named[found.name.lower()] = found.type
        elif isinstance(found, CurrentSchema):
            self.schema = found.schema
        elif isinstance(found, Removal):
            for each in found.names:
                self._drafts.pop(self._key(each), None)
                self._partitions.remove(self._key(each))
                self._views.pop(TableName(each.name, each.schema or self.schema).lower, None)
        else:
            self._alter(found)

    def tables(self) -> Mapping[str, Table]:
        """Return the tables by name; those filled by a query that is not understood are skipped.

        A partition is a part of its table, and no table of its own.
        """
        names = self._names()
        partitions = self._partitions.of(self._drafts)
        made: dict[str, Table] = {}
        waiting = {key: draft for key, draft in self._drafts.items() if key not in partitions}
        order = [names[draft.name.schema, draft.name.name] for draft in waiting.values()]
        with duck_types() as types:
            while waiting:
                errors: dict[TableName, SqlError] = {}
                for key, draft in waiting.items():
                    name = names[draft.name.schema, draft.name.name]
                    try:
                        made[name] = self._table(name, draft, types, made)
                    except SqlError as error:
                        errors[key] = error
                if len(errors) == len(waiting):
                    self._give_up(errors)
                    break
                # A query may read a table that is defined after its own.
                waiting = {key: self._drafts[key] for key in errors}
        made = {name: made[name] for name in order if name in made}
        return {name: with_keys(self._referring(table), made) for name, table in made.items()}

    def _give_up(self, errors: Mapping[TableName, SqlError]) -> None:
        """Leave out tables whose queries are not understood; a materialised view is a view then."""
        for key, error in errors.items():
            draft = self._drafts.pop(key)
            if draft.is_view:
                self._views[key] = as_view(draft)
                continue
            place, reason = draft.place, f"table '{draft.name}': {error.reason}"
            self.skipped.append(
                Skipped(source=place.origin, line=place.line, column=1, reason=reason)
            )

    def _referring(self, table: Table) -> Table:
        """Return `table` with the unique names of the tables that its foreign keys name."""
        names = self._names()
        foreign = []
        for key in table.foreign_keys:
            if self.twins.has(table_name(key.table)):
                continue
            meant = self._meant(table_name(key.table))
            beside = TableName(key.table, table.schema).lower
            found = beside if beside in self._drafts else (meant[0] if meant else None)
            if found is not None:
                other = self._drafts[found].name
                foreign.append(replace(key, table=names[other.schema, other.name]))
        return replace(table, foreign_keys=tuple(foreign))

    def _known(self, key: TableName) -> int | None:
        """Return a table's rows, those of its parts together; None where nothing tells them."""
        parts = [self._known(part) for part in self._partitions.parts(key) if part != key]
        if not parts:
            return self._rows.get(key)
        own = self._rows.get(key, 0)
        return own or (None if None in parts else sum(part or 0 for part in parts))

    def _add(self, found: TableDefinition, place: Query) -> None:
        name = TableName(found.name, found.schema or self.schema)
        key = self._key(name) if not name.schema else name.lower
        old = self._drafts.get(key)
        if old is not None and found.existing == "kept":
            return
        draft = Draft(
            name=name,
            place=place,
            dialect=self.dialect,
            system=self.system,
            keys=found.keys,
            query=found.query,
            query_columns=found.query_columns,
            is_view=found.is_view,
            partition_keys=found.partition_keys,
        )
        for each in found.like:
            other = self._key(each)
            if other not in self._drafts or self.twins.has(each):
                reason = f"table '{found.name}' is made like '{each}', which is not defined before"
                raise SqlError(reason, origin=place.origin, line=place.line, column=1)
            copied = self._drafts[other]
            draft.columns |= copied.columns
            draft.keys = replace(copied.keys, foreign=()) + draft.keys
        draft.columns |= {column.name.lower(): column for column in found.columns}
        if old is not None and found.existing == "error":
            refuse_other(old, draft)
        self._drafts[key] = draft

    def _alter(self, found: Alteration) -> None:
        key = self._key(found.table)
        draft = self._drafts.get(key)
        if draft is None:
            return
        for old, column in found.columns:
            before = draft.columns.get(old.lower())
            renamed = {} if before is None else {old: column.name}
            draft.columns = with_renamed(draft.columns, renamed)
            draft.columns[column.name.lower()] = column
        draft.columns = with_renamed(draft.columns, dict(found.renamed))
        for name in found.dropped:
            draft.columns.pop(name.lower(), None)
        draft.keys += found.keys
        for partition, bounds in found.partitions:
            self._partitions.add(key, self._key(partition), bounds)
        for partition in found.detached:
            self._partitions.remove(self._key(partition))
        if found.renamed_to is not None:
            del self._drafts[key]
            draft.name = TableName(found.renamed_to, draft.name.schema)
            self._drafts[draft.name.lower] = draft
            self._partitions.rename(key, draft.name.lower)

    def _table(self, name: str, draft: Draft, types: DuckTypes, made: Mapping[str, Table]) -> Table:
        key = draft.name.lower
        columns = [defined_column(each, types, self._named) for each in draft.columns.values()]
        if draft.query is not None:
            known = Catalog(name="", tables=made, views=self.views)
            filled = filled_columns(draft, types, known)
            columns += [column for column in filled if column.name.lower() not in draft.columns]
            if draft.is_view and self._known(key) is None:
                estimated = filled_rows(draft, known)
                self._rows |= {} if estimated is None else {key: estimated}
        rows = self._known(key)
        return table_of(draft, name, columns, DEFAULT_ROWS if rows is None else rows)
