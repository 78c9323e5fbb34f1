"""DuckDB with the tables and views of a catalog, over their Parquet."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from evaluation.judging.answer import Answer, AnswerColumn, Row
from evaluation.judging.duckdb_answer import (
    answer_as_written,
    places_told,
    settled_answer,
    told,
    with_texts,
)
from workloads.catalog import Catalog, Column, Table, View
from workloads.errors import CatalogError, SqlError
from workloads.sql.translate import translate
from workloads.workload import Query

ROW_NUMBER = '"number of the row"'
"""The column by which the rows of a table can be sorted: their numbers in its Parquet, from 1."""

_PART_ROWS = 10_000


class Database:
    """A database in memory, which can read the catalog's files and nothing else.

    `ordered` returns the terms by which the rows of a table are sorted and kept, of ROW_NUMBER;
    None where they are to be read from its Parquet.

    Raises:
        CatalogError: A table has no Parquet.
    """

    def __init__(
        self, catalog: Catalog, ordered: Callable[[Table], str | None] = lambda _: None
    ) -> None:
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("CREATE SCHEMA stored; CREATE SCHEMA former")
        for table in catalog.tables.values():
            # A live table without rows here is one that no statement reads.
            if table.parquet is not None or table.origin is None:
                self._create_table(table, ordered(table))
        self._refused_views = self._create_views(catalog)
        self._former_names = self._add_former_names(catalog)
        self._shut(catalog)

    def answer(self, sql: str, *, threads: int | None = None) -> Answer:
        """Run a query; with `threads` it has as many.

        Raises:
            duckdb.Error: DuckDB cannot run it.
        """
        with self._limited(threads):
            return settled_answer(self._prepared(self._connection, sql), sql)

    def answer_as_written(self, sql: str) -> Answer | None:
        """Run a query without DuckDB's optimizer; None where that fails or takes too long."""
        with self._limited(1):
            return answer_as_written(self._prepared(self._connection, sql), sql)

    def parts(self, sql: str, columns: Sequence[AnswerColumn]) -> Iterator[Sequence[Row]]:
        """Run a query that has `columns` with one thread; yield some rows of its answer at a time.

        Raises:
            duckdb.Error: DuckDB cannot run it.
        """
        places = places_told(columns)
        with self._limited(1):
            cursor = self._prepared(self._connection.cursor(), sql)
            cursor.execute(with_texts(sql, len(columns), places) if places else sql)
        while rows := cursor.fetchmany(_PART_ROWS):
            yield [told(row, columns, places) for row in rows] if places else rows
        cursor.close()

    def unstable(self) -> frozenset[str]:
        """Return the functions whose values change from one run to the next."""
        rows = self._connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'"
        ).fetchall()
        return frozenset(str(row[0]).lower() for row in rows)

    def refusal(self, error: Exception) -> str:
        """Return what DuckDB says in one line, or why it has refused the view that it lacks."""
        reason = _first_line(error)
        for view, refused in self._refused_views.items():
            if view.lower() in reason.lower():
                return f"view '{view}': {refused}"
        return reason

    def close(self) -> None:
        """Give the memory back."""
        self._connection.close()

    def _prepared(
        self, connection: duckdb.DuckDBPyConnection, sql: str
    ) -> duckdb.DuckDBPyConnection:
        words = {word.lower() for word in re.findall(r"\w+", sql)}
        schemas = "former,main" if words & self._former_names else "main"
        connection.execute(f"SET search_path = '{schemas}'; SET TimeZone = 'UTC'")
        return connection

    @contextmanager
    def _limited(self, threads: int | None) -> Iterator[None]:
        if threads is None:
            yield
            return
        self._connection.execute(f"SET threads = {threads}")
        try:
            yield
        finally:
            self._connection.execute("RESET threads")

    def _create_table(self, table: Table, terms: str | None) -> None:
        if table.parquet is None:
            raise CatalogError(f"Table '{table.name}' has no Parquet to compare results with.")
        name, path = quoted(table.name), str(table.parquet).replace("'", "''")
        columns = [_read_whole(column) for column in table.columns]
        plain = not table.left_out and columns == [quoted(each.name) for each in table.columns]
        shown = "" if plain else f"SELECT {', '.join(columns)} "
        read = f"{shown}FROM read_parquet('{path}', hive_partitioning = false)"
        if terms is None:
            self._connection.execute(f"CREATE VIEW {name} AS {read}")
            return
        self._connection.execute(f"CREATE VIEW stored.{name} AS {read}")
        self._connection.execute(
            f"CREATE TABLE {name} AS SELECT * EXCLUDE ({ROW_NUMBER}) FROM "  # noqa: S608
            f"(SELECT *, row_number() OVER () AS {ROW_NUMBER} FROM stored.{name}) ORDER BY {terms}"
        )

    def _add_former_names(self, catalog: Catalog) -> frozenset[str]:
        """Create tables with their columns' former names beside the others; return the names.

        They lie in a schema of their own, for statements that use one.
        """
        found: set[str] = set()
        for table in catalog.tables.values():
            if table.former_names and table.parquet is not None:
                name = quoted(table.name)
                added = ", ".join(
                    f"{quoted(present)} AS {quoted(former)}"
                    for former, present in table.former_names.items()
                )
                self._connection.execute(
                    f"CREATE VIEW former.{name} AS SELECT *, {added} FROM main.{name}"  # noqa: S608
                )
                found |= table.former_names.keys()
        return frozenset(found)

    def _create_views(self, catalog: Catalog) -> dict[str, str]:
        """Create the catalog's views, and return those that DuckDB refuses with its reasons.

        A view that reads another is refused until that is there, so that rounds are made until
        one changes nothing.
        """
        known = {name.lower() for name in catalog.tables}
        if "dual" not in known | {name.lower() for name in catalog.views}:
            self._connection.execute("CREATE VIEW dual AS SELECT 'X' AS dummy")
        waiting = {name: view for name, view in catalog.views.items() if name.lower() not in known}
        refused: dict[str, str] = {}
        while waiting:
            refused = {}
            for view in waiting.values():
                try:
                    self._connection.execute(_definition(view))
                except (duckdb.Error, SqlError) as error:
                    refused[view.name] = _first_line(error)
            if len(refused) == len(waiting):
                break
            waiting = {name: view for name, view in waiting.items() if view.name in refused}
        return refused

    def _shut(self, catalog: Catalog) -> None:
        """Let statements read the folders of the catalog's files and nothing else."""
        folders = {
            _folder(table.parquet) for table in catalog.tables.values() if table.parquet is not None
        }
        listed = ", ".join("'" + folder.replace("'", "''") + "'" for folder in sorted(folders))
        self._connection.execute(f"SET allowed_directories = [{listed}]")
        self._connection.execute("SET enable_external_access = false")


def quoted(name: str) -> str:
    """Return a name as DuckDB takes it literally."""
    return '"' + name.replace('"', '""') + '"'


def _folder(parquet: Path) -> str:
    """Return the folder that holds a file, or all files of a glob."""
    folder = parquet.absolute().parent
    while set("*?[") & set(str(folder)):
        folder = folder.parent
    return str(folder)


def _definition(view: View) -> str:
    query = Query(name=view.name, sql=view.sql, origin=f"view {view.name}")
    columns = ", ".join(map(quoted, view.columns))
    listed = f" ({columns})" if columns else ""
    return f"CREATE VIEW {quoted(view.name)}{listed} AS {translate(query, view.dialect, 'duckdb')}"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _read_whole(column: Column) -> str:
    """Return the SQL of a column such that no comparison of bytes is made while Parquet is read.

    DuckDB 1.5 looks there for bytes that are no ASCII under another hash than its own writer's
    (in a Bloom filter), and finds none.
    """
    name = quoted(column.name)
    return f"{name} || ''::BLOB AS {name}" if column.type == "BLOB" else name
