"""Logins by the servers' own drivers, without the back ends that are measured."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pymysql

from evaluation.store_protocol.connection import Connection


def postgresql_login(connection: Connection) -> dict[str, Any]:
    """Return psycopg's arguments for a session that commits each statement."""
    return {
        "host": connection.host,
        "port": connection.port,
        "dbname": connection.database,
        "user": connection.user,
        "password": connection.password,
        "autocommit": True,
    }


def mysql_login(connection: Connection) -> dict[str, Any]:
    """Return PyMySQL's arguments for a session that commits each statement, in no database."""
    return {
        "host": connection.host,
        "port": connection.port or 0,
        "user": connection.user,
        "password": connection.password or "",
        "charset": "utf8mb4",
        "autocommit": True,
        # Encrypted for a server that takes no clear text; who it is, is not looked at here.
        **({"ssl": {"check_hostname": False}} if connection.tls.mode == "require" else {}),
    }


@contextmanager
def mysql_statements(
    connection: Connection,
    **more: Any,  # noqa: ANN401 - the driver's arguments
) -> Iterator[Callable[[str], Any]]:
    """Give a function that runs a statement and returns its rows."""
    with (
        closing(pymysql.connect(**mysql_login(connection), **more)) as session,
        session.cursor() as cursor,
    ):

        def run(sql: str) -> Any:  # noqa: ANN401 - as the driver
            cursor.execute(sql)
            return cursor.fetchall()

        yield run
