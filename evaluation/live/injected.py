"""A catalog's statistics in an otherwise empty schema, for PostgreSQL's optimizer to plan with."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta

import psycopg

from evaluation.store_protocol.columns import ColumnTypes, quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.postgresql.backend import TYPES
from evaluation.stores.postgresql.sessions import Session, session_with
from workloads.catalog import Catalog, Column, ColumnStatistics, Table, Value
from workloads.errors import StoreError
from workloads.progress import Progress

_FIRST_VERSION = 180_000
_EPOCH = date(1970, 1, 1)
_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
# Beside the types that a copy may have: nothing is loaded here, only planned with.
_PLANNED = ColumnTypes(
    text=TYPES.text,
    decimal=TYPES.decimal,
    names={
        **TYPES.names,
        "HUGEINT": "NUMERIC", "UHUGEINT": "NUMERIC", "BLOB": "BYTEA", "UUID": "UUID",
        "TIME": "TIME", "TIME WITH TIME ZONE": "TIMETZ", "INTERVAL": "INTERVAL",
        "TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP", "TIMESTAMP_NS": "TIMESTAMP",
    },
)  # fmt: skip


@contextmanager
def injected(connection: Connection, catalog: Catalog, progress: Progress) -> Iterator[Connection]:
    """Make the tables of `catalog`, with its statistics and no rows, in a schema of their own.

    Yields `connection` with that schema as its namespace; the schema is dropped when the block
    ends. PostgreSQL scales a table's rows by its pages today, so each table has one row, which
    is NULL, on one page. Keys are unique constraints: a primary key would refuse the NULL, and
    a value would be taken for the column's smallest or largest, as the optimizer looks those up
    in an index.

    Raises:
        StoreError: The server is older than PostgreSQL 18, has the schema already, or refuses.
    """
    failures = Failures(connection=connection)
    namespace = quoted(connection.namespace)
    with session_with(connection, "injecting statistics failed") as session:
        if session.info.server_version < _FIRST_VERSION:
            raise StoreError(
                connection.store,
                f"takes no statistics from outside: it is PostgreSQL "
                f"{session.info.server_version // 10_000}, which needs 18 or newer; estimate on "
                "the loaded tables, or leave it to an embedded server.",
            )
        with failures.told(
            f"the schema '{connection.namespace}' for injected statistics cannot be made",
            psycopg.Error,
        ):
            _run(session, f"CREATE SCHEMA {namespace}")
        try:
            with progress.task("Injecting statistics", len(catalog.tables)) as task:
                for table in catalog.tables.values():
                    _make(session, connection, table)
                    task.advance()
            _refer(session, namespace, catalog)
            yield connection
        finally:
            _run(session, "SET client_min_messages = warning")
            _run(session, f"DROP SCHEMA {namespace} CASCADE")


def _make(session: Session, connection: Connection, table: Table) -> None:
    """Create one table with its single row, its key and its statistics."""
    name = f"{quoted(connection.namespace)}.{quoted(table.name)}"
    types = {column.name: _type(column, table) for column in table.columns}
    columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in types.items())
    with session.transaction():
        # Autovacuum would replace what is injected by what it finds.
        _run(session, f"CREATE TABLE {name} ({columns}) WITH (autovacuum_enabled = false)")
        if table.rows:
            _run(session, f"INSERT INTO {name} DEFAULT VALUES")
        if table.primary_key:
            _run(session, f"ALTER TABLE {name} ADD UNIQUE ({_list(table.primary_key)})")
        session.execute(
            "SELECT pg_restore_relation_stats('schemaname', %s::text, 'relname', %s::text,"
            " 'relpages', 1, 'reltuples', %s::real, 'relallvisible', 1)",
            (connection.namespace, table.name, float(table.rows)),
        )
        for column in table.columns:
            if column.statistics is not None and table.rows:
                _inject(session, connection, table, column)


def _type(column: Column, table: Table) -> str:
    """Return the type of a column that is only planned with; text for what is unknown."""
    try:
        return _PLANNED.of("", table, column)
    except StoreError:
        return _PLANNED.text


def _inject(session: Session, connection: Connection, table: Table, column: Column) -> None:
    known = column.statistics
    if known is None:
        return
    arguments: dict[str, tuple[str, object]] = {
        "schemaname": ("text", connection.namespace),
        "relname": ("text", table.name),
        "attname": ("text", column.name),
        "inherited": ("boolean", False),
        "null_frac": ("real", known.null_share),
        "avg_width": ("integer", max(1, math.ceil(column.width_bytes))),
        "n_distinct": ("real", _distinct(known, table)),
    }
    if known.common:
        values = [_written(value, column.type) for value, _ in known.common]
        arguments["most_common_vals"] = ("text", _array(values))
        arguments["most_common_freqs"] = ("real[]", [share for _, share in known.common])
    bounds = _bounds(known)
    if len(bounds) > 1:
        written = [_written(value, column.type) for value in bounds]
        arguments["histogram_bounds"] = ("text", _array(written))
    marks = ", ".join(f"'{name}', %s::{kind}" for name, (kind, _) in arguments.items())
    session.execute(
        f"SELECT pg_restore_attribute_stats({marks})".encode(),
        tuple(value for _, value in arguments.values()),
    )


def _distinct(known: ColumnStatistics, table: Table) -> float:
    """Return n_distinct: -1 for a column whose values are all different, 0 for unknown."""
    filled = table.rows * (1 - known.null_share)
    return -(1 - known.null_share) if known.distinct >= filled > 0 else float(known.distinct)


def _bounds(known: ColumnStatistics) -> Sequence[Value]:
    """Return the histogram's bounds: the smallest and largest value where that is all there is."""
    if known.histogram:
        return known.histogram
    if known.minimum is None or known.maximum is None or known.distinct <= len(known.common):
        return ()
    return (known.minimum, known.maximum)


def _written(value: Value, type_: str) -> str:
    """Return a value of statistics as PostgreSQL reads one of that type."""
    if isinstance(value, str):
        return value
    if type_ == "DATE" or type_.startswith("TIMESTAMP"):
        return _moment(value, type_)
    if type_ == "BOOLEAN":
        return "true" if value else "false"
    return str(int(value)) if value == int(value) else repr(value)


def _moment(days: float, type_: str) -> str:
    """Return the date or the time so many days after 1970; infinity for what Python has none of."""
    try:
        if type_ == "DATE":
            return str(_EPOCH + timedelta(days=round(days)))
        return (_MOMENT + timedelta(days=days)).isoformat()
    except OverflowError:
        return "infinity" if days > 0 else "-infinity"


def _array(values: Sequence[str]) -> str:
    """Return an array as PostgreSQL writes it."""
    quoted_values = (
        '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values
    )
    return "{" + ",".join(quoted_values) + "}"


def _refer(session: Session, namespace: str, catalog: Catalog) -> None:
    """Declare the foreign keys whose other side is a key: joins over them lose no row."""
    for table in catalog.tables.values():
        for key in table.foreign_keys:
            other = catalog.tables.get(key.table)
            if other is not None and set(key.references) == set(other.primary_key):
                # One between columns of types that do not compare tells nothing.
                with suppress(psycopg.errors.DatatypeMismatch):
                    _run(
                        session,
                        f"ALTER TABLE {namespace}.{quoted(table.name)} ADD FOREIGN KEY "
                        f"({_list(key.columns)}) REFERENCES {namespace}.{quoted(other.name)} "
                        f"({_list(key.references)})",
                    )


def _list(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _run(session: Session, statement: str) -> None:
    session.execute(statement.encode())
