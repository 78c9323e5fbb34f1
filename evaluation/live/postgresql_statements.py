"""The statements that PostgreSQL's extension ``pg_stat_statements`` remembers."""

from typing import Any

import psycopg

from evaluation.live.live import MARK
from evaluation.live.statements import Remembered, gathered
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import Session, session_with
from workloads.errors import ConfigurationError
from workloads.workload import Workload

_HIDDEN = "<insufficient privilege>"
_EXTENSION = f"""
SELECT {MARK} n.nspname, x.extversion FROM pg_catalog.pg_extension x
JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'pg_stat_statements'
"""  # noqa: S608 - a constant
# One statement has a row for each user, and for each of where it is called from.
_STATEMENTS = """
SELECT {mark} queryid, max(query) FILTER (WHERE query <> '{hidden}'), sum(calls)::float8,
       sum({time}) / sum(calls) / 1000
FROM {view} s JOIN pg_catalog.pg_database d ON d.oid = s.dbid
WHERE d.datname = current_database() AND calls > 0
GROUP BY queryid ORDER BY sum({time}) DESC, queryid
"""
_TIME, _OLD_TIME, _FIRST_VERSION = "total_exec_time", "total_time", (1, 8)


def workload(connection: Connection, schema: str | None) -> Workload:
    """Return what the current database ran; see `evaluation.live.live.Live.workload`."""
    with session_with(connection, "reading its statement statistics failed") as session:
        rows = _statements(session, connection)
    return gathered(
        connection,
        "postgres",
        [
            Remembered(
                origin=f"{connection.store}:pg_stat_statements/{queryid}",
                sql=text or "",
                executions=calls,
                latency_s=seconds,
                hidden="" if text is not None
                else "its text is hidden from this user, who needs the role pg_read_all_stats",
            )
            for queryid, text, calls, seconds in rows
            if not _is_ours(text, connection, schema)
        ],
    )  # fmt: skip


def _statements(session: Session, connection: Connection) -> list[tuple[Any, ...]]:
    found = session.execute(_EXTENSION.encode()).fetchone()
    if found is None:
        raise ConfigurationError(
            f"Store '{connection.store}' keeps no statement statistics in the database "
            f"'{connection.database}': add pg_stat_statements to shared_preload_libraries in "
            "postgresql.conf, restart the server, and run CREATE EXTENSION pg_stat_statements in "
            "that database."
        )
    schema, version = found
    known = tuple(int(part) for part in str(version).split(".")[:2])
    statement = _STATEMENTS.format(
        mark=MARK,
        hidden=_HIDDEN,
        view=f"{quoted(schema)}.pg_stat_statements",
        time=_TIME if known >= _FIRST_VERSION else _OLD_TIME,
    )
    try:
        return session.execute(statement.encode()).fetchall()
    except psycopg.errors.ObjectNotInPrerequisiteState:
        raise ConfigurationError(
            f"Store '{connection.store}' has the extension pg_stat_statements but does not run "
            "it: add it to shared_preload_libraries in postgresql.conf and restart the server."
        ) from None


def _is_ours(text: str | None, connection: Connection, schema: str | None) -> bool:
    """Tell whether a statement is the advisor's: it is marked, or reads our namespace."""
    return text is not None and (
        MARK in text or (schema != connection.namespace and connection.namespace in text)
    )
