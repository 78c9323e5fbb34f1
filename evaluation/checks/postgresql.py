"""Needs of a run in a PostgreSQL: rights on schemas, and statistics that are up to date."""

from collections.abc import Iterator

import psycopg

from evaluation.checks.check import Checked, Lack, Uses
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import Session, session_with
from workloads.counting.own import MARK

_OLDEST = 12
_REACHED_WITHIN_MS = 5_000
_VERSION = "SELECT current_setting('server_version'), current_setting('server_version_num')::int"
_NAMESPACE = f"""
SELECT {MARK} n.oid IS NOT NULL,
       CASE WHEN n.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE')
         ELSE has_schema_privilege(n.oid, 'CREATE') AND has_schema_privilege(n.oid, 'USAGE') END
FROM (SELECT 1) one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = %s
"""  # noqa: S608 - a constant
_TABLES = f"""
SELECT {MARK} n.nspname, c.relname, has_schema_privilege(n.oid, 'USAGE'),
       has_table_privilege(c.oid, 'SELECT'), c.relkind = 'f', c.relkind IN ('r', 'm') AND (
         c.reltuples < 0 OR s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = c.oid
WHERE c.relkind IN ('r', 'p', 'm', 'f', 'v') AND NOT c.relispartition
  AND CASE WHEN cardinality(%(schemas)s::text[]) = 0
        THEN n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', %(ours)s)
        ELSE n.nspname = ANY(%(schemas)s::text[]) END
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid
    AND d.classid = 'pg_catalog.pg_class'::regclass AND d.deptype = 'e')
ORDER BY 1, 2
"""  # noqa: S608 - a constant
_SERVER = f"""
SELECT {MARK} current_user, s.srvname FROM pg_catalog.pg_foreign_table t
JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver WHERE t.ftrelid = %s::regclass
"""  # noqa: S608 - a constant
_STATEMENTS = f"""
SELECT {MARK} EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'pg_stat_statements'),
       pg_has_role('pg_read_all_stats', 'USAGE')
"""  # noqa: S608 - a constant


def check(connection: Connection, uses: Uses) -> Checked:
    """Ask for what the uses need; see `evaluation.checks.check.Check`."""
    with session_with(connection, "asking for its rights failed") as session:
        session.execute("SET default_transaction_read_only = on")
        ((version, number),) = session.execute(_VERSION).fetchall()
        names = {"schemas": list(uses.schemas), "ours": connection.namespace}
        tables = session.execute(_TABLES.encode(), names).fetchall() if uses.tables else []
        lacks = [*_too_old(version, number)]
        lacks += _unreadable(connection, tables)
        lacks += _unreached(session, tables)
        lacks += _statements(session, connection) if uses.statements else ()
        lacks += _copies(session, connection) if uses.copies else ()
    return Checked(
        version=f"PostgreSQL {version.split()[0]}",
        lacks=tuple(lacks),
        tables=len(tables) if uses.tables else None,
        stale=tuple(
            f"ANALYZE {quoted(schema)}.{quoted(name)};"
            for schema, name, *_, stale in tables
            if stale
        )
        if uses.tables
        else None,
    )


def _too_old(version: str, number: int) -> Iterator[Lack]:
    if number < _OLDEST * 10_000:
        yield Lack(what=f"PostgreSQL {version} is too old: {_OLDEST} or newer is needed")


def _unreadable(
    connection: Connection, tables: list[tuple[str, str, bool, bool, bool, bool]]
) -> Iterator[Lack]:
    user = quoted(connection.user or "")
    closed = sorted({schema for schema, _, enters, *_ in tables if not enters})
    unread = sorted({schema for schema, _, _, reads, *_ in tables if not reads})
    for schema in sorted({*closed, *unread}):
        count = sum(where == schema and not reads for where, _, _, reads, *_ in tables)
        grants = []
        if schema in closed:
            grants.append(f"GRANT USAGE ON SCHEMA {quoted(schema)} TO {user};")
        if schema in unread:
            grants.append(f"GRANT SELECT ON ALL TABLES IN SCHEMA {quoted(schema)} TO {user};")
        what = f"{count} tables of schema '{schema}' may not be read"
        yield Lack(
            what=what if count else f"schema '{schema}' may not be used", remedy=tuple(grants)
        )


def _unreached(
    session: Session, tables: list[tuple[str, str, bool, bool, bool, bool]]
) -> Iterator[Lack]:
    """Yield the foreign tables whose own server does not let this account read them."""
    for schema, name, _, reads, is_foreign, _ in tables:
        if not (reads and is_foreign):
            continue
        read = f"SELECT {MARK} FROM {quoted(schema)}.{quoted(name)} LIMIT 0"  # noqa: S608 - quoted
        try:
            with session.transaction():
                session.execute(f"SET LOCAL statement_timeout = {_REACHED_WITHIN_MS}".encode())
                session.execute(read.encode())
        except psycopg.Error as error:
            if session.closed:
                raise
            why = str(error).strip().splitlines()[0]
            yield Lack(
                what=f"foreign table '{schema}.{name}' cannot be read: {why}",
                remedy=tuple(_mapping(session, schema, name)) if "mapping" in why else (),
            )


def _mapping(session: Session, schema: str, name: str) -> Iterator[str]:
    found = session.execute(_SERVER.encode(), (f"{quoted(schema)}.{quoted(name)}",))
    for user, server in found.fetchall():
        yield (
            f"CREATE USER MAPPING FOR {quoted(user)} SERVER {quoted(server)} "
            "OPTIONS (user '…', password '…');"
        )


def _statements(session: Session, connection: Connection) -> Iterator[Lack]:
    ((there, reads),) = session.execute(_STATEMENTS.encode()).fetchall()
    if not there:
        yield Lack(
            what=f"database '{connection.database}' keeps no statement statistics (add "
            "pg_stat_statements to shared_preload_libraries, and restart the server)",
            remedy=("CREATE EXTENSION pg_stat_statements;",),
        )
    if not reads:
        yield Lack(
            what="the statements of other users are hidden",
            remedy=(f"GRANT pg_read_all_stats TO {quoted(connection.user or '')};",),
        )


def _copies(session: Session, connection: Connection) -> Iterator[Lack]:
    ((there, may),) = session.execute(_NAMESPACE.encode(), (connection.namespace,)).fetchall()
    if may:
        return
    schema, user = quoted(connection.namespace), quoted(connection.user or "")
    if there:
        grant = f"GRANT USAGE, CREATE ON SCHEMA {schema} TO {user};"
    else:
        grant = f"CREATE SCHEMA {schema} AUTHORIZATION {user};"
    yield Lack(what=f"no copy may be made in schema '{connection.namespace}'", remedy=(grant,))
