"""Sessions with PostgreSQL."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import inf
from typing import Any, Self, TypeVar

import psycopg
from psycopg import waiting
from psycopg.abc import PQGen, PQGenConn

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import ENDING_S, Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.patience import TICK_S, Login, Patience, SilentError, Wait, never
from evaluation.store_protocol.tls_files import check_files
from evaluation.stores.postgresql.encryption import login_options, refusal
from workloads.counting.own import APPLICATION, MARK
from workloads.errors import StoreError

_Result = TypeVar("_Result")

_SET_PATH = f"SELECT {MARK} pg_catalog.set_config('search_path', %s, %s) WHERE 1 < 2 AND 3 < 4"

_CONNECT_TIMEOUT_S = 10
_LOCK_TIMEOUT_S = 60
SHORT_TIMEOUT_S = 3
_UNVERIFIED = "certificate verify failed"
_KEEPALIVE_S, _KEEPALIVES = 10, 3
# Whose machine is gone leaves a session, and the lock of a namespace with it, for two hours.
_SERVER_KEEPALIVES = (
    f"-c tcp_keepalives_idle={_KEEPALIVE_S} -c tcp_keepalives_interval={_KEEPALIVE_S} "
    f"-c tcp_keepalives_count={_KEEPALIVES}"
)

_READ_ONLY = " -c default_transaction_read_only=on"


class Session(psycopg.Connection[tuple[Any, ...]]):
    """A session whose every wait has an end."""

    patience: Wait = Patience(_CONNECT_TIMEOUT_S, never)

    @classmethod
    def _connect_gen(cls, conninfo: str = "") -> PQGenConn[Self]:
        """Return the driver's steps of a login, which an interrupt ends."""
        return _logging_in(super()._connect_gen(conninfo))

    def wait(
        self, gen: PQGen[_Result], interval: float = TICK_S, timeout: float | None = None
    ) -> _Result:
        """Run the driver's steps; OperationalError where the server is silent for too long."""
        self.patience.moved()
        steps = _watched(gen, self.patience)
        try:
            return waiting.wait(steps, self.pgconn.socket, interval=interval, timeout=timeout)
        except SilentError as error:
            self.pgconn.finish()
            raise psycopg.OperationalError(str(error)) from None
        except KeyboardInterrupt:
            # The driver waits for the cancelled statement, however long the server is silent.
            with suppress(psycopg.Error):
                self.cancel_safe(timeout=SHORT_TIMEOUT_S)
            self.pgconn.finish()
            raise


def _logging_in(steps: PQGenConn[_Result]) -> PQGenConn[_Result]:
    """Pass the steps of a login on; at every pause it is looked for an interrupt."""
    login = Login(inf)
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if not ready:
                login.check()
            wanted = steps.send(ready)
    except StopIteration as end:
        result: _Result = end.value
        return result


def _watched(steps: PQGen[_Result], patience: Wait) -> PQGen[_Result]:
    """Pass the driver's steps on, and look at every pause whether the wait shall go on."""
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if ready:
                patience.moved()
            else:
                patience.check()
            wanted = steps.send(ready)
    except StopIteration as end:
        result: _Result = end.value
        return result


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


def connect(connection: Connection, *, timeout_s: int | None = None) -> Session:
    """Log in; every statement commits, times are in UTC. With `timeout_s` no wait is longer."""
    session = _opened(
        connection,
        timeout_s or _CONNECT_TIMEOUT_S,
        APPLICATION,
        f"-c timezone=UTC -c lock_timeout={_LOCK_TIMEOUT_S}s {_SERVER_KEEPALIVES}"
        f"{_READ_ONLY if connection.read_only else ''}",
    )
    if timeout_s is not None:
        session.patience = Patience(timeout_s, never)
        return session
    return _patient(session, connection)


def reading(connection: Connection, application: str, settings: str) -> Session:
    """Log in by the name `application`, with the `settings` of sessions that answer queries."""
    return _patient(_opened(connection, _CONNECT_TIMEOUT_S, application, settings), connection)


def _patient(session: Session, connection: Connection) -> Session:
    number = session.info.backend_pid
    session.patience = Patience(connection.silence_s, lambda: _works(connection, number))
    return session


def _opened(connection: Connection, timeout_s: int, application: str, settings: str) -> Session:
    check_files(connection)
    try:
        return Session.connect(
            **login_options(connection.tls),
            host=connection.host,
            port=connection.port,
            dbname=connection.database,
            user=connection.user,
            password=connection.password,
            connect_timeout=timeout_s,
            application_name=application,
            options=settings,
            keepalives_idle=_KEEPALIVE_S,
            keepalives_interval=_KEEPALIVE_S,
            keepalives_count=_KEEPALIVES,
            tcp_user_timeout=round(1000 * connection.silence_s),
            autocommit=True,
        )
    except SilentError as error:
        raise psycopg.OperationalError(str(error)) from None
    except psycopg.OperationalError as error:
        if _UNVERIFIED in str(error):
            why = refusal(connection, timeout_s=timeout_s)
            raise psycopg.OperationalError(f"{_UNVERIFIED}{why and ': '}{why}") from None
        raise


