"""PostgreSQL's answers by its own driver, some rows at a time."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

import psycopg

from evaluation.store_protocol.connecting import has_news
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import Patience, never
from evaluation.store_protocol.whole_answers import FetchedRows, RowsWithin
from evaluation.stores.postgresql.sessions import (
    SHORT_TIMEOUT_S,
    Session,
    reading,
    set_search_path,
)
from workloads.counting.own import MARK
from workloads.errors import StoreError

_ROWS_AT_ONCE = 200
_BYTES_AT_ONCE = 1 << 20
"""The driver holds so much before it is counted."""
_BEGUN = (
    f"SELECT {MARK} pg_catalog.current_setting('default_transaction_read_only'), "
    "pg_catalog.set_config('client_encoding', 'UTF8', false), "
    "pg_catalog.set_config('DateStyle', 'ISO', false), "
    "pg_catalog.set_config('TimeZone', 'UTC', false), "
    "pg_catalog.set_config('geqo', 'on', false)"
)
"""Sets what the environment of a client may have set, as Spark's sessions have it."""
_KINDS = {
    **dict.fromkeys(("int2", "int4", "int8"), "whole"),
    "numeric": "decimal",
    "float4": "float",
    "float8": "double",
    "bool": "boolean",
    **dict.fromkeys(("text", "varchar", "bpchar"), "string"),
    "bytea": "binary",
}
_KIND_OF = {psycopg.adapters.types[name].oid: kind for name, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class PostgreSQLAnswers:
    """A session with PostgreSQL that answers statements."""

    session: Session

    def is_open(self, *, asked: bool) -> bool:
        """Whether the server has not ended it; where it is `asked`, whether it answers, too."""
        session = self.session
        if session.closed or has_news(session.pgconn.socket):
            return False
        if not asked:
            return True
        patience, session.patience = session.patience, Patience(SHORT_TIMEOUT_S, never)
        try:
            session.execute(f"SELECT {MARK} 1".encode())
        except (psycopg.Error, OSError):
            return False
        session.patience = patience
        return True

    def fetched(self, sql: str, most_bytes: int, row_bytes: float) -> FetchedRows:
        """Return all rows of `sql`; the server goes on while a part of them is taken apart."""
        started, execute_s = perf_counter(), 0.0
        found = RowsWithin(most_bytes)
        with self.session.cursor() as cursor:
            at_once = int(min(_ROWS_AT_ONCE, 1 + _BYTES_AT_ONCE / max(1.0, row_bytes)))
            for row in cursor.stream(sql.encode(), size=at_once):
                execute_s = execute_s or perf_counter() - started
                found.add(row)
            described = cursor.description or ()
        seconds = perf_counter() - started
        execute_s = execute_s or seconds
        return FetchedRows(
            kinds=tuple(_KIND_OF.get(column.type_code, "") for column in described),
            rows=found.rows,
            execute_s=execute_s,
            fetch_s=seconds - execute_s,
        )

    def close(self) -> None:
        """End the session."""
        with suppress(psycopg.Error):
            self.session.close()


def answering(connection: Connection, options: Mapping[str, str]) -> PostgreSQLAnswers:
    """Log in as Spark's sessions with these JDBC `options` do.

    Raises:
        StoreError: Something between us and the server has left the settings out.
        psycopg.Error: The login failed.
    """
    session = reading(connection, options["ApplicationName"], options["options"])
    try:
        _begin(session, connection)
    except BaseException:
        session.close()
        raise
    return PostgreSQLAnswers(session)


def _begin(session: Session, connection: Connection) -> None:
    ((reads_only, *_),) = session.execute(_BEGUN.encode()).fetchall()
    if reads_only != "on":
        raise StoreError(connection.store, "a proxy does not pass a session's settings on")
    if not connection.read_only:
        set_search_path(session, (connection.namespace,))
