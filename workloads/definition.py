"""Definitions from DDL, as plain facts without SQL text."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from workloads.catalog import ForeignKey, View
from workloads.indexes import Index
from workloads.partition_bounds import PartitionBounds


class TableName(NamedTuple):
    """A table's name, and the schema that stands before it: "" where none does."""

    name: str
    schema: str = ""

    @property
    def lower(self) -> "TableName":
        """The same in small letters: names match in any case."""
        return TableName(self.name.lower(), self.schema.lower())

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


def table_name(text: str) -> TableName:
    """Return the name that is written ``schema.name`` or ``name``."""
    schema, _, name = text.rpartition(".")
    return TableName(name, schema.rpartition(".")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDefinition:
    """A column's type. `type` is its name in DuckDB's SQL, as near as sqlglot knows it.

    `length` is the most characters or bytes that a value may have, None without a limit, and
    `padded` says that every value is as long. `labels` are the values of an enumeration.
    `named` is the type's own name where the statement does not say what it is.
    """

    type: str
    length: int | None = None
    padded: bool = False
    labels: tuple[str, ...] = ()
    named: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefinition:
    """A column; `type` is None where the statement gives it none, as SQLite allows."""

    name: str
    type: TypeDefinition | None
    not_null: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Keys and indexes of one table. A foreign key without `references` means the primary key.

    The tables of foreign keys are as they were written, with a schema or without one.
    """

    primary: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign: tuple[ForeignKey, ...] = ()
    indexes: tuple[Index, ...] = ()

    def __add__(self, other: "Keys") -> "Keys":
        """Return both; the later primary key counts."""
        return Keys(
            primary=other.primary or self.primary,
            unique=self.unique + other.unique,
            foreign=self.foreign + other.foreign,
            indexes=self.indexes + other.indexes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDefinition:
    """CREATE TABLE. `like` are tables whose columns it has first, `query` what it is filled from.

    Those of them that are `parents` have its rows too, as it inherits from them.

    A materialised view is one that `is_view`, with names for the columns of its query, if given.
    `partition_of` is the table that it holds a part of, with `bounds` where they are understood.
    `partition_keys` are what its own partitions are told apart by, as SQL: columns are quoted.
    The rows of one that `is_foreign` are on another server. `existing` says what becomes of a table
    of that name: an error, 'kept', or 'replaced'.
    """

    name: str
    schema: str
    columns: tuple[ColumnDefinition, ...] = ()
    keys: Keys = Keys()
    like: tuple[TableName, ...] = ()
    parents: tuple[TableName, ...] = ()
    query: str | None = None
    query_columns: tuple[str, ...] = ()
    is_view: bool = False
    partition_of: TableName | None = None
    bounds: PartitionBounds | None = None
    partition_keys: tuple[str, ...] = ()
    is_foreign: bool = False
    existing: Literal["error", "kept", "replaced"] = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """ALTER TABLE: columns added or changed (old name → column), dropped, renamed, and keys.

    `partitions` are tables that become parts of it, with their bounds where these are understood,
    and `detached` those that are parts no longer. `parents` are those that it inherits from
    afterwards, and `former_parents` those that it inherits from no longer.
    """

    table: TableName
    columns: tuple[tuple[str, ColumnDefinition], ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    renamed_to: str | None = None
    keys: Keys = Keys()
    partitions: tuple[tuple[TableName, PartitionBounds | None], ...] = ()
    detached: tuple[TableName, ...] = ()
    parents: tuple[TableName, ...] = ()
    former_parents: tuple[TableName, ...] = ()

    def __add__(self, other: "Alteration") -> "Alteration":
        """Return both, one after the other."""
        return Alteration(
            table=self.table,
            columns=self.columns + other.columns,
            dropped=self.dropped + other.dropped,
            renamed=self.renamed + other.renamed,
            renamed_to=other.renamed_to or self.renamed_to,
            keys=self.keys + other.keys,
            partitions=self.partitions + other.partitions,
            detached=self.detached + other.detached,
            parents=self.parents + other.parents,
            former_parents=self.former_parents + other.former_parents,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """DROP TABLE or DROP VIEW."""

    names: tuple[TableName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSchema:
    """USE or SET search_path: where tables without a schema are from here on; "" is not known."""

    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedType:
    """CREATE TYPE … AS ENUM, or CREATE DOMAIN."""

    name: str
    type: TypeDefinition


Definition = TableDefinition | View | Alteration | Removal | NamedType | CurrentSchema
