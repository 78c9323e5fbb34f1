"""Statements to PostgreSQL, MariaDB and MySQL by their own drivers, without our back ends."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import psycopg
import pymysql

from evaluation.store_protocol.connection import Connection


def asked(connection: Connection, sql: str) -> Sequence[tuple[Any, ...]]:
    """Run a statement by the server's own driver, in UTC; it commits."""
    if connection.kind == "postgresql":
        with psycopg.connect(
            host=connection.host,
            port=connection.port,
            dbname=connection.database,
            user=connection.user,
            password=connection.password,
            options="-c timezone=UTC",
            autocommit=True,
        ) as session:
            found = session.execute(sql.encode())
            return found.fetchall() if found.description else []
    with (
        closing(
            pymysql.connect(
                host=connection.host,
                port=connection.port or 0,
                user=connection.user,
                password=connection.password or "",
                charset="utf8mb4",
                init_command="SET time_zone = '+00:00'",
                autocommit=True,
            )
        ) as server,
        server.cursor() as cursor,
    ):
        cursor.execute(sql)
        return list(cursor.fetchall())
