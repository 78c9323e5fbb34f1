"""DuckDB over the samples of a catalog, to count on them instead of guessing."""

from typing import Any, Self

import duckdb

from workloads.catalog import Catalog, Table
from workloads.duck import literal, quoted
from workloads.errors import CatalogError
from workloads.estimation.kept_answers import KeptAnswers

LOOKUP_ROWS = 20_000_000
"""Larger tables are not read as a whole, only their sample."""

LOADED_BYTES = 128 * 2**20
"""Tables of at most so many bytes are read into memory when they are first read as a whole."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "temp_directory": "",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # A thousand statements of a few milliseconds: threads take a third more for waiting than they
    # give, and the order in which DuckDB adds up would hang on them.
    "threads": 1,
}


class SampleDatabase:
    """Samples and small tables in memory; answers are remembered by their SQL.

    Statements that `kept` knows are not run. DuckDB opens for the first other one, loads the tables
    that a statement reads before it, and closes at the end of a `with` block.
    """

    def __init__(self, catalog: Catalog, kept: KeptAnswers | None = None) -> None:
        self._kept = kept
        self._waiting: dict[str, tuple[str, Table]] = {}
        self._tables = {name.lower(): table for name, table in catalog.tables.items()}
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._rows: dict[str, int] = {}
        self._loaded: set[str] = set()
        self._answers: dict[str, list[tuple[Any, ...]] | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept is not None:
            self._kept.write()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def has(self, table: Table) -> bool:
        """Whether there is a sample of `table`."""
        return table.sample is not None

    def can_look_up(self, table: Table) -> bool:
        """Whether `table` can be read as a whole: it is its own sample, or not too large."""
        return self.is_whole(table) or (table.parquet is not None and table.rows <= LOOKUP_ROWS)

    def is_whole(self, table: Table) -> bool:
        """Whether the sample of `table` holds all its rows."""
        return self.sample_rows(table) >= table.rows

    def scale(self, table: Table) -> float:
        """Return how many rows of `table` one of its sample stands for: of no rows, itself."""
        return max(1.0, table.rows / max(1, self.sample_rows(table)))

    def sample_rows(self, table: Table) -> int:
        """Return the rows of the sample."""
        self.sample(table)
        return self._rows[table.name]

    def sample(self, table: Table) -> str:
        """Return the relation that holds the sample of `table`, to be used in FROM.

        Raises:
            CatalogError: It cannot be read.
        """
        name = quoted(f"sample of {table.name}")
        if table.name not in self._rows:
            if table.sample is None:
                raise KeyError(table.name)
            self._waiting[name] = f"read_parquet({literal(table.sample)})", table
            ((self._rows[table.name],),) = self._asked(f"SELECT count(*) FROM {name}")  # noqa: S608
        return name

    def whole(self, table: Table) -> str:
        """Return the relation that holds all rows of `table`, to be used in FROM."""
        if self.is_whole(table) or table.parquet is None:
            return self.sample(table)
        relation = f"read_parquet({literal(table.parquet)}, hive_partitioning = false)"
        if table.bytes > LOADED_BYTES:
            return relation
        name = quoted(f"all of {table.name}")
        if table.name not in self._loaded:
            self._waiting[name] = relation, table
            self._loaded.add(table.name)
        return name

    def ask(self, sql: str) -> list[tuple[Any, ...]] | None:
        """Return the rows of a query; None where DuckDB cannot run it.

        A condition may be one that DuckDB reads otherwise than the workload's own system.
        """
        if sql not in self._answers:
            try:
                self._answers[sql] = self._asked(sql)
            except duckdb.Error:
                self._answers[sql] = None
        return self._answers[sql]

    def _load(self, name: str, relation: str, table: Table) -> None:
        try:
            self._run(f"CREATE TABLE {name} AS FROM {relation}")
        except duckdb.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise CatalogError(
                f"Table '{table.name}' or its sample ({table.sample}) cannot be read ({reason}):"
                " run again, so that it is measured anew."
            ) from error

    def _asked(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query that reads samples and tables, kept or not."""
        known = self._kept.get(sql) if self._kept is not None else None
        if known is not None:
            return known
        for name in [name for name in self._waiting if name in sql]:
            self._load(name, *self._waiting.pop(name))
        found = self._run(sql)
        if self._kept is not None:
            self._kept.keep(sql, found)
        return found

    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        if self._connection is None:
            self._connection = duckdb.connect(":memory:", config=_CONFIG)
        return self._connection.execute(sql).fetchall()
