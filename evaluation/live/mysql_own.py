"""MySQL's and MariaDB's own tables: read where they are, by unbuffered cursors in one snapshot."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256

import pyarrow as pa
import pymysql

from evaluation.live.csv_rows import rows_of_csv
from evaluation.live.mysql_samples import SETTINGS, UNREAD
from evaluation.live.own_tables import Reader, Reading, arrow_schema, with_readings, without
from evaluation.store_protocol.columns import has_days, quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.mysql.servers import server_of
from evaluation.stores.mysql.sessions import Execute, session
from evaluation.stores.mysql.streams import Stream, reading_session
from workloads.catalog import Catalog, Column, Table
from workloads.counting.own import ALIAS
from workloads.progress import Progress

_MARK = "`"
_TYPES = """
SELECT table_schema, table_name, column_name, column_type, collation_name
FROM information_schema.columns placement_advisor WHERE table_schema IN %s
"""
# What columns are: the text of an ENUM changes with its type alone.
_FORM = """
SELECT column_name, column_type, collation_name FROM information_schema.columns placement_advisor
WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position
"""
_WHOLE = ("tinyint", "smallint", "mediumint", "int", "bigint")
_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
# Differences may be below zero.
_SIGNED = {
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INTEGER",
    "UINTEGER": "BIGINT",
    "UBIGINT": "DECIMAL(20,0)",
}
# As text, since functions of days tell of such a day what the session's sql_mode wants.
_NO_DAY = (
    "CASE WHEN SUBSTR(CAST({} AS CHAR), 6, 5) LIKE '%00%'"
    " OR (DAY({}) > 28 AND FROM_DAYS(TO_DAYS({})) <> DATE({})) THEN CAST({} AS CHAR) END"
)
_DAY_CHARACTERS = 10
_SEARCH_S = 60.0
_DIGITS = 15
"""Hexadecimal digits of a digest that are added up as one number, which 64 bits hold."""
# What has no collation is text of the session's.
_AS_TEXT = "CONVERT(CAST({} AS CHAR) USING utf8mb4)"


class MySQL:
    """MariaDB or MySQL."""

    def as_read(self, connection: Connection, catalog: Catalog, progress: Progress) -> Catalog:
        """Return the catalog with how each column is read; see `OwnTables.as_read`."""
        schemas = sorted({table.schema for table in catalog.tables.values()})
        with session(connection, "reading its types failed") as execute:
            rows = execute(_TYPES, (schemas,))
            plain = server_of(execute).collation
        known: Mapping[tuple[str, str, str], tuple[str, str | None]] = {
            (schema, table, column): (type_, collation)
            for schema, table, column, type_, collation in rows
        }

        def reading(table: Table, column: Column) -> Reading:
            type_, collation = known[table.schema, table.own_name, column.name]
            return _reading(type_.lower(), column.type, collation, plain)

        found = with_readings(catalog, connection.store, reading)
        return _without_unplaced(connection, found, progress)

    @contextmanager
    def at_one_moment(self, connection: Connection) -> Iterator[Reader]:
        """Give a reader in one transaction that only reads."""
        with reading_session(connection, "reading its tables failed") as stream:
            yield _Reader(Failures(connection=connection), stream)

    def unplaced(self, connection: Connection, table: Table) -> Mapping[str, str]:
        """Return the columns at fault; see `OwnTables.unplaced`."""
        with session(connection, "looking for values without a place failed") as execute:
            return _unplaced(execute, table)

    def changed(self, connection: Connection, tables: Sequence[Table]) -> Mapping[str, bool | None]:
        """Return table → whether it has another checksum."""
        with session(connection, "asking whether its tables changed failed") as execute:
            return {
                table.name: _mark(execute, table) != table.origin.mark
                for table in tables
                if table.origin is not None
            }


def _without_unplaced(connection: Connection, catalog: Catalog, progress: Progress) -> Catalog:
    """Return the catalog without the columns that have such days as ``0000-00-00``.

    Where a table may not be read, or that takes too long, nothing is known against it. Small tables
    come first, and none is begun after a minute.
    """
    with_days = [each for each in catalog.tables.values() if each.rows and _with_days(each)]
    with_days.sort(key=lambda each: (each.bytes, each.name))
    if not with_days:
        return catalog
    tables = dict(catalog.tables)
    description = f"Looking for days without a date in {len(with_days)} tables"
    with (
        session(connection, "looking for days without a date failed") as execute,
        progress.task(description, len(with_days)) as task,
    ):
        execute(SETTINGS)
        ends = time.monotonic() + _SEARCH_S
        for table in with_days:
            if time.monotonic() > ends:
                break
            try:
                tables[table.name] = without(table, _unplaced(execute, table))
            except pymysql.MySQLError as error:
                if error.args[0] not in UNREAD:
                    raise
            task.advance()
    return replace(catalog, tables=tables)


def _with_days(table: Table) -> list[Column]:
    return [each for each in table.columns if has_days(each)]


def _unplaced(execute: Execute, table: Table) -> Mapping[str, str]:
    """Return the columns with days that no calendar has, as a lax sql_mode lets them in."""
    columns = _with_days(table)
    if not columns:
        return {}
    tests = ", ".join(f"MAX({_NO_DAY.replace('{}', quoted(each.name, _MARK))})" for each in columns)
    (row,) = execute(f"SELECT {tests} FROM {_name(table)} {ALIAS}")  # noqa: S608 - quoted
    return {
        column.name: f"{column.type} with {str(value)[:_DAY_CHARACTERS]}"
        for column, value in zip(columns, row, strict=True)
        if value is not None
    }


class _Reader:
    """The tables as one transaction sees them."""

    def __init__(self, failures: Failures, stream: Stream) -> None:
        self._failures = failures
        self._stream = stream
        self._marks: dict[str, str] = {}

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows, each of which the server hands out as one line of CSV."""
        chunks = self._stream.lines(f"SELECT {_line(table)} FROM {_name(table)} {ALIAS}")  # noqa: S608 - quoted
        yield from rows_of_csv(self._failures, table, arrow_schema(table), chunks)

    def mark(self, table: Table, since: str = "") -> str:  # noqa: ARG002 - equal if rows are
        """Return a checksum of its rows, which the server is asked for once."""
        if table.name not in self._marks:
            self._marks[table.name] = _mark(self._stream.execute, table)
        return self._marks[table.name]


