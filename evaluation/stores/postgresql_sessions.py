"""Sessions with PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from evaluation.connection import Connection
from evaluation.stores.failures import Failures

APPLICATION = "placement-advisor"
Session = psycopg.Connection[tuple[Any, ...]]

_CONNECT_TIMEOUT_S = 10
_LOCK_TIMEOUT_S = 60


@contextmanager
def session_with(connection: Connection, work: str) -> Iterator[Session]:
    """Open a session in which every statement commits; StoreError for what fails in it.

    `work` says in errors what was going on.
    """
    failures = Failures(connection=connection)
    with failures.logging_in(psycopg.OperationalError):
        session = connect(connection)
    with failures.told(work, psycopg.Error), session:
        yield session


def connect(connection: Connection) -> Session:
    """Log in; every statement commits, times are in UTC."""
    return psycopg.connect(
        host=connection.host,
        port=connection.port,
        dbname=connection.database,
        user=connection.user,
        password=connection.password,
        connect_timeout=_CONNECT_TIMEOUT_S,
        application_name=APPLICATION,
        options=f"-c timezone=UTC -c lock_timeout={_LOCK_TIMEOUT_S}s",
        autocommit=True,
    )
