"""Tables while DDL is read: later statements add to them, change them and drop them."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from workloads.catalog import Catalog, Table, View
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
from workloads.schema_names import other_own_name, unique_names
from workloads.sources.ddl.draft import (
    Draft,
    defined_column,
    draft_of,
    refuse_other,
    table_of,
)
from workloads.sources.ddl.duck_types import DuckTypes, duck_types
from workloads.sources.ddl.filled_tables import as_view, filled_columns, filled_rows
from workloads.sources.ddl.known_rows import KnownRows
from workloads.sources.ddl.partitions import Partitions
from workloads.sources.ddl.table_keys import with_keys
from workloads.sources.ddl.twins import Twins, own
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
        self._rows = KnownRows()
        self._partitions = Partitions()
        self._named: dict[str, TypeDefinition] = {}

    def begin(self, dialect: str, schema: str, system: str = "") -> None:
        """Begin a file: its dialect, and the schema of its names without one ("" if unknown)."""
        self.dialect = dialect
        self.schema = schema
        self.system = system

    @property
    def views(self) -> Mapping[str, View]:
        """The views by name, without those that are called as a table is; a partition is one."""
        names = self._names()
        views = [view for key, view in self._views.items() if key not in self._drafts]
        views += self._partitions.views(self._drafts)
        named = (
            replace(view, name=name, own=other_own_name(view.name, name, view.schema))
            for view in views
            for name in [names[view.schema, view.name]]
        )
        return {view.name: view for view in named}

    @property
    def assumed_rows(self) -> tuple[str, ...]:
        """Return the tables whose rows are `DEFAULT_ROWS` for want of knowledge."""
        names = self._names()
        partitions = self._partitions.of(self._drafts)
        unknown = (
            draft
            for key, draft in self._drafts.items()
            if key not in partitions and self._rows.known(key, self._partitions) is None
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
        for written, count in rows.items():
            name = self.twins.stand_in(written)
            for key in self._meant(name) or self._meant(TableName(name.name)) or [name.lower]:
                self._rows.count(key, count, in_dump=in_dump)

    def _meant(self, name: TableName) -> list[TableName]:
        """Return the tables that a name may mean, in small letters: none, one, or several."""
        key = name.lower
        if key in self._drafts:
            return [key]
        if (shown := self.twins.shown(key, self._names)) in self._drafts:
            return [shown]
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
        if self.dialect == "postgres" or self.system == "mysql":
            folds = self.dialect == "postgres"
            found = self.twins.apart(found, place.sql, self.schema, folds=folds)
        self._take(found, place, rows)
        for key, exact in self.twins.exact.items():
            if key in self._drafts:
                self._drafts[key].name = exact
            if key in self._views:
                self._views[key] = replace(self._views[key], name=exact.name, schema=exact.schema)

    def _take(self, found: Definition, place: Query, rows: int | None) -> None:
        if isinstance(found, TableDefinition):
            self._add(found, place)
            name = TableName(found.name, found.schema or self.schema)
            if rows is not None:
                self._rows.say(name.lower, rows)
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
                self._remove(each)
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
                        made[name] = self._table(name, key, types, made)
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
            meant = self._meant(table_name(key.table))
            beside = TableName(key.table, table.schema).lower
            found = beside if beside in self._drafts else (meant[0] if meant else None)
            if found is not None:
                other = self._drafts[found].name
                foreign.append(replace(key, table=names[other.schema, other.name]))
        return replace(table, foreign_keys=tuple(foreign))

    def _add(self, found: TableDefinition, place: Query) -> None:
        name = TableName(found.name, found.schema or self.schema)
        key = self._key(name) if not name.schema else name.lower
        old = self._drafts.get(key)
        if old is not None and found.existing == "kept":
            return
        draft = draft_of(found, own(name), place, dialect=self.dialect, system=self.system)
        for each in found.like:
            other = self._key(each)
            if other not in self._drafts:
                made, like = own(name).name, own(each)
                reason = f"table '{made}' is made like '{like}', which is not defined before"
                raise SqlError(reason, origin=place.origin, line=place.line, column=1)
            is_parent = each in found.parents
            draft.copy(self._drafts[other], with_keys=not is_parent)
            if is_parent:
                self._partitions.inherit(key, other)
        draft.columns |= {column.name.lower(): column for column in found.columns}
        if old is not None and found.existing == "error":
            refuse_other(old, draft)
        self._drafts[key] = draft

    def _remove(self, name: TableName) -> None:
        """Drop a table or a view; without a schema it is of the current one, if that is known."""
        here = TableName(name.name, name.schema or self.schema).lower
        key = self._key(name) if name.schema or not self.schema else here
        self._drafts.pop(key, None)
        self._partitions.remove(key)
        self._views.pop(here, None)

    def _alter(self, found: Alteration) -> None:
        key = self._key(found.table)
        draft = self._drafts.get(key)
        if draft is None:
            return
        draft.alter(found)
        for partition, bounds in found.partitions:
            self._partitions.add(key, self._key(partition), bounds)
        for partition in found.detached:
            self._partitions.remove(self._key(partition))
        for parent in found.parents:
            self._partitions.inherit(key, self._key(parent))
        for parent in found.former_parents:
            self._partitions.disinherit(key, self._key(parent))
        if found.renamed_to is not None:
            del self._drafts[key]
            new = TableName(found.renamed_to, draft.name.schema)
            draft.name = own(new)
            self._drafts[new.lower] = draft
            self._partitions.rename(key, new.lower)

    def _table(
        self, name: str, key: TableName, types: DuckTypes, made: Mapping[str, Table]
    ) -> Table:
        draft = self._drafts[key]
        columns = [defined_column(each, types, self._named) for each in draft.columns.values()]
        if draft.query is not None:
            known = Catalog(name="", tables=made, views=self.views)
            filled = filled_columns(draft, types, known)
            columns += [column for column in filled if column.name.lower() not in draft.columns]
            if draft.is_view and self._rows.known(key, self._partitions) is None:
                estimated = filled_rows(draft, known)
                if estimated is not None:
                    self._rows.count(key, estimated)
        rows = self._rows.known(key, self._partitions)
        table = table_of(draft, name, columns, DEFAULT_ROWS if rows is None else rows)
        return self._partitions.with_children(table, key, self._drafts)
