"""A MySQL or MariaDB in use: its databases and sizes, its logs, the age of its digests."""

import glob
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pymysql

from evaluation.checks.mysql_grants import Grant, grants, missing
from evaluation.live.mysql_samples import SETTINGS
from evaluation.live.mysql_statements import SYSTEM_SCHEMAS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER
from evaluation.stores.mysql.servers import server_of
from evaluation.stores.mysql.sessions import Execute, session
from evaluation.surveys.survey import Recorded, SchemaFound, ServerLog, Survey

_TABLES = """
SELECT table_schema, table_name, data_length FROM information_schema.tables placement_advisor
WHERE table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') AND table_schema NOT IN %s
ORDER BY table_schema, table_name
"""
_LOGS = """
SELECT @@log_output, @@datadir, @@general_log, @@general_log_file, @@slow_query_log,
       @@slow_query_log_file, @@long_query_time
"""
_COUNTED = """
SELECT timestampdiff(SECOND, min(first_seen), now())
FROM performance_schema.events_statements_summary_by_digest placement_advisor
"""


def survey(connection: Connection) -> Survey:
    """Ask for what a project file names; see `evaluation.surveys.survey.Surveyor`."""
    with session(connection, "asking what it has failed") as execute:
        execute(SETTINGS)
        ((version,),) = execute("SELECT version()")
        name = server_of(execute).name
        tables = execute(_TABLES, (SYSTEM_SCHEMAS,))
        had = grants(execute)
        logs = tuple(_logs(execute(_LOGS)[0]))
        counted_s = _counted_s(execute)
    return Survey(
        version=f"{name} {str(version).partition('-')[0]}",
        schemas=tuple(_schemas(tables, had)),
        logs=logs,
        counted_s=counted_s,
    )


def _schemas(tables: Sequence[tuple[Any, ...]], had: Sequence[Grant]) -> Iterator[SchemaFound]:
    ours = {schema for schema, table, _ in tables if table == REGISTER}
    count, readable, size = Counter[str](), Counter[str](), Counter[str]()
    for schema, table, data_bytes in tables:
        count[schema] += 1
        readable[schema] += not missing(had, ("SELECT",), schema, table)
        size[schema] += int(data_bytes or 0)
    for schema in sorted(count.keys() - ours):
        yield SchemaFound(
            name=schema, tables=count[schema], readable=readable[schema], bytes=size[schema]
        )


def _counted_s(execute: Execute) -> float | None:
    """Return for how long statements are counted; None where the account may not know."""
    with suppress(pymysql.MySQLError):
        ((seconds,),) = execute(_COUNTED)
        return None if seconds is None else float(seconds)
    return None


def _logs(row: Sequence[Any]) -> Iterator[ServerLog]:
    """Yield the logs that are on, and in files."""
    output, data, general, general_file, slow, slow_file, shortest = row
    if "FILE" not in str(output).upper():
        return
    if slow:
        recorded: Recorded = "slow" if shortest else "all"
        yield _log("slow log", data, slow_file, recorded, f"long_query_time = {shortest:g}")
    if general:
        yield _log("general log", data, general_file, "all", "general_log = ON")


def _log(name: str, data: str, file: str, recorded: Recorded, settings: str) -> ServerLog:
    path = Path(data) / file
    return ServerLog(
        name=name,
        folder=path.parent,
        pattern=glob.escape(path.name),
        recorded=recorded,
        settings=settings,
    )
