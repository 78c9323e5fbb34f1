"""A DuckDB file's own tables: read where they are, by DuckDB itself."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256

import duckdb
import pyarrow as pa

from evaluation.live.csv_rows import UnplacedValueError
from evaluation.live.own_tables import (
    BATCH_ROWS,
    Reader,
    Reading,
    arrow_schema,
    with_readings,
    without,
)
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.duckdb.sessions import session_with
from workloads.catalog import Catalog, Column, Table
from workloads.measuring.columns import best_ways
from workloads.progress import Progress

_TYPES = """
SELECT column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = ? AND table_name = ?
ORDER BY column_index
"""
# A column's collation is told by the statement that would make its table, and by nothing else.
_COLLATED = """
SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database()
AND schema_name = ? AND table_name = ? AND contains(upper(sql), ' COLLATE ')
"""
# By code point, as copies compare it.
_BY_CODE_POINT = '{} COLLATE "C"'
# Decimals and moments are rounded where their type is changed, and never beyond what it holds.
_UNPLACED = (duckdb.ConversionException, duckdb.OutOfRangeException)


class DuckDB:
    """A DuckDB file. While it is open to be read, no process can open it to write."""

    def as_read(self, connection: Connection, catalog: Catalog, progress: Progress) -> Catalog:
        """Return the catalog with how each column is read; see `OwnTables.as_read`."""
        readings: dict[str, Mapping[str, Reading]] = {}
        left_out: dict[str, Mapping[str, str]] = {}
        with (
            _session(connection, "reading its types failed") as session,
            progress.task(f"Reading the types of {connection.store}", len(catalog.tables)) as task,
        ):
            for name, table in catalog.tables.items():
                types = _types(session, table)
                readings[name] = _readings(session, table, types)
                left_out[name] = {
                    each.name: types[each.name]
                    for each in table.columns
                    if each.name not in readings[name]
                }
                task.advance()
        kept = {name: without(table, left_out[name]) for name, table in catalog.tables.items()}
        return with_readings(
            replace(catalog, tables=kept),
            connection.store,
            lambda table, column: readings[table.name][column.name],
        )

    @contextmanager
    def at_one_moment(self, connection: Connection) -> Iterator[Reader]:
        """Give a reader in one session, in which nobody can change the file."""
        with _session(connection, "reading its tables failed") as session:
            yield _Reader(Failures(connection=connection), session)

    def unplaced(self, connection: Connection, table: Table) -> Mapping[str, str]:
        """Return the columns at fault; see `OwnTables.unplaced`."""
        with _session(connection, "looking for values without a place failed") as session:
            return _unplaced(session, table)

    def changed(self, connection: Connection, tables: Sequence[Table]) -> Mapping[str, bool | None]:
        """Return table → whether it has other rows, as digests of all of them tell."""
        with _session(connection, "asking whether its tables changed failed") as session:
            return {
                table.name: _mark(session, table) != table.origin.mark
                for table in tables
                if table.origin is not None
            }


class _Reader:
    """The tables as one session sees them."""

    def __init__(self, failures: Failures, session: duckdb.DuckDBPyConnection) -> None:
        self._failures = failures
        self._session = session
        self._marks: dict[str, str] = {}

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows as Arrow, in the order in which the file has them."""
        if _unplaced(self._session, table):
            raise self._error(table, "values changed since its types were read")
        shown = ", ".join(f"{_shown(each)} AS {quoted(each.name)}" for each in table.columns)
        schema = arrow_schema(table)
        try:
            rows = self._session.execute(f"SELECT {shown} FROM {_name(table)}")  # noqa: S608 - quoted
            for batch in rows.to_arrow_reader(BATCH_ROWS):
                yield batch.cast(schema)
        except (*_UNPLACED, pa.ArrowInvalid) as error:
            raise self._error(table, self._failures.reason(error)) from None

    def mark(self, table: Table, since: str = "") -> str:  # noqa: ARG002 - equal if rows are
        """Return the number of rows, the sum of their digests, and the form of the table."""
        if table.name not in self._marks:
            self._marks[table.name] = _mark(self._session, table)
        return self._marks[table.name]

    def _error(self, table: Table, reason: str) -> UnplacedValueError:
        return UnplacedValueError(
            self._failures.store,
            f"table '{table.name}' cannot be read ({reason}): it has a value that its column's "
            "type has no place for elsewhere. Leave the statements out that read it, or change "
            "the value.",
        )


@contextmanager
def _session(connection: Connection, work: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with session_with(connection, work, read_only=True) as session:
        session.execute("SET TimeZone = 'UTC'")
        yield session


def _types(session: duckdb.DuckDBPyConnection, table: Table) -> Mapping[str, str]:
    """Return DuckDB's own types of the columns; the catalog has text for some."""
    return dict(session.execute(_TYPES, (table.schema, table.own_name)).fetchall())


def _readings(
    session: duckdb.DuckDBPyConnection, table: Table, types: Mapping[str, str]
) -> Mapping[str, Reading]:
    """Return how columns are read, as those of Parquet are carried: so that each value is kept."""
    found = best_ways(session, _name(table), types)
    collated = session.execute(_COLLATED, (table.schema, table.own_name)).fetchone()
    text = _BY_CODE_POINT if collated and collated[0] else ""
    return {
        name: Reading(
            type=way.type,
            sql=text if types[name] == "VARCHAR" else "" if way.sql == "{}" else way.sql,
            own_type="" if way.type == types[name] else types[name],
        )
        for name, way in found.items()
    }


def _unplaced(session: duckdb.DuckDBPyConnection, table: Table) -> Mapping[str, str]:
    """Return the columns → their types of which what is read would not keep each value now."""
    types = _types(session, table)
    now = _readings(session, table, types)
    return {
        each.name: types.get(each.name, "no type")
        for each in table.columns
        if each.name not in now or (now[each.name].type, now[each.name].sql) != _read(each)
    }


def _read(column: Column) -> tuple[str, str]:
    return column.type, column.read_as


def _mark(session: duckdb.DuckDBPyConnection, table: Table) -> str:
    """Return what tells whether rows have changed; DuckDB's digest of a row has 64 bits.

    It is the same for 0 and -0.
    """
    row = session.execute(f"SELECT count(*), sum(hash(own)) FROM {_name(table)} AS own").fetchone()  # noqa: S608 - quoted
    form = sha256(repr(_types(session, table)).encode()).hexdigest()[:16]
    return " ".join(map(str, (*(row or ()), form)))


def _shown(column: Column) -> str:
    return (column.read_as or "{}").replace("{}", quoted(column.name))


def _name(table: Table) -> str:
    return f"{quoted(table.schema)}.{quoted(table.own_name)}"
