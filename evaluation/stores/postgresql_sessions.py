"""Sessions with PostgreSQL."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from evaluation.connection import Connection
from evaluation.stores.failures import Failures

APPLICATION = "placement-advisor"
Session = psycopg.Connection[tuple[Any, ...]]

_CONNECT_TIMEOUT_S = 10
_LOCK_TIMEOUT_S = 60
_SHORT_TIMEOUT_S = 3


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


def connect(connection: Connection, *, timeout_s: int = _CONNECT_TIMEOUT_S) -> Session:
    """Log in; every statement commits, times are in UTC."""
    return psycopg.connect(
        host=connection.host,
        port=connection.port,
        dbname=connection.database,
        user=connection.user,
        password=connection.password,
        connect_timeout=timeout_s,
        application_name=APPLICATION,
        options=f"-c timezone=UTC -c lock_timeout={_LOCK_TIMEOUT_S}s",
        autocommit=True,
    )


def session_options(run: str, *, silence_s: float) -> Mapping[str, str]:
    """Return JDBC options that mark sessions as those of `run` and bound every wait for an answer.

    The name shows in the server's own list of sessions.
    """
    return {
        "ApplicationName": _application(run),
        "socketTimeout": str(math.ceil(silence_s)),
        "cancelSignalTimeout": str(_SHORT_TIMEOUT_S),
    }


def end_sessions(connection: Connection, run: str) -> int:
    """End the sessions of `run` with what they execute; return how many there were.

    Raises StoreError where the server is not there.
    """
    failures = Failures(connection=connection)
    with failures.logging_in(psycopg.OperationalError):
        session = connect(connection, timeout_s=_SHORT_TIMEOUT_S)
    with failures.told("its sessions cannot be ended", psycopg.Error), session:
        ended = session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = %s AND usename = current_user "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
            (_application(run),),
        )
        return len(ended.fetchall())


def answers(connection: Connection) -> bool:
    """Tell whether a login succeeds, within a few seconds."""
    try:
        connect(connection, timeout_s=_SHORT_TIMEOUT_S).close()
    except psycopg.OperationalError:
        return False
    return True


def _application(run: str) -> str:
    return f"{APPLICATION} {run}"
