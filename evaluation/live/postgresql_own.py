"""PostgreSQL's own tables: read where they are, by COPY in one snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import psycopg
import pyarrow as pa

from evaluation.live.csv_rows import rows_of_csv
from evaluation.live.own_tables import Reader, Reading, arrow_schema, with_readings
from evaluation.live.postgresql_form import FORM
from evaluation.store_protocol.carried import decimal_digits
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.postgresql.copy_out import copied_out
from evaluation.stores.postgresql.sessions import Session, session_with
from evaluation.stores.postgresql.values import CARRIED
from workloads.catalog import Catalog, Column, Table
from workloads.counting.own import MARK
from workloads.progress import Progress

_AS_IT_IS = frozenset(
    ("bool", "int2", "int4", "int8", "float4", "float8", "date", "timestamp", "timestamptz")
)
_TEXT = frozenset({"text", "varchar"})
_AS_TEXT = "CAST({} AS TEXT)"
# As text Arrow knows no infinite days, and none before our era. As numbers they are DuckDB's.
_SHOWN = {
    "BLOB": "encode({}, 'hex')",
    "DATE": CARRIED.day,
    "TIMESTAMP": CARRIED.moment,
    "TIMESTAMP WITH TIME ZONE": CARRIED.instant,
}
_TOO_LATE = "294247-01-10"
"""Microseconds since 1970 end on this day; PostgreSQL counts from 2000."""
# By code point, as DuckDB and our copies compare it.
_BY_CODE_POINT = ' COLLATE "C"'
_FORMS = {
    "numeric": Reading(type="DOUBLE", sql="CAST({} AS DOUBLE PRECISION)"),
    "oid": Reading(type="BIGINT", sql="CAST({} AS BIGINT)"),
    "bytea": Reading(type="BLOB"),
    "time": Reading(
        type="VARCHAR", sql="to_char({}, 'HH24:MI:SS.US')" + _BY_CODE_POINT, own_type="TIME"
    ),
}
_SETTINGS = (
    "SET client_encoding = 'UTF8'",
    "SET datestyle = 'ISO'",
    "SET intervalstyle = 'postgres'",
    "SET extra_float_digits = 1",
    "SET statement_timeout = 0",
    # Equal contents make equal files.
    "SET synchronize_seqscans = off",
)
_TYPES = f"""
WITH RECURSIVE types AS (
  SELECT {MARK} oid, oid AS base FROM pg_catalog.pg_type WHERE typtype <> 'd'
  UNION ALL SELECT d.oid, t.base
  FROM pg_catalog.pg_type d JOIN types t ON d.typbasetype = t.oid WHERE d.typtype = 'd'
)
SELECT n.nspname, c.relname, a.attname, b.typname,
       o.collname IN ('C', 'POSIX') OR (o.collname = 'default' AND d.datcollate IN ('C', 'POSIX')
         AND coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') = 'c')
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN types ON types.oid = a.atttypid JOIN pg_catalog.pg_type b ON b.oid = types.base
JOIN pg_catalog.pg_database d ON d.datname = current_database()
LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
WHERE n.nspname = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped
"""  # noqa: S608 - constants
# A row version that came after the transaction `xid` began is recent. All others were there
# before: of them rows can only go. So equal counts, and the same recent ones, are the same rows.
_MARK = f"""
SELECT {MARK} count(*), count(*) FILTER (WHERE recent),
       coalesce(sum(version) FILTER (WHERE recent), 0)
FROM (SELECT age(xmin) <= age(%s::text::xid) AS recent,
      ('x' || substr(md5(concat(ctid, ' ', xmin)), 1, 8))::bit(32)::bigint AS version
      FROM {{}}) rows
"""  # noqa: S608 - constants
_XIDS = 1 << 32
# Numbers of transactions are compared within half of their circle.
_LASTS_XIDS = 1 << 30


class PostgreSQL:
    """PostgreSQL 12 or newer."""

    def as_read(
        self,
        connection: Connection,
        catalog: Catalog,
        progress: Progress,  # noqa: ARG002 - no rows are read
    ) -> Catalog:
        """Return the catalog with how each column is read; see `OwnTables.as_read`."""
        schemas = sorted({table.schema for table in catalog.tables.values()})
        with session_with(connection, "reading its types failed") as session:
            rows = session.execute(_TYPES.encode(), (schemas,)).fetchall()
        known = {(schema, table, column): tuple(rest) for schema, table, column, *rest in rows}

        def reading(table: Table, column: Column) -> Reading:
            type_, by_code_point = known[table.schema, table.own_name, column.name]
            return _reading(type_, column.type, by_code_point=bool(by_code_point))

        return with_readings(catalog, connection.store, reading)

    @contextmanager
    def at_one_moment(self, connection: Connection) -> Iterator[Reader]:
        """Give a reader in one transaction that only reads."""
        with session_with(connection, "reading its tables failed") as session:
            for setting in _SETTINGS:
                session.execute(setting.encode())
            session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            session.read_only = True
            with session.transaction():
                row = session.execute("SELECT txid_current_snapshot()::text").fetchone()
                oldest = int(str(row[0] if row else 0).partition(":")[0])
                yield _Reader(Failures(connection=connection), session, oldest)

    def unplaced(self, connection: Connection, table: Table) -> Mapping[str, str]:
        """Return the columns at fault; see `OwnTables.unplaced`."""
        tests = {each: test for each in table.columns if (test := _unplaced(each))}
        if not tests:
            return {}
        found = ", ".join(f"bool_or({test[0]})" for test in tests.values())
        sql = f"SELECT {MARK} {found} FROM {_name(table)}"  # noqa: S608 - quoted
        with session_with(connection, "looking for values without a place failed") as session:
            session.execute("SET statement_timeout = 0")
            row = session.execute(sql.encode()).fetchone() or ()
        return {
            column.name: f"{column.type} with {value}"
            for (column, (_, value)), is_there in zip(tests.items(), row, strict=True)
            if is_there
        }

    def changed(self, connection: Connection, tables: Sequence[Table]) -> Mapping[str, bool | None]:
        """Return table → whether it has other rows: the marks tell it without a doubt."""
        with session_with(connection, "asking whether its tables changed failed") as session:
            session.execute("SET statement_timeout = 0")
            return {
                table.name: _mark(session, table, _oldest(table.origin.mark)) != table.origin.mark
                if table.origin.mark
                else None
                for table in tables
                if table.origin is not None
            }


class _Reader:
    """The tables as one transaction sees them; `oldest` was the oldest one in progress then."""

    def __init__(self, failures: Failures, session: Session, oldest: int) -> None:
        self._failures = failures
        self._session = session
        self._oldest = oldest

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows, which the server writes as CSV and Arrow reads."""
        shown = ", ".join(map(_shown, table.columns))
        sql = f"COPY (SELECT {MARK} {shown} FROM {_name(table)}) TO STDOUT (FORMAT csv)"  # noqa: S608
        chunks = copied_out(self._session, sql)
        schema = arrow_schema(table)
        yield from rows_of_csv(self._failures, table, schema, chunks, counts_days=True)

    def mark(self, table: Table, since: str = "") -> str:
        """Return the oldest transaction in progress, with what the table has of later ones."""
        oldest = _oldest(since) if since else self._oldest
        if not 0 <= self._oldest - oldest < _LASTS_XIDS:
            oldest = self._oldest
        return _mark(self._session, table, oldest)


def _oldest(mark: str) -> int:
    return int(mark.partition(" ")[0])


def _mark(session: Session, table: Table, oldest: int) -> str:
    name = _name(table)
    is_untold, form = session.execute(FORM.encode(), (name,)).fetchone() or (True, "")
    if is_untold:
        return ""
    sql = _MARK.replace("{}", name).encode()
    row = session.execute(sql, (str(oldest % _XIDS),)).fetchone() or ()
    return " ".join(map(str, (oldest, *row, form)))


def _shown(column: Column) -> str:
    value = (column.read_as or "{}").replace("{}", quoted(column.name))
    form = _SHOWN.get(column.type)
    return value if form is None else form.replace("{}", value)


def _unplaced(column: Column) -> tuple[str, str] | None:
    """Return what is true of a value that has no place elsewhere, and how such a value is told."""
    name = quoted(column.name)
    if decimal_digits(column.type) and not column.read_as:
        return f"{name} = 'NaN'", "NaN"
    if column.type.startswith("TIMESTAMP"):
        return f"isfinite({name}) AND {name} >= '{_TOO_LATE}'", f"a moment from {_TOO_LATE} on"
    return None


def _name(table: Table) -> str:
    return f"{quoted(table.schema)}.{quoted(table.own_name)}"


def _reading(name: str, type_: str, *, by_code_point: bool) -> Reading:
    """Return how a column of the type `name` is read, which the catalog has as `type_`."""
    if name in _AS_IT_IS or (name == "numeric" and decimal_digits(type_)):
        return Reading(type=type_)
    if name in _TEXT:
        return Reading(type="VARCHAR", sql="" if by_code_point else "{}" + _BY_CODE_POINT)
    own = {"uuid": "UUID", "interval": "INTERVAL"}.get(name, "")
    as_text = Reading(type="VARCHAR", sql=_AS_TEXT + _BY_CODE_POINT, own_type=own)
    return _FORMS.get(name, as_text)
