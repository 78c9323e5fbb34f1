"""A table while its DDL is read."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from workloads.catalog import Column, ColumnStatistics, Table
from workloads.definition import (
    Alteration,
    ColumnDefinition,
    Keys,
    TableDefinition,
    TableName,
    TypeDefinition,
)
from workloads.errors import CatalogError
from workloads.schema_names import other_own_name
from workloads.sources.ddl.duck_types import DuckTypes
from workloads.sources.ddl.table_keys import identity, indexes, spelled
from workloads.sources.ddl.type_widths import mean_width_bytes
from workloads.workload import Query

_TEXT = TypeDefinition(type="VARCHAR")


@dataclass(slots=True)
class Draft:
    """A table so far; `columns` by name in small letters, `place` where it is defined.

    `query` fills it, whose columns are called `query_columns` where these are named. It is run
    again and again if the table `is_view`: a materialised one.
    """

    name: TableName
    place: Query
    dialect: str
    columns: dict[str, ColumnDefinition] = field(default_factory=dict)
    keys: Keys = field(default_factory=Keys)
    query: str | None = None
    query_columns: tuple[str, ...] = ()
    is_view: bool = False
    partition_keys: tuple[str, ...] = ()
    system: str = ""

    def copy(self, other: "Draft", *, with_keys: bool) -> None:
        """Have the columns of another one."""
        self.columns |= other.columns
        if with_keys:
            self.keys = replace(other.keys, foreign=()) + self.keys

    def alter(self, found: Alteration) -> None:
        """Change its columns and keys."""
        for old, column in found.columns:
            before = self.columns.get(old.lower())
            renamed = {} if before is None else {old: column.name}
            self.columns = _with_renamed(self.columns, renamed)
            self.columns[column.name.lower()] = column
        self.columns = _with_renamed(self.columns, dict(found.renamed))
        for name in found.dropped:
            self.columns.pop(name.lower(), None)
        self.keys += found.keys


def draft_of(
    found: TableDefinition, name: TableName, place: Query, *, dialect: str, system: str
) -> Draft:
    """Return the draft of a table that is called `name`, so far without its columns."""
    return Draft(
        name=name,
        place=place,
        dialect=dialect,
        system=system,
        keys=found.keys,
        query=found.query,
        query_columns=found.query_columns,
        is_view=found.is_view,
        partition_keys=found.partition_keys,
    )


def refuse_other(old: Draft, new: Draft) -> None:
    """Raise CatalogError unless `new` is `old` once more."""
    if old.columns == new.columns:
        return
    raise CatalogError(
        f"Table '{new.name}' is defined twice ({old.place.origin}:{old.place.line} and"
        f" {new.place.origin}:{new.place.line}): leave one of them out."
    )


def _with_renamed(
    columns: dict[str, ColumnDefinition], names: Mapping[str, str]
) -> dict[str, ColumnDefinition]:
    """Return `columns` with new names, in the same order."""
    new = {old.lower(): name for old, name in names.items()}
    return {
        new.get(key, key).lower(): replace(column, name=new.get(key, column.name))
        for key, column in columns.items()
    }


def defined_column(
    column: ColumnDefinition, types: DuckTypes, named: Mapping[str, TypeDefinition]
) -> Column:
    """Return a column as the catalog has it; `named` are the types that DDL gives names."""
    defined = column.type or _TEXT
    if defined.named is not None:
        defined = named.get(defined.named.lower(), defined)
    type_ = types.name(defined.type)
    distinct = len(defined.labels) or (2 if type_ == "BOOLEAN" else 0)
    return Column(
        name=column.name,
        type=type_,
        width_bytes=mean_width_bytes(defined, type_),
        statistics=ColumnStatistics(distinct=distinct, null_share=0.0) if distinct else None,
    )


def table_of(draft: Draft, name: str, columns: Sequence[Column], rows: int) -> Table:
    """Return the table that a draft is, called `name` in the catalog."""
    names = {column.name.lower(): column.name for column in columns}
    shape = f"{name} {rows} {list(columns)}"
    key = spelled(identity(draft.keys, draft.columns.values()), names)
    return Table(
        name=name,
        schema=draft.name.schema,
        own=other_own_name(draft.name.name, name, draft.name.schema),
        columns=tuple(columns),
        rows=rows,
        system=draft.system,
        fingerprint=hashlib.sha256(shape.encode()).hexdigest(),
        primary_key=key,
        indexes=indexes(draft.keys, key, columns),
        foreign_keys=tuple(
            replace(key, columns=spelled(key.columns, names))
            for key in draft.keys.foreign
            if spelled(key.columns, names)
        ),
    )
