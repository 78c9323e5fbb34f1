"""PostgreSQL's answers by its own driver, a thousand rows at a time."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

import psycopg

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.whole_answers import FetchedRows, TooManyValuesError
from evaluation.stores.postgresql.sessions import Session, reading, set_search_path

_ROWS_AT_ONCE = 1_000
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

    def fetched(self, sql: str, most_values: int) -> FetchedRows:
        """Return all rows of `sql`; the server goes on while a part of them is taken apart."""
        started = perf_counter()
        execute_s = 0.0
        rows: list[tuple[object, ...]] = []
        with self.session.cursor() as cursor:
            for row in cursor.stream(sql.encode(), size=_ROWS_AT_ONCE):
                execute_s = execute_s or perf_counter() - started
                rows.append(row)
                if len(rows) * len(row) > most_values:
                    raise TooManyValuesError(most_values)
            described = cursor.description or ()
        seconds = perf_counter() - started
        execute_s = execute_s or seconds
        return FetchedRows(
            kinds=tuple(_KIND_OF.get(column.type_code, "") for column in described),
            rows=rows,
            execute_s=execute_s,
            fetch_s=seconds - execute_s,
        )

    def close(self) -> None:
        """End the session."""
        with suppress(psycopg.Error):
            self.session.close()


def answering(connection: Connection, options: Mapping[str, str]) -> PostgreSQLAnswers:
    """Log in as Spark's sessions with these JDBC `options` do."""
    session = reading(connection, options["ApplicationName"], options["options"])
    try:
        # Unless it is told, the driver prepares what comes often: plans would differ then.
        session.prepare_threshold = None
        if not connection.read_only:
            set_search_path(session, (connection.namespace,))
    except BaseException:
        session.close()
        raise
    return PostgreSQLAnswers(session)
