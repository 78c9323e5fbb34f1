"""Sessions with MariaDB and MySQL, with a bound on every wait."""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.cursors import Cursor

from evaluation.store_protocol.backend import statement_mark
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.patience import Patience
from evaluation.store_protocol.tls_files import check_files
from evaluation.stores.mysql.encryption import login_options
from evaluation.stores.mysql.patient_mysql import Session
from workloads.errors import StoreError

_Kind = TypeVar("_Kind", bound=Session)

_CONNECT_TIMEOUT_S = 10
_LOCK_TIMEOUT_S = 60
SHORT_TIMEOUT_S = 3
_NO_SUCH_THREAD = 1094
_DAYS = (FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE, FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP)
_OWN_MODE = ", sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'"
"""Other modes of a server would change what is loaded and what it says of itself: backslashes that
escape nothing, names between double quotes, empty text that is NULL."""
READ_ONLY = "/*M!, tx_read_only = 1 *//*!80000, transaction_read_only = 1 */"
"""The end of a SET statement by which a session writes nothing; each server reads its part."""
_WAITING_FOR_US = (
    *("Reading from net", "Writing to net"),
    *("Receiving from client", "Sending to client"),
)


class Execute(Protocol):
    """Runs a statement, with values to bind, and returns its rows."""

    def __call__(self, statement: str, values: tuple[object, ...] | None = None) -> tuple[Any, ...]:
        """Run `statement`."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return what the columns of the last statement's rows are called, as it tells them."""
        ...

    def days(self) -> tuple[bool, ...]:
        """Return which columns of the last statement's rows are days or moments."""
        ...


@dataclass(frozen=True, slots=True)
class _Execute:
    """Runs statements by one cursor."""

    cursor: Cursor

    def __call__(self, statement: str, values: tuple[object, ...] | None = None) -> tuple[Any, ...]:
        self.cursor.execute(statement, values)
        return tuple(self.cursor.fetchall())

    def names(self) -> tuple[str, ...]:
        return tuple(column[0] for column in self.cursor.description or ())

    def days(self) -> tuple[bool, ...]:
        described: Iterable[Any] = self.cursor.description or ()
        return tuple(column[1] in _DAYS for column in described)


@contextmanager
def session(
    connection: Connection, work: str, *, patient: bool = True, servers_mode: bool = False
) -> Iterator[Execute]:
    """Open a session in which every statement commits; StoreError for what fails in it.

    `work` says in errors what was going on. Unless `patient`, a server is given a few seconds. It
    has our own SQL mode, or the server's for statements as users write them.
    """
    failures = Failures(connection=connection)
    timeout_s = None if patient else SHORT_TIMEOUT_S
    with failures.logging_in(pymysql.MySQLError, OSError):
        opened = connected(
            connection, Session, autocommit=True, timeout_s=timeout_s, servers_mode=servers_mode
        )
    with failures.told(work, pymysql.MySQLError), opened, opened.cursor() as cursor:
        execute = _Execute(cursor)
        execute(f"SET SESSION lock_wait_timeout = {_LOCK_TIMEOUT_S}")
        yield execute


def executing(cursor: Cursor) -> Execute:
    """Return what runs statements by a cursor."""
    return _Execute(cursor)


def opened(connection: Connection) -> Session:
    """Log in; every statement commits, and every wait has an end."""
    return connected(connection, Session, autocommit=True)


def session_options(
    run: str, settings: str, *, silence_s: float, locking: bool = True
) -> Mapping[str, str]:
    """Return JDBC options that mark sessions as those of `run` and bound every wait for an answer.

    `settings` is a SET statement that each session begins with; drivers run a single one.

    The mark is a lock of the session's own by that name, which ends with it: the list of sessions
    shows names that a client gives itself only where the performance schema is on. Sessions that
    are not `locking` are told by their statements alone, which have `statement_mark`.
    """
    mark = f", @placement_advisor = GET_LOCK(CONCAT('{_lock(run)}', CONNECTION_ID()), 0)"
    return {
        # They write nothing: a statement of a workload may call a function that does.
        "initSql": f"{settings.rstrip()}{READ_ONLY}{mark if locking else ''}",
        "connectTimeout": str(1000 * _CONNECT_TIMEOUT_S),
        "socketTimeout": str(1000 * math.ceil(silence_s)),
    }


