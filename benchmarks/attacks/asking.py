"""Statements to stores by their own drivers, without our back ends."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import duckdb
import psycopg
import pymysql

from benchmarks.logins import mysql_login, postgresql_login
from evaluation.store_protocol.connection import Connection


def asked(connection: Connection, sql: str) -> Sequence[tuple[Any, ...]]:
    """Run a statement by the server's own driver, in UTC; it commits."""
    if connection.kind == "postgresql":
        login = postgresql_login(connection)
        with psycopg.connect(**login, options="-c timezone=UTC") as session:
            found = session.execute(sql.encode())
            return found.fetchall() if found.description else []
    if connection.kind == "duckdb":
        with duckdb.connect(str(connection.path)) as file:
            file.execute("SET TimeZone = 'UTC'")
            return file.execute(sql).fetchall()
    with (
        closing(
            pymysql.connect(**mysql_login(connection), init_command="SET time_zone = '+00:00'")
        ) as server,
        server.cursor() as cursor,
    ):
        cursor.execute(sql)
        return list(cursor.fetchall())