def _works(connection: Connection, number: int) -> bool:
    """Tell whether the server process `number` is at work, and neither idle nor waiting for us."""
    with (
        suppress(psycopg.Error),
        connect(connection, timeout_s=SHORT_TIMEOUT_S) as session,
    ):
        found = session.execute(
            "SELECT state = 'active' AND wait_event_type IS DISTINCT FROM 'Client' "
            "FROM pg_catalog.pg_stat_activity WHERE pid = %s",
            (number,),
        ).fetchone()
        return found == (True,)
    return False


def session_options(options: Mapping[str, str], run: str, *, silence_s: float) -> Mapping[str, str]:
    """Return JDBC `options` with those that mark sessions of `run` and bound every wait.

    The name shows in the server's own list of sessions. They write nothing: a statement of a
    workload may call a function that does. Sessions are lent again, and reset to what they begin
    with. Statements are not kept in them either, by the driver or the server.
    """
    return {
        **options,
        "ApplicationName": _application(run),
        "options": f"{options['options']}{_READ_ONLY}",
        "prepareThreshold": "0",
        "preparedStatementCacheQueries": "0",
        "socketTimeout": str(math.ceil(silence_s)),
        "cancelSignalTimeout": str(SHORT_TIMEOUT_S),
        "tcpKeepAlive": "true",
    }


def memory_options(options: Mapping[str, str], memory_bytes: int) -> Mapping[str, str]:
    """Return the JDBC options of a session with a work_mem of its own."""
    return {"options": f"{options['options']} -c work_mem={memory_bytes // 1024}kB"}


def end_sessions(connection: Connection, run: str) -> int:
    """End the sessions of `run` with what they execute; return how many there were.

    Raises StoreError where the server is not there.
    """
    failures = Failures(connection=connection)
    with failures.logging_in(psycopg.OperationalError):
        session = connect(connection, timeout_s=SHORT_TIMEOUT_S)
    with failures.told("its sessions cannot be ended", psycopg.Error), session:
        ended = session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = %s AND usename = current_user "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
            (_application(run),),
        )
        return len(ended.fetchall())


@contextmanager
def briefly_connected(connection: Connection) -> Iterator[Session]:
    """Open a session that waits for nothing, a lock neither, longer than a few seconds."""
    with connect(connection, timeout_s=SHORT_TIMEOUT_S) as session:
        session.execute(f"SET lock_timeout = '{SHORT_TIMEOUT_S - 1}s'".encode())
        yield session


def mark_session(session: Session, run: str) -> None:
    """Mark a session as one of `run`, which `end_sessions` ends."""
    session.execute(
        f"SELECT {MARK} pg_catalog.set_config('application_name', %s, false)".encode(),
        (_application(run),),
    )


def set_search_path(session: Session, schemas: Sequence[str], *, is_local: bool = False) -> None:
    """Set a session's path, in no words that a user's statement has too.

    Statement statistics would keep one text of both, and the advisor's own does not count.
    """
    path = ", ".join(map(quoted, schemas))
    session.execute(_SET_PATH.encode(), (path, is_local))


def answers(connection: Connection) -> bool:
    """Tell whether a login succeeds, within a few seconds."""
    try:
        connect(connection, timeout_s=SHORT_TIMEOUT_S).close()
    except (psycopg.OperationalError, StoreError):
        return False
    return True


def encryption(connection: Connection) -> str | None:
    """Return the protocol that encrypts a login, such as TLSv1.3; None where it is in clear text.

    Raises StoreError where the login fails.
    """
    failures = Failures(connection=connection)
    with failures.logging_in(psycopg.OperationalError):
        session = connect(connection, timeout_s=SHORT_TIMEOUT_S)
    with failures.told("asking how it is encrypted failed", psycopg.Error), session:
        found = session.execute(
            "SELECT version FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl"
        ).fetchone()
        return None if found is None else str(found[0])


def _application(run: str) -> str:
    return f"{APPLICATION} {run}"


def locked(session: Session, name: str) -> bool:
    """Take an advisory lock, which ends with the session; False if another session has it.

    A server notices a moment later that a session has ended which had it.
    """
    session.execute(f"SET lock_timeout = {round(ENDING_S * 1000)}".encode())
    try:
        session.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (name,))
    except psycopg.errors.LockNotAvailable:
        return False
    return True
