"""Tables while DDL is read: later statements add to them, change them and drop them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from workloads.catalog import Catalog, Column, ColumnStatistics, Table, View
from workloads.definition import (
    Alteration,
    ColumnDefinition,
    Definition,
    Keys,
    NamedType,
    Removal,
    TableDefinition,
    TypeDefinition,
)
from workloads.errors import CatalogError, SqlError
from workloads.sources.ddl.duck_types import DuckTypes, duck_types
from workloads.sources.ddl.table_keys import identity, spelled, with_keys
from workloads.sources.ddl.type_widths import mean_width_bytes
from workloads.sql.result_columns import result_columns
from workloads.workload import Query, Skipped

DEFAULT_ROWS = 1_000
"""Rows of a table of which nothing tells how many it has."""

_TEXT = TypeDefinition(type="VARCHAR")


@dataclass(slots=True)
class _Draft:
    """A table so far; `columns` by name in small letters, `place` where it is defined."""

    name: str
    schema: str
    place: Query
    columns: dict[str, ColumnDefinition] = field(default_factory=dict)
    keys: Keys = field(default_factory=Keys)
    query: str | None = None


class Drafts:
    """The tables and views that statements of DDL in `dialect` define, one after the other."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.skipped: list[Skipped] = []
        self._drafts: dict[str, _Draft] = {}
        self._views: dict[str, View] = {}
        self._rows: dict[str, int] = {}
        self._partitions: dict[str, list[str]] = {}
        self._named: dict[str, TypeDefinition] = {}

    @property
    def views(self) -> Mapping[str, View]:
        """The views by name, without those that are called as a table is."""
        return {view.name: view for key, view in self._views.items() if key not in self._drafts}

    @property
    def assumed_rows(self) -> tuple[str, ...]:
        """Return the tables whose rows are `DEFAULT_ROWS` for want of knowledge."""
        return tuple(draft.name for key, draft in self._drafts.items() if self._known(key) is None)

    def has(self, name: str) -> bool:
        """Whether a table is called so, in any case."""
        return name.lower() in self._drafts

    def nearest(self, name: str) -> str | None:
        """Return the table whose name is nearest, if one is near."""
        near = get_close_matches(name.lower(), self._drafts, n=1, cutoff=0.5)
        return self._drafts[near[0]].name if near else None

    def count(self, rows: Mapping[str, int]) -> None:
        """Remember the rows of tables; those said later count."""
        self._rows |= {name.lower(): count for name, count in rows.items()}

    def apply(self, found: Definition, place: Query, rows: int | None = None) -> None:
        """Take a definition in.

        Raises:
            CatalogError: A table is defined twice, and not in the same way.
            SqlError: It is made like a table that is not defined.
        """
        if isinstance(found, TableDefinition):
            self._add(found, place)
            if rows is not None:
                self.count({found.name: rows})
            if found.partition_of is not None:
                self._join(found.partition_of, found.name)
        elif isinstance(found, View):
            self._views[found.name.lower()] = found
        elif isinstance(found, NamedType):
            self._named[found.name.lower()] = found.type
        elif isinstance(found, Removal):
            for name in found.names:
                self._drafts.pop(name.lower(), None)
                self._views.pop(name.lower(), None)
        else:
            self._alter(found)

    def tables(self) -> Mapping[str, Table]:
        """Return the tables by name; those filled by a query that is not understood are skipped."""
        made: dict[str, Table] = {}
        with duck_types() as types:
            for key, draft in list(self._drafts.items()):
                try:
                    made[draft.name] = self._table(draft, types, made)
                except SqlError as error:
                    del self._drafts[key]
                    place = draft.place
                    reason = f"table '{draft.name}': {error.reason}"
                    self.skipped.append(
                        Skipped(source=place.origin, line=place.line, column=1, reason=reason)
                    )
        return {name: with_keys(table, made) for name, table in made.items()}

    def _known(self, key: str) -> int | None:
        """Return a table's rows, those of its parts together; None where nothing tells them."""
        parts = [self._known(part) for part in self._partitions.get(key, ()) if part != key]
        if not parts:
            return self._rows.get(key)
        own = self._rows.get(key, 0)
        return own or (None if None in parts else sum(part or 0 for part in parts))

    def _add(self, found: TableDefinition, place: Query) -> None:
        old = self._drafts.get(found.name.lower())
        if old is not None and found.existing == "kept":
            return
        draft = _Draft(
            name=found.name, schema=found.schema, place=place, keys=found.keys, query=found.query
        )
        for other in found.like:
            if other.lower() not in self._drafts:
                raise SqlError(
                    f"table '{found.name}' is made like '{other}', which is not defined before",
                    origin=place.origin, line=place.line, column=1,
                )  # fmt: skip
            copied = self._drafts[other.lower()]
            draft.columns |= copied.columns
            draft.keys = Keys(primary=copied.keys.primary, unique=copied.keys.unique) + draft.keys
        draft.columns |= {column.name.lower(): column for column in found.columns}
        if old is not None and found.existing == "error":
            _refuse_other(old, draft)
        self._drafts[found.name.lower()] = draft

    def _alter(self, found: Alteration) -> None:
        draft = self._drafts.get(found.table.lower())
        if draft is None:
            return
        for old, column in found.columns:
            before = draft.columns.get(old.lower())
            renamed = {} if before is None else {old: column.name}
            draft.columns = _renamed(draft.columns, renamed)
            draft.columns[column.name.lower()] = column
        draft.columns = _renamed(draft.columns, dict(found.renamed))
        for name in found.dropped:
            draft.columns.pop(name.lower(), None)
        draft.keys += found.keys
        for partition in found.partitions:
            self._join(found.table, partition)
        if found.renamed_to is not None:
            del self._drafts[found.table.lower()]
            draft.name = found.renamed_to
            self._drafts[draft.name.lower()] = draft

    def _join(self, table: str, partition: str) -> None:
        parts = self._partitions.setdefault(table.lower(), [])
        if partition.lower() not in parts:
            parts.append(partition.lower())

    def _table(self, draft: _Draft, types: DuckTypes, made: Mapping[str, Table]) -> Table:
        known = self._known(draft.name.lower())
        rows = DEFAULT_ROWS if known is None else known
        columns = [self._column(column, types) for column in draft.columns.values()]
        if draft.query is not None:
            filled = self._filled(draft, types, made)
            columns += [column for column in filled if column.name.lower() not in draft.columns]
        names = {column.name.lower(): column.name for column in columns}
        shape = f"{draft.name} {rows} {columns}"
        return Table(
            name=draft.name,
            columns=tuple(columns),
            rows=rows,
            fingerprint=hashlib.sha256(shape.encode()).hexdigest(),
            primary_key=spelled(identity(draft.keys, draft.columns.values()), names),
            foreign_keys=tuple(
                replace(key, columns=spelled(key.columns, names))
                for key in draft.keys.foreign
                if spelled(key.columns, names)
            ),
        )

    def _column(self, column: ColumnDefinition, types: DuckTypes) -> Column:
        defined = column.type or _TEXT
        if defined.named is not None:
            defined = self._named.get(defined.named.lower(), defined)
        type_ = types.name(defined.type)
        distinct = len(defined.labels) or (2 if type_ == "BOOLEAN" else 0)
        return Column(
            name=column.name,
            type=type_,
            width_bytes=mean_width_bytes(defined, type_),
            statistics=ColumnStatistics(distinct=distinct, null_share=0.0) if distinct else None,
        )

    def _filled(self, draft: _Draft, types: DuckTypes, made: Mapping[str, Table]) -> list[Column]:
        """Return the columns of the query that fills a table, as they are named there."""
        known = Catalog(name="", tables=made, views=self.views)
        query = replace(draft.place, sql=draft.query or "")
        found = []
        for column in result_columns(query, known, self.dialect):
            type_ = types.name(column.type)
            width = column.width_bytes or mean_width_bytes(TypeDefinition(type=type_), type_)
            found.append(replace(column, type=type_, width_bytes=width))
        return found


def _refuse_other(old: _Draft, new: _Draft) -> None:
    """Raise unless `new` is `old` once more."""
    if old.schema == new.schema and old.columns == new.columns:
        return
    schemas = (
        f" in the schemas '{old.schema}' and '{new.schema}'" if old.schema != new.schema else ""
    )
    raise CatalogError(
        f"Table '{new.name}' is defined twice{schemas} ({old.place.origin}:{old.place.line} and"
        f" {new.place.origin}:{new.place.line}): statements are read without schemas, so leave"
        " one of them out."
    )


def _renamed(
    columns: dict[str, ColumnDefinition], names: Mapping[str, str]
) -> dict[str, ColumnDefinition]:
    """Return `columns` with new names, in the same order."""
    new = {old.lower(): name for old, name in names.items()}
    return {
        new.get(key, key).lower(): replace(column, name=new.get(key, column.name))
        for key, column in columns.items()
    }
