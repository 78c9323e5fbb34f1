"""A PostgreSQL in use: its schemas and sizes, its logs, the age of its statement statistics."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import psycopg

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER
from evaluation.stores.postgresql.sessions import Session, session_with
from evaluation.surveys.survey import Recorded, SchemaFound, ServerLog, Survey
from workloads.counting.own import MARK

# Partitions have the bytes, their table has none; it is counted, and they are not.
_SCHEMAS = f"""
SELECT {MARK} n.nspname, count(*) FILTER (WHERE NOT c.relispartition),
       count(*) FILTER (WHERE NOT c.relispartition AND has_schema_privilege(n.oid, 'USAGE')
         AND has_table_privilege(c.oid, 'SELECT')),
       coalesce(sum(CASE WHEN c.relkind IN ('r', 'm') THEN pg_table_size(c.oid) END), 0)::bigint
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm', 'f') AND n.nspname !~ '^pg_'
  AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class r
    WHERE r.relnamespace = n.oid AND r.relname = '{REGISTER}')
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid
    AND d.classid = 'pg_catalog.pg_class'::regclass AND d.deptype = 'e')
GROUP BY 1 ORDER BY 1
"""  # noqa: S608 - constants
_DATABASES = f"""
SELECT {MARK} datname FROM pg_catalog.pg_database
WHERE datallowconn AND NOT datistemplate AND datname <> current_database()
  AND has_database_privilege(oid, 'CONNECT') ORDER BY 1
"""  # noqa: S608 - a constant
# The view leaves out what the account may not know.
_SETTINGS = f"""
SELECT {MARK} name, setting FROM pg_catalog.pg_settings WHERE name IN ('server_version',
  'data_directory', 'logging_collector', 'log_destination', 'log_directory', 'log_statement',
  'log_min_duration_statement')
"""  # noqa: S608 - a constant
_EXTENSION = f"""
SELECT {MARK} n.nspname FROM pg_catalog.pg_extension x
JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'pg_stat_statements'
"""  # noqa: S608 - a constant
_SINCE = "SELECT {mark} extract(epoch FROM now() - stats_reset)::float8 FROM {view}"
_FORMATS = {
    "csvlog": ("csvlog", "*.csv"),
    "jsonlog": ("jsonlog", "*.json"),
    "stderr": ("text log", "*.log"),
}
"""Destinations of the log, the one that tells most first → its name, and that of its files."""


def survey(connection: Connection) -> Survey:
    """Ask for what a project file names; see `evaluation.surveys.survey.Surveyor`."""
    with session_with(connection, "asking what it has failed") as session:
        settings = dict(session.execute(_SETTINGS.encode()).fetchall())
        schemas = session.execute(_SCHEMAS.encode()).fetchall()
        databases = session.execute(_DATABASES.encode()).fetchall()
        counted_s = _counted_s(session)
    return Survey(
        version=f"PostgreSQL {settings['server_version'].split()[0]}",
        schemas=tuple(
            SchemaFound(name=name, tables=tables, readable=readable, bytes=size)
            for name, tables, readable, size in schemas
            if tables
        ),
        logs=tuple(_logs(settings)),
        databases=tuple(str(name) for (name,) in databases),
        counted_s=counted_s,
    )


def _counted_s(session: Session) -> float | None:
    """Return for how long statements are counted; versions before 14 do not say."""
    found = session.execute(_EXTENSION.encode()).fetchone()
    if found is None:
        return None
    statement = _SINCE.format(mark=MARK, view=f"{quoted(found[0])}.pg_stat_statements_info")
    with suppress(psycopg.Error):
        row = session.execute(statement.encode()).fetchone()
        return None if row is None or row[0] is None else float(row[0])
    return None


def _logs(settings: Mapping[str, str]) -> Iterator[ServerLog]:
    if settings["logging_collector"] != "on":
        return
    written = {each.strip() for each in settings["log_destination"].split(",")}
    statement, shortest = settings["log_statement"], settings["log_min_duration_statement"]
    recorded: Recorded = "none" if shortest == "-1" else "slow"
    if statement == "all" or shortest == "0":
        recorded = "all"
    for destination, (name, pattern) in _FORMATS.items():
        if destination in written:
            yield ServerLog(
                name=name,
                folder=_folder(settings),
                pattern=pattern,
                recorded=recorded,
                settings=f"log_statement = {statement}, log_min_duration_statement = {shortest}",
            )
            return


def _folder(settings: Mapping[str, str]) -> Path | None:
    data, logs = settings.get("data_directory"), settings.get("log_directory")
    if not logs:
        return None
    folder = Path(data or "") / logs
    return folder if folder.is_absolute() else None
