"""Small databases drawn at random: schema, keys with and without partners, awkward data."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from tests.fuzzing.values import family, literal
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet

TYPES = (
    *("INTEGER",) * 5, *("BIGINT",) * 3, "TINYINT", "SMALLINT", "UTINYINT", "USMALLINT",
    "UINTEGER", "UBIGINT", *("VARCHAR",) * 6, *("DOUBLE",) * 3, "FLOAT", "FLOAT",
    *("BOOLEAN",) * 2, *("DATE",) * 3, *("TIMESTAMP",) * 2, "DECIMAL(7,2)", "DECIMAL(15,4)",
    "DECIMAL(4,1)", "DECIMAL(18,0)", "DECIMAL(38,10)", "DECIMAL(38,0)", "DECIMAL(20,18)",
)  # fmt: skip
_TABLES = ("t1", "t2", "t3", "items", "Orders", "my table", "group", "user", "a", "Über")
_PLAIN = ("k", "v", "s", "n", "x", "d", "ts", "flag", "price", "name", "w")
_AWKWARD = ("order", "at", "select", "group", "My Col", "Key", "é", "date", "value", "end", "a.b")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpec:
    """A column: its name as it is, and DuckDB's type."""

    name: str
    type: str

    @property
    def family(self) -> str:
        """Return the family of its type."""
        return family(self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """A table and its rows, each value as a literal. `key` is a column without duplicates."""

    name: str
    columns: tuple[ColumnSpec, ...]
    rows: tuple[tuple[str, ...], ...]
    key: str | None = None

    def ddl(self) -> list[str]:
        """Return the statements that make it."""
        columns = ", ".join(f"{quoted(each.name)} {each.type}" for each in self.columns)
        made = [f"CREATE TABLE {quoted(self.name)} ({columns})"]
        if self.rows:
            rows = ", ".join(f"({', '.join(row)})" for row in self.rows)
            made.append(f"INSERT INTO {quoted(self.name)} VALUES {rows}")
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """The tables that statements are drawn over."""

    tables: tuple[TableSpec, ...]

    def ddl(self) -> list[str]:
        """Return the statements that make it."""
        return [statement for table in self.tables for statement in table.ddl()]

    def with_rows(self, table: TableSpec, rows: Sequence[tuple[str, ...]]) -> "Database":
        """Return the database with other rows in one table."""
        other = replace(table, rows=tuple(rows))
        return Database(tables=tuple(other if one is table else one for one in self.tables))

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a connection to a DuckDB in memory that holds it."""
        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute("SET TimeZone = 'UTC'")
        for statement in self.ddl():
            connection.execute(statement)
        return connection

    def catalog(self, folder: Path) -> Catalog:
        """Write its tables to Parquet in `folder` and measure them, as `analyze` does."""
        folder.mkdir(parents=True, exist_ok=True)
        self._write(folder)
        found = parquet.catalog(folder, cache=folder.parent / "measured", progress=Silent())
        keys = {table.name: (table.key,) for table in self.tables if table.key}
        tables = {
            name: replace(table, primary_key=keys.get(name, ()))
            for name, table in found.tables.items()
        }
        return Catalog(name="fuzz", tables=tables)

    def connect_to_parquet(self, folder: Path) -> duckdb.DuckDBPyConnection:
        """Return a connection to a DuckDB that reads its tables from Parquet in `folder`."""
        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute("SET TimeZone = 'UTC'")
        for name, path in self._write(folder):
            connection.execute(f"CREATE VIEW {quoted(name)} AS FROM read_parquet('{path}')")
        return connection

    def _write(self, folder: Path) -> list[tuple[str, str]]:
        """Write its tables to Parquet; return their names and the paths, as SQL has them."""
        paths = [
            (table.name, str(folder / f"{table.name}.parquet").replace("'", "''"))
            for table in self.tables
        ]
        with self.connect() as connection:
            for name, path in paths:
                connection.execute(f"COPY {quoted(name)} TO '{path}'")
        return paths


def quoted(name: str) -> str:
    """Return a name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def draw_database(seed: int) -> Database:
    """Return the database of a seed; every tenth has doubles that are no numbers."""
    choose = random.Random(f"database {seed}")
    names = choose.sample(_TABLES, choose.randint(2, 6))
    shared = [_column(choose, name) for name in choose.sample(_PLAIN[:5], 2)]
    tables = tuple(_table(choose, name, shared) for name in names)
    if seed % 10 == 7:
        tables = (*tables[:-1], _with_infinities(choose, tables[-1]))
    return Database(tables=tables)


def _with_infinities(choose: random.Random, table: TableSpec) -> TableSpec:
    """Return a table with a column of doubles that some stores cannot hold."""
    values = [f"CAST('{each}' AS DOUBLE)" for each in ("nan", "inf", "-inf", "1.5", "0.0")]
    return replace(
        table,
        columns=(*table.columns, ColumnSpec(name="inf", type="DOUBLE")),
        rows=tuple((*row, choose.choice(values)) for row in table.rows),
    )


def _column(choose: random.Random, name: str) -> ColumnSpec:
    return ColumnSpec(name=name, type=choose.choice(TYPES))


def _table(choose: random.Random, name: str, shared: Sequence[ColumnSpec]) -> TableSpec:
    """Draw a table: a key in most, columns that others have too, and some of its own."""
    columns: list[ColumnSpec] = []
    has_key = choose.random() < 0.7
    if has_key:
        columns.append(ColumnSpec(name="id", type=choose.choice(("INTEGER", "BIGINT", "INTEGER"))))
    columns += [each for each in shared if choose.random() < 0.7]
    taken = {each.name.lower() for each in columns}
    for _ in range(choose.randint(1, 5)):
        other = choose.choice(_AWKWARD if choose.random() < 0.25 else _PLAIN)
        if other.lower() not in taken:
            taken.add(other.lower())
            columns.append(_column(choose, other))
    size = choose.choice((0, 1, 3, 6, 8, 10, 10, 12, 12, 16, 16, 20, 20, 24, 30))
    drawn = [_values(choose, each, size) for each in columns[has_key:]]
    if has_key:
        start = choose.choice((0, 1, 1, -2))
        drawn.insert(0, [str(start + number) for number in range(size)])
    rows = tuple(zip(*drawn, strict=True)) if size else ()
    return TableSpec(
        name=name,
        columns=tuple(columns),
        rows=rows,
        key="id" if has_key and choose.random() < 0.7 else None,
    )


def _values(choose: random.Random, column: ColumnSpec, size: int) -> list[str]:
    """Draw a column's values: NULLs in most, few distinct ones in some."""
    strange = choose.random() < 0.3
    null_share = choose.choice((0.0, 0.1, 0.1, 0.3, 1.0 if choose.random() < 0.1 else 0.2))
    few = choose.random() < 0.3
    pool = [literal(choose, column.type, strange=strange) for _ in range(3 if few else 12)]
    return ["NULL" if choose.random() < null_share else choose.choice(pool) for _ in range(size)]
