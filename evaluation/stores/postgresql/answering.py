"""PostgreSQL's answers by its own driver, some rows at a time."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

import psycopg

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connecting import has_news
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.whole_answers import FetchedRows, RowsWithin
from evaluation.stores.postgresql.sessions import Session, reading
from workloads.counting.own import MARK

_ROWS_AT_ONCE = 200
_SETTING = re.compile(r"-c (\S+?)=(\S+)")
_OF_JDBC = (("client_encoding", "UTF8"), ("DateStyle", "ISO"))
"""Settings that the JDBC driver begins with, beside those that it is told."""
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

    def is_open(self) -> bool:
        """Whether the server has not ended it, as far as it told."""
        return not self.session.closed and not has_news(self.session.pgconn.socket)

    def fetched(self, sql: str, most_bytes: int) -> FetchedRows:
        """Return all rows of `sql`; the server goes on while a part of them is taken apart."""
        started, execute_s = perf_counter(), 0.0
        found = RowsWithin(most_bytes)
        with self.session.cursor() as cursor:
            for row in cursor.stream(sql.encode(), size=_ROWS_AT_ONCE):
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

    What a user's environment sets for PostgreSQL's own clients is set back.
    """
    settings = options["options"]
    session = reading(connection, options["ApplicationName"], settings)
    wanted = [*_OF_JDBC, *_SETTING.findall(settings)]
    if not connection.read_only:
        wanted.append(("search_path", quoted(connection.namespace)))
    calls = ", ".join("pg_catalog.set_config(%s, %s, false)" for _ in wanted)
    try:
        values = [each for pair in wanted for each in pair]
        session.execute(f"SELECT {MARK} {calls}".encode(), values)
    except BaseException:
        session.close()
        raise
    return PostgreSQLAnswers(session)