def _mark(execute: Execute, table: Table) -> str:
    """Return what all rows sum up to: the server's checksum, and digests of the lines as read.

    The server's checksum adds up a CRC of each row. It does not see some changes of two rows: of
    one in 10,000 swaps of a value, and of a character that goes to the next column in one row and
    comes back in another. It sees the columns that are left out of copies, the digests do not.
    """
    name = _name(table)
    types = execute(_FORM, (table.schema, table.own_name))
    ((_, checksum),) = execute(f"CHECKSUM TABLE {name}")
    digest = f"CAST(CONV(LEFT(SHA({_line(table)}), {_DIGITS}), 16, 10) AS UNSIGNED)"
    (counts,) = execute(f"SELECT count(*), SUM({digest}) FROM {name} {ALIAS}")  # noqa: S608 - quoted
    form = sha256(repr(types).encode()).hexdigest()[:16]
    return " ".join(map(str, (checksum, *counts, form)))


def _line(table: Table) -> str:
    """Return a row as one line of CSV."""
    return f"CONCAT_WS(',', {', '.join(map(_field, table.columns))})"


def _field(column: Column) -> str:
    """Return a value as CSV has it: text in quotes, and nothing at all for NULL."""
    value = _shown(column)
    if column.type == "BLOB":
        value = f"HEX({value})"
    if column.type in ("VARCHAR", "BLOB"):
        value = f"CONCAT('\"', REPLACE({value}, '\"', '\"\"'), '\"')"
    return f"COALESCE({value}, '')"


def _shown(column: Column) -> str:
    return (column.read_as or "{}").replace("{}", quoted(column.name, _MARK))


def _name(table: Table) -> str:
    return f"{quoted(table.schema, _MARK)}.{quoted(table.own_name, _MARK)}"


def _reading(written: str, type_: str, collation: str | None, plain: str) -> Reading:
    """Return how a column is read whose type is `written`, and which the catalog has as `type_`.

    `plain` is the collation that compares by code point, as DuckDB and our copies do.
    """
    name = written.partition("(")[0].split(" ")[0]
    if type_ == "BLOB":
        return Reading(type=type_)
    if name in _TEXTS:
        text = "{}" if (collation or "").startswith("utf8mb4_") else "CONVERT({} USING utf8mb4)"
        sql = "" if collation == plain else f"{text} COLLATE {plain}"
        return Reading(type="VARCHAR", sql=sql)
    if name in _WHOLE:
        # What is one digit wide is handed out as a truth value.
        sql = "CAST({} AS SIGNED)" if written.startswith("tinyint(1)") else ""
        return Reading(type=_SIGNED.get(type_, type_), sql=sql)
    forms = {
        "float": Reading(type="DOUBLE", sql="CAST({} AS DOUBLE)"),
        "decimal": Reading(type=type_, sql="CAST({} AS DOUBLE)" if type_ == "DOUBLE" else ""),
        "double": Reading(type=type_),
        "date": Reading(type=type_),
        "datetime": Reading(type=type_),
        # Sessions are in UTC.
        "timestamp": Reading(type="TIMESTAMP"),
        "year": Reading(type=type_, sql="CAST({} AS SIGNED)"),
        "bit": Reading(type="DECIMAL(20,0)", sql="CAST({} AS DECIMAL(20, 0))"),
        "time": Reading(
            type="VARCHAR",
            sql=f"CONVERT(TIME_FORMAT({{}}, '%H:%i:%s.%f') USING utf8mb4) COLLATE {plain}",
            own_type="TIME",
        ),
    }
    as_text = Reading(
        type="VARCHAR",
        sql=f"{_AS_TEXT} COLLATE {plain}",
        own_type="UUID" if name == "uuid" else "",
    )
    return forms.get(name, as_text)
