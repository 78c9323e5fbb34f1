"""Tables, their columns and what is known of their contents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from workloads.errors import CatalogError
from workloads.indexes import Index
from workloads.schema_names import own_name
from workloads.search_path import RolePath, SearchPath

Value = str | float
"""A column's value in statistics: text, or a number (a date is its days since 1970-01-01)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnStatistics:
    """Statistics of a column's values.

    `minimum` and `maximum` are numbers; dates count days since 1970-01-01, text has none.
    `common` holds the most common values, the most frequent first, each with its share (0..1) of
    all rows. `histogram` holds the bounds, in ascending order, of buckets that hold equally many
    of the rows whose value is neither NULL nor in `common`. Values are numbers, as `minimum` is,
    or text. `correlation` is that of the values with the order of the rows, -1..1, where it is
    known: rows that are neighbours in their values are then near one another. `is_finite` tells
    that no value is NaN or infinite, where that is known of numbers, days and moments. `years` are
    the first and the last of finite days and moments, exactly. `has_nul` tells that a text has the
    character U+0000.
    """

    distinct: int
    null_share: float
    minimum: float | None = None
    maximum: float | None = None
    common: tuple[tuple[Value, float], ...] = ()
    histogram: tuple[Value, ...] = ()
    correlation: float | None = None
    is_finite: bool | None = None
    years: tuple[int, int] | None = None
    has_nul: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column. `type` is DuckDB's name of it, `width_bytes` the mean width of a value.

    `own_type` is DuckDB's type of the values where `type` is only how they are carried: a UUID as
    text. It is "" where both are one. `read_as` is how the table's own store reads the value as
    `type`, in its SQL; ``{}`` is the column. It is "" where that is the column alone.
    """

    name: str
    type: str
    width_bytes: float
    statistics: ColumnStatistics | None = None
    own_type: str = ""
    read_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """Columns that refer to the key of another table, pair by pair."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A named query, in sqlglot's dialect `dialect`. `columns` renames its output, if given.

    `name`, `schema` and `own` are as those of a `Table`.
    """

    name: str
    sql: str
    dialect: str
    columns: tuple[str, ...] = ()
    schema: str = ""
    own: str = ""

    @property
    def own_name(self) -> str:
        """The view's name in its schema."""
        return self.own or own_name(self.name, self.schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The store of a project that has a table by itself, under its `schema` and `own_name`.

    `as_of` is when its rows were read into `Table.parquet`, in UTC, and `mark` what tells its store
    later whether they have changed since, or "" where it could not. Both are "" where they were not
    read. Rows of one that `is_too_large` are never read here: the mark alone was asked for then.
    """

    store: str
    as_of: str = ""
    mark: str = ""
    is_too_large: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: its shape, its size and where its Parquet lies.

    `fingerprint` changes whenever the contents may have changed; a store that holds a complete
    copy remembers it. `parquet` is a file or a glob that DuckDB and Spark both read, `sample` a
    Parquet file of some of its rows, drawn at random with equal chances (all, of a small table).
    `former_names` maps what columns were called in an earlier version, in lower case, to their
    names. `name` is unique in the catalog, and the shortest that is: `own_name`, what it is called
    in its `schema`, or else both with a dot between them. `own` is `own_name` where `name` does not
    tell it: only its case tells it from another. `schema` is "" where nothing tells it.
    `left_out` are columns of the data that no store can hold in any form, with their types: no
    statement may read them. `system` is the SQL of the server that has the table, "" where nothing
    tells it. `origin` is None for a table whose only copies are ours. Of a table that
    `has_children`, others of PostgreSQL's inherit or are partitions: its rows include theirs.
    `indexes` are those beside its primary key. `files_mark` tells whether the user's files of its
    `parquet` are still those that were measured (`workloads.measuring.table_files.files_mark`); ""
    where nobody else writes to them.
    """

    name: str
    columns: tuple[Column, ...]
    rows: int
    fingerprint: str
    primary_key: tuple[str, ...] = ()
    indexes: tuple[Index, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    former_names: Mapping[str, str] = field(default_factory=dict)
    parquet: Path | None = None
    sample: Path | None = None
    schema: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    system: str = ""
    origin: Origin | None = None
    has_children: bool = False
    own: str = ""
    files_mark: str = ""

    @property
    def is_bare(self) -> bool:
        """Whether it has no column that copies have, as in PostgreSQL: no copy can be so."""
        return not self.columns

    @property
    def is_judged(self) -> bool:
        """Whether answers over its rows can be had here, now or once they are read."""
        return self.parquet is not None or self.origin is not None

    @property
    def own_name(self) -> str:
        """The table's name in its schema."""
        return self.own or own_name(self.name, self.schema)

    @property
    def row_bytes(self) -> float:
        """Mean width of a row, in bytes."""
        return sum(column.width_bytes for column in self.columns)

    @property
    def bytes(self) -> int:
        """Size of the table: rows times mean width."""
        return round(self.rows * self.row_bytes)

    def column(self, name: str) -> Column:
        """Return the column called `name`; KeyError where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def type_of(self, name: str) -> str:
        """Return a column's type in capitals, its name in any case; empty where there is none."""
        found = (each for each in self.columns if each.name.lower() == name.lower())
        return next((each.type.upper() for each in found), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All tables and views that a workload may read, by name.

    `functions` are the users' own, and those of extensions, as far as they are known, in small
    letters and without their schemas. `search_paths` are those that its servers keep for roles and
    databases. `assumed_rows` names the tables whose rows nobody could tell.
    """

    name: str
    tables: Mapping[str, Table]
    views: Mapping[str, View] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    search_paths: Mapping[RolePath, SearchPath] = field(default_factory=dict)
    assumed_rows: tuple[str, ...] = ()

    @property
    def relations(self) -> "Iterator[Table | View]":
        """Yield the tables, and then the views."""
        yield from self.tables.values()
        yield from self.views.values()

    @property
    def bytes(self) -> int:
        """Size of all tables."""
        return sum(table.bytes for table in self.tables.values())

    def tables_of(self, store: str) -> Mapping[str, Table]:
        """Return the tables that a store has by itself."""
        return {
            name: table
            for name, table in self.tables.items()
            if table.origin is not None and table.origin.store == store
        }

    def table(self, name: str) -> Table:
        """Return the table called `name`.

        Raises:
            CatalogError: There is none; the message names the nearest one.
        """
        if name in self.tables:
            return self.tables[name]
        near = self.nearest(name)
        hint = f"; the nearest is '{near}'" if near else ""
        raise CatalogError(f"Table '{name}' is not in the catalog '{self.name}'{hint}.")

    def spelled(self, name: str) -> str:
        """Return `name`, which may be in any case, as the known table is called."""
        if name in self.tables:
            return name
        return next((known for known in self.tables if known.lower() == name.lower()), name)

    def nearest(self, name: str) -> str | None:
        """Return the known table whose name is nearest to `name`, if one is near."""
        known = {table.lower(): table for table in self.tables}
        matches = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
        return known[matches[0]] if matches else None

    def of_system(self, system: str) -> "Catalog":
        """Return the catalog without what only servers of other systems have.

        It is the same where no table is told to be of this `system`.
        """
        known = {table.system for table in self.tables.values()} - {""}
        if system not in known or len(known) == 1:
            return self
        others = known - {system}
        return replace(
            self,
            tables={name: each for name, each in self.tables.items() if each.system not in others},
            views={name: each for name, each in self.views.items() if each.dialect not in others},
        )

    def without_values(self) -> "Catalog":
        """Return the catalog without what is known of values: with types, sizes and rows alone."""
        tables = {
            name: replace(
                table,
                columns=tuple(replace(each, statistics=None) for each in table.columns),
                sample=None,
            )
            for name, table in self.tables.items()
        }
        return replace(self, tables=tables)

    def schema(self) -> dict[str, dict[str, str]]:
        """Return table → column → type, without tables that have no columns."""
        told = (table for table in self.tables.values() if table.columns)
        return {each.name: {column.name: column.type for column in each.columns} for each in told}
