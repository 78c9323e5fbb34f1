"""Needs of a run in a MySQL or MariaDB: rights on databases, settings, statistics."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pymysql

from evaluation.checks.check import Checked, Lack, Uses
from evaluation.checks.mysql_grants import Grant, grants, missing
from evaluation.live.mysql_samples import SETTINGS
from evaluation.live.mysql_statements import SYSTEM_SCHEMAS
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.servers import refuse_older, server_of
from evaluation.stores.mysql.sessions import Execute, session

_MARK = "`"
_COPIES = ("SELECT", "INSERT", "DELETE", "CREATE", "DROP", "ALTER")
_READING = ("SELECT", "SHOW VIEW")
_DIGESTS = ("performance_schema", "events_statements_summary_by_digest")
_TABLES = """
SELECT table_schema, table_name, table_type, update_time FROM information_schema.tables
  placement_advisor
WHERE table_schema {where} %s ORDER BY table_schema, table_name
"""
_STATISTICS = """
SELECT database_name, table_name, last_update FROM mysql.innodb_table_stats placement_advisor
"""


def check(connection: Connection, uses: Uses) -> Checked:
    """Ask for what the uses need; see `evaluation.checks.check.Check`."""
    with session(connection, "asking for its rights failed") as execute:
        execute("SET SESSION TRANSACTION READ ONLY")
        # MySQL would tell when a table was written from a memory of a day.
        execute(SETTINGS)
        refuse_older(connection, execute)
        ((version, user, bulk),) = execute("SELECT version(), current_user(), @@local_infile")
        account = _account(str(user))
        had = grants(execute)
        tables = _tables(execute, connection, uses) if uses.tables else ()
        stale = _stale(execute, tables) if uses.tables else None
        lacks: list[Lack] = []
        if uses.tables:
            lacks += _unreadable(had, account, uses, tables)
        if uses.statements:
            lacks += _statements(execute, had, account)
        if uses.copies:
            lacks += _copies(had, account, connection, bulk=bool(bulk))
        name = server_of(execute).name
    return Checked(
        version=f"{name} {str(version).partition('-')[0]}",
        lacks=tuple(lacks),
        tables=len(tables) if uses.tables else None,
        stale=stale,
    )


def _account(user: str) -> str:
    """Return ``'name'@'host'`` for a GRANT."""
    name, _, host = user.rpartition("@")
    return "@".join(
        "'" + part.replace("\\", "\\\\").replace("'", "''") + "'" for part in (name, host)
    )


def _whole(database: str) -> str:
    """Return the tables of a database, whose name may have characters that stand for others."""
    escaped = database.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%")
    return f"{quoted(escaped, _MARK)}.*"


def _tables(execute: Execute, connection: Connection, uses: Uses) -> Sequence[tuple[Any, ...]]:
    where = "IN" if uses.schemas else "NOT IN"
    names = uses.schemas or (*SYSTEM_SCHEMAS, connection.namespace)
    return execute(_TABLES.format(where=where), (names,))


def _unreadable(
    had: Sequence[Grant], account: str, uses: Uses, tables: Sequence[tuple[Any, ...]]
) -> Iterator[Lack]:
    # What an account has no right to is not even listed.
    databases = uses.schemas or sorted({row[0] for row in tables})
    for database in databases:
        lacking = missing(had, _READING, database)
        if lacking:
            yield Lack(
                what=f"tables and views of database '{database}' may not all be read",
                remedy=(f"GRANT {', '.join(lacking)} ON {_whole(database)} TO {account};",),
            )
    if not databases:
        yield Lack(
            what="no database of yours may be read",
            remedy=(f"GRANT {', '.join(_READING)} ON `database`.* TO {account};",),
        )


def _statements(execute: Execute, had: Sequence[Grant], account: str) -> Iterator[Lack]:
    ((enabled,),) = execute("SELECT @@performance_schema")
    if not enabled:
        yield Lack(
            what="no statement statistics are kept (set performance_schema = ON below [mysqld] in "
            "the server's configuration, and restart it)"
        )
    if missing(had, ("SELECT",), *_DIGESTS):
        place = ".".join(quoted(part, _MARK) for part in _DIGESTS)
        yield Lack(
            what="the statement statistics may not be read",
            remedy=(f"GRANT SELECT ON {place} TO {account};",),
        )


def _copies(
    had: Sequence[Grant], account: str, connection: Connection, *, bulk: bool
) -> Iterator[Lack]:
    lacking = missing(had, _COPIES, connection.namespace)
    if lacking:
        yield Lack(
            what=f"no copy may be made in database '{connection.namespace}'",
            remedy=(f"GRANT {', '.join(lacking)} ON {_whole(connection.namespace)} TO {account};",),
        )
    if not bulk:
        yield Lack(
            what="the server takes no rows in bulk", remedy=("SET GLOBAL local_infile = ON;",)
        )


def _stale(execute: Execute, tables: Sequence[tuple[Any, ...]]) -> tuple[str, ...] | None:
    """Return statements for tables that were written after their statistics; None if not said."""
    with suppress(pymysql.MySQLError):
        known = {(where, name): moment for where, name, moment in execute(_STATISTICS)}
        return tuple(
            f"ANALYZE TABLE {quoted(where, _MARK)}.{quoted(name, _MARK)};"
            for where, name, _, written in tables
            if written is not None
            and known.get((where, name)) is not None
            and written > known[where, name]
        )
    return None