def mark_session(execute: Execute, run: str) -> None:
    """Mark a session as one of `run`, which `end_sessions` ends."""
    execute("SELECT GET_LOCK(CONCAT(%s, CONNECTION_ID()), 0)", (_lock(run),))


def end_sessions(connection: Connection, run: str) -> int:
    """End the sessions of `run` with what they execute; return how many there were.

    Raises StoreError where the server is not there.
    """
    failures = Failures(connection=connection)
    with failures.logging_in(pymysql.MySQLError, OSError):
        opened = connected(connection, Session, autocommit=True, timeout_s=SHORT_TIMEOUT_S)
    with (
        failures.told("its sessions cannot be ended", pymysql.MySQLError),
        opened,
        opened.cursor() as cursor,
    ):
        cursor.execute(
            "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND "
            "(IS_USED_LOCK(CONCAT(%s, id)) = id OR info LIKE %s)",
            (_lock(run), f"%{statement_mark(run)}%"),
        )
        found = [int(row[0]) for row in cursor.fetchall()]
        for number in found:
            _kill(cursor, number)
    return len(found)


def _kill(cursor: Cursor, number: int) -> None:
    try:
        cursor.execute("KILL %s", (number,))
    except pymysql.MySQLError as error:
        # It has ended by itself meanwhile.
        if error.args[:1] != (_NO_SUCH_THREAD,):
            raise


def answers(connection: Connection) -> bool:
    """Tell whether a login succeeds, within a few seconds."""
    with suppress(pymysql.MySQLError, OSError, StoreError):
        connected(connection, Session, autocommit=True, timeout_s=SHORT_TIMEOUT_S).close()
        return True
    return False


def encryption(connection: Connection) -> str | None:
    """Return the protocol that encrypts a login, such as TLSv1.3; None where it is in clear text.

    Raises StoreError where the login fails.
    """
    with session(connection, "asking how it is encrypted failed", patient=False) as execute:
        ((_, protocol),) = execute("SHOW SESSION STATUS LIKE 'Ssl_version'")
        return str(protocol) or None


def _lock(run: str) -> str:
    return f"placement advisor run {run} "


def connected(
    connection: Connection,
    kind: type[_Kind],
    *,
    autocommit: bool,
    timeout_s: int | None = None,
    servers_mode: bool = False,
    local_infile: bool = False,
) -> _Kind:
    """Log in by a session of a `kind`; one of `local_infile` may answer requests for files.

    Raises what the driver raises.
    """
    check_files(connection)
    settings = "SET time_zone = '+00:00'" + ("" if servers_mode else _OWN_MODE)
    session = kind(
        **login_options(connection.tls),
        host=connection.host,
        port=connection.port or 3306,
        user=connection.user,
        # The driver writes text in Latin-1, and servers take UTF-8.
        password=(connection.password or "").encode(),
        charset="utf8mb4",
        local_infile=local_infile,
        autocommit=autocommit,
        init_command=settings + (READ_ONLY if connection.read_only else ""),
        defer_connect=True,
    )
    session.log_in(timeout_s or _CONNECT_TIMEOUT_S)
    if timeout_s is None:
        driver: Any = session
        number: int = driver.thread_id()
        session.wait_with(Patience(connection.silence_s, lambda: _works(connection, number)))
    return session


def _works(connection: Connection, number: int) -> bool:
    """Tell whether the server executes a statement for its session `number`, not waiting for us."""
    with (
        suppress(pymysql.MySQLError, OSError),
        connected(connection, Session, autocommit=True, timeout_s=SHORT_TIMEOUT_S) as session,
        session.cursor() as cursor,
    ):
        cursor.execute(
            "SELECT command <> 'Sleep' AND COALESCE(state, '') NOT IN %s "
            "FROM information_schema.processlist WHERE id = %s",
            (_WAITING_FOR_US, number),
        )
        return cursor.fetchone() == (1,)
    return False
