"""The servers' own answers, asked through their own clients."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import psycopg
import pymysql

from evaluation.kinds import BACKENDS
from evaluation.store_protocol.connection import Connection
from tests.fuzzing.asked import MOST_ROWS
from tests.fuzzing.comparing import Row
from tests.fuzzing.schemas import quoted
from workloads.catalog import Catalog

LONGEST_S = 5
_REAL = 700
"""PostgreSQL's number of its type REAL."""
_COLLATION = "pg_c_utf8"
"""Text in the order of its bytes, with upper and lower case of all letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A server's rows; `reals` are the places of columns of type REAL."""

    rows: Sequence[Row]
    reals: frozenset[int] = frozenset()


class Ask(Protocol):
    """Returns the rows of a statement; None where the server has no answer."""

    def __call__(self, sql: str) -> Asked | None:
        """Ask."""


@contextmanager
def asking(connection: Connection, catalog: Catalog, namespace: str) -> Iterator[Ask]:
    """Hold `catalog` in a server for the length of the block, and ask it in a session there."""
    there = replace(connection, namespace=namespace)
    backend = BACKENDS[there.kind]
    backend.prepare(there)
    for table in catalog.tables.values():
        backend.load(there, table)
    session = _postgresql(there, catalog) if there.kind == "postgresql" else _mysql(there)
    try:
        with session as ask:
            yield ask
    finally:
        for table in catalog.tables:
            backend.drop(there, table)


@contextmanager
def _postgresql(connection: Connection, catalog: Catalog) -> Iterator[Ask]:
    login = psycopg.connect(
        host=connection.host,
        port=connection.port,
        dbname=connection.database,
        user=connection.user,
        password=connection.password,
        autocommit=True,
    )
    with closing(login) as session:
        session.execute(f"SET statement_timeout = '{LONGEST_S}s'")
        session.execute("SET timezone = 'UTC'")
        session.execute(f'SET search_path = "{connection.namespace}"'.encode())

        for table in catalog.tables.values():
            for column in table.columns:
                if column.type == "VARCHAR":
                    session.execute(
                        f"ALTER TABLE {quoted(table.name)} ALTER COLUMN {quoted(column.name)}"
                        f' TYPE text COLLATE "{_COLLATION}"'.encode()
                    )

        def ask(sql: str) -> Asked | None:
            try:
                answer = session.execute(sql.encode())
                rows = answer.fetchmany(MOST_ROWS + 1)
            except (psycopg.Error, ValueError, OverflowError):
                return None
            types = enumerate(answer.description or ())
            reals = frozenset(place for place, each in types if each.type_code == _REAL)
            return Asked(rows=rows, reals=reals) if len(rows) <= MOST_ROWS else None

        yield ask


@contextmanager
def _mysql(connection: Connection) -> Iterator[Ask]:
    login = pymysql.connect(
        host=connection.host,
        port=connection.port or 0,
        user=connection.user,
        password=connection.password or "",
        database=connection.namespace,
        autocommit=True,
    )
    with closing(login) as session, closing(session.cursor()) as cursor:
        cursor.execute(f"SET max_statement_time = {LONGEST_S}")

        def ask(sql: str) -> Asked | None:
            try:
                cursor.execute(sql)
                rows = cursor.fetchmany(MOST_ROWS + 1)
            except (pymysql.Error, ValueError, OverflowError):
                return None
            return Asked(rows=rows) if len(rows) <= MOST_ROWS else None

        yield ask
