"""Sessions with MariaDB and MySQL: for control, and for LOAD DATA without a file."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pymysql
from pymysql.connections import Connection as Session

from evaluation.connection import Connection
from evaluation.stores.failures import Failures

_Kind = TypeVar("_Kind", bound=Session)

_CONNECT_TIMEOUT_S = 10
_LOCK_TIMEOUT_S = 60
_PACKET_BYTES = 1 << 18


class _BulkSession(Session):
    """A session that answers a server's request for a file with `chunks`, whatever it asks for.

    So no file is written for LOAD DATA, and no file of ours can be asked for.
    """

    chunks: Iterable[memoryview] = ()

    def _read_packet(self, *arguments: Any) -> Any:  # noqa: ANN401
        driver: Any = super()
        packet = driver._read_packet(*arguments)
        if not packet.is_load_local_packet():
            return packet
        for chunk in self.chunks:
            for start in range(0, len(chunk), _PACKET_BYTES):
                driver.write_packet(chunk[start : start + _PACKET_BYTES])
        driver.write_packet(b"")
        return driver._read_packet(*arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadData:
    """Sends rows by LOAD DATA into the table `target`, in one transaction."""

    connection: Connection
    target: str

    def __call__(self, chunks: Iterable[memoryview]) -> int:
        """Send them; ValueError if the server would alter a value."""
        session = _connect(self.connection, _BulkSession, autocommit=False)
        try:
            session.chunks = chunks
            with session.cursor() as cursor:
                taken = cursor.execute(
                    f"LOAD DATA LOCAL INFILE 'rows' INTO TABLE {self.target} CHARACTER SET utf8mb4"
                )
                # With LOCAL a value that does not fit is altered and only warned of.
                cursor.execute("SHOW WARNINGS")
                warnings = cursor.fetchall()
            if warnings:
                raise ValueError(warnings[0][2])
            session.commit()
        finally:
            session.close()
        return int(taken)


class Execute(Protocol):
    """Runs a statement, with values to bind, and returns its rows."""

    def __call__(self, statement: str, values: tuple[object, ...] | None = None) -> tuple[Any, ...]:
        """Run `statement`."""
        ...


@contextmanager
def session(connection: Connection, work: str) -> Iterator[Execute]:
    """Open a session in which every statement commits; StoreError for what fails in it.

    `work` says in errors what was going on.
    """
    failures = Failures(connection=connection)
    with failures.logging_in(pymysql.MySQLError, OSError):
        opened = _connect(connection, Session, autocommit=True)
    with failures.told(work, pymysql.MySQLError), opened, opened.cursor() as cursor:

        def execute(statement: str, values: tuple[object, ...] | None = None) -> tuple[Any, ...]:
            cursor.execute(statement, values)
            return tuple(cursor.fetchall())

        execute(f"SET SESSION lock_wait_timeout = {_LOCK_TIMEOUT_S}")
        yield execute


def _connect(connection: Connection, kind: type[_Kind], *, autocommit: bool) -> _Kind:
    return kind(
        host=connection.host,
        port=connection.port or 3306,
        user=connection.user,
        password=connection.password or "",
        charset="utf8mb4",
        connect_timeout=_CONNECT_TIMEOUT_S,
        local_infile=kind is _BulkSession,
        autocommit=autocommit,
        init_command="SET time_zone = '+00:00'",
    )
