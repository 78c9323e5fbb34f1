"""The statements for one table in one store: make a copy, sum it up, publish it, drop it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.kinds import SQL_KINDS
from evaluation.store_protocol.columns import is_bytes, is_text, quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import CHANGING, index_mark, named_indexes
from evaluation.store_protocol.register import (
    REGISTER,
    Register,
    as_of_any,
    registered,
    staging_name,
)
from evaluation.stores.table_sql import KINDS_OF_TEXT, SINGLE, ZONED, TableSql
from workloads.catalog import Column, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatements:
    """The statements for `table` in one store. A new copy is made under its `staging` name."""

    connection: Connection
    table: Table

    @property
    def name(self) -> str:
        """The quoted, qualified name of the published copy."""
        return self._qualified(self.table.name)

    @property
    def relation(self) -> str:
        """The relation to read: the published copy, or the store's own table as copies are."""
        if self.table.origin is None or self.table.origin.store != self.connection.store:
            return self.name
        columns = ", ".join(
            f"{(each.read_as or '{}').replace('{}', self._quoted(each.name))}"
            f" AS {self._quoted(each.name)}"
            for each in self.table.columns
        )
        name = f"{self._quoted(self.table.schema)}.{self._quoted(self.table.own_name)}"
        return f"(SELECT {columns} FROM {name}) own"  # noqa: S608 - quoted

    @property
    def staging(self) -> str:
        """The quoted, qualified name of a copy that is not published yet."""
        return self._qualified(staging_name(self.table.name))

    def rows(self) -> str:
        """Read all rows, every value as it is: MySQL shows a FLOAT with six digits."""
        columns = ", ".join(map(self._read, self.table.columns))
        return f"SELECT {columns} FROM {self.relation}"  # noqa: S608 - quoted

    def _read(self, column: Column) -> str:
        sql, name = self._sql, self._quoted(column.name)
        kind = column.type.upper()
        if sql.rounds_floats and kind in SINGLE:
            return f"{sql.double.format(name)} AS {name}"
        return f"{sql.in_utc.format(name)} AS {name}" if kind in ZONED else name

    def prepare(self) -> tuple[str, ...]:
        """Create the namespace and its register, where they are missing."""
        namespace = quoted(self.connection.namespace, self._sql.mark)
        return self._sql.namespace.format(namespace), self._register.create

    def create(self) -> tuple[str, ...]:
        """Make the staging table, empty."""
        columns = ", ".join(f"{self._quoted(name)} {kind}" for name, kind in self._types.items())
        return f"DROP TABLE IF EXISTS {self.staging}", f"CREATE TABLE {self.staging} ({columns})"

    @property
    def _types(self) -> Mapping[str, str]:
        """The types of the columns of a new copy, in which their values arrive."""
        types = self._sql.types
        return {
            column.name: types.of(self.connection.store, self.table, column)
            if types
            else column.type
            for column in map(_without_zone, self.table.columns)
        }

    def create_from(self, parquet: str) -> tuple[str, ...]:
        """Make the staging table of the Parquet files that a pattern names (DuckDB)."""
        columns = ", ".join(
            f"CAST({self._quoted(c.name)}{_zone_of(c)} AS {c.type}) AS {self._quoted(c.name)}"
            for c in self.table.columns
        )
        rows = f"SELECT {columns} FROM read_parquet({self._sql.literal(parquet)})"  # noqa: S608
        return (f"CREATE OR REPLACE TABLE {self.staging} AS {rows}",)

    def complete(self) -> tuple[str, ...]:
        """Give the staged copy what its rows arrived without: time zones, keys, statistics.

        It gets a primary key where the store has one of its types, and the indexes.
        """
        key = [self.table.column(name) for name in self.table.primary_key]
        statements = [
            self._sql.from_utc.format(table=self.staging, column=self._quoted(column.name))
            for column in self.table.columns
            if self._sql.from_utc and column.type.upper() in ZONED
        ]
        wanted = key and self._sql.types is not None
        if wanted and (
            self._sql.text_keys or not any(is_text(each) or is_bytes(each) for each in key)
        ):
            names = ", ".join(self._quoted(column.name) for column in key)
            statements.append(f"ALTER TABLE {self.staging} ADD PRIMARY KEY ({names})")
        if self._sql.indexes is not None:
            statements += self._sql.indexes.staged(self.table, self.staging, self._types)
        return (*statements, self._sql.complete.format(self.staging))

    def sums(self, *, staged: bool) -> str:
        """Count and sum up a copy; the one row is the same for equal copies in all stores."""
        sql = self._sql
        values = [sql.value(column) for column in self.table.columns]
        row = sql.joined.format(sql.comma.join(values))
        extremes = [
            sql.double.format(f"{function}({self._quoted(column.name)})")
            for column in self.table.columns
            if KINDS_OF_TEXT.get(column.type.upper()) == "floating"
            for function in ("min", "max")
        ]
        shown = ", ".join(
            (
                "count(*) AS copied_rows",
                f"coalesce(sum({sql.number.format(row)}), 0) AS checksum",
                *extremes,
            )
        )
        return f"SELECT {shown} FROM {self.staging if staged else self.relation}"  # noqa: S608 - quoted

    def publish(self, load_s: float) -> tuple[str, ...]:
        """Let the staged copy appear under its name, and enter it in the register."""
        sql = self._sql
        rename = sql.rename.format(
            staging=self.staging, name=self._quoted(self.table.name), target=self.name
        )
        entry = ", ".join(
            (
                sql.literal(self.table.name),
                sql.literal(registered(self.table.fingerprint, self._as_of, self._indexes)),
                str(self.table.rows),
                repr(load_s),
                "CURRENT_TIMESTAMP",
            )
        )
        indexes, namespace = sql.indexes, self.connection.namespace
        return (
            *sql.begin,
            f"DROP TABLE IF EXISTS {self.name}",
            rename,
            *(() if indexes is None else indexes.renaming(self.table, namespace)),
            self._register.forget,
            f"INSERT INTO {self._register.name} VALUES ({entry})",  # noqa: S608 - quoted
            *sql.end,
        )

    def reindex(self, before: Table) -> tuple[str, ...]:
        """Change the indexes of the published copy from those of `before` to those of the table.

        Done again, it does what is left. The register is told so only where it says that the copy
        had these rows and the indexes of `before`. Of a copy with others it says that they are
        being changed: it may lose some of them, and is vouched for no more.
        """
        sql, namespace = self._sql, self.connection.namespace
        if sql.indexes is None:
            return ()
        had, wanted = named_indexes(before), named_indexes(self.table)
        changed: list[str] = []
        for name in sorted(had.keys() - wanted.keys()):
            changed += sql.indexes.dropping(self.table, name, namespace)
        for name in sorted(wanted.keys() - had.keys()):
            changed += sql.indexes.adding(self.table, wanted[name], name, namespace)
        amid = f"{CHANGING} to {index_mark(self.table) or 'none'}"
        return (
            *sql.begin,
            self._doubted((index_mark(before), amid, self._indexes)),
            self._told(index_mark(before), amid),
            *changed,
            sql.complete.format(self.name),
            self._told(amid, self._indexes),
            *sql.end,
        )

    def _doubted(self, known: Sequence[str]) -> str:
        """Let the register say of a copy with indexes of no `known` mark that they are changing."""
        literal, fingerprint = self._sql.literal, self.table.fingerprint
        kept = [registered(fingerprint, indexes=each) for each in known]
        others = " AND ".join(
            f"fingerprint <> {literal(each)}"
            f" AND left(fingerprint, {len(as_of_any(each))}) <> {literal(as_of_any(each))}"
            for each in kept
        )
        lying, new = registered(fingerprint), registered(fingerprint, indexes=CHANGING)
        mark = as_of_any("")
        found = f"position({literal(mark)} IN fingerprint)"
        return (
            f"UPDATE {self._register.name}"  # noqa: S608 - quoted
            f" SET fingerprint = CASE WHEN {found} > 0 THEN concat({literal(new)},"
            f" substr(fingerprint, {found})) ELSE {literal(new)} END"
            f" WHERE table_name = {literal(self.table.name)}"
            f" AND left(fingerprint, {len(lying)}) = {literal(lying)} AND {others}"
        )

    def _told(self, had: str, indexes: str) -> str:
        """Let the register say that a copy with the indexes marked `had` has others now."""
        literal, fingerprint = self._sql.literal, self.table.fingerprint
        old, new = (registered(fingerprint, indexes=each) for each in (had, indexes))
        dated = as_of_any(old)
        return (
            f"UPDATE {self._register.name}"  # noqa: S608 - quoted
            f" SET fingerprint = replace(fingerprint, {literal(old)}, {literal(new)})"
            f" WHERE table_name = {literal(self.table.name)} AND (fingerprint = {literal(old)}"
            f" OR left(fingerprint, {len(dated)}) = {literal(dated)})"
        )

    def drop(self) -> tuple[str, ...]:
        """Drop the copy and its entry in the register."""
        sql = self._sql
        drop = f"DROP TABLE IF EXISTS {self.name}"
        return (*sql.begin, self._register.forget, drop, *sql.end)

    @property
    def _as_of(self) -> str:
        return "" if self.table.origin is None else self.table.origin.as_of

    @property
    def _indexes(self) -> str:
        kind = SQL_KINDS[self.connection.kind]
        return index_mark(self.table) if kind.backend.makes_indexes else ""

    @property
    def _sql(self) -> TableSql:
        return SQL_KINDS[self.connection.kind].table_sql

    @property
    def _register(self) -> Register:
        return Register(name=self._qualified(REGISTER), mark=self._sql.literal(self.table.name))

    def _qualified(self, name: str) -> str:
        return SQL_KINDS[self.connection.kind].backend.table_name(self.connection, name)

    def _quoted(self, name: str) -> str:
        return quoted(name, self._sql.mark)


def _without_zone(column: Column) -> Column:
    """Return the column in the type in which its moments arrive."""
    return replace(column, type="TIMESTAMP") if column.type.upper() in ZONED else column


def _zone_of(column: Column) -> str:
    return " AT TIME ZONE 'UTC'" if column.type.upper() in ZONED else ""
