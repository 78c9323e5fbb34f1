"""Rows of MariaDB and MySQL as they come, in a transaction that only reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pymysql
from pymysql.cursors import SSCursor
from pymysql.err import OperationalError

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.mysql.patient_mysql import Session
from evaluation.stores.mysql.sessions import Execute, executing, opened

_SNAPSHOT = (
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
)
_HEADER_BYTES = 4
_LONGEST_PACKET = 0xFFFFFF
_LONGEST_END = 9
_NULL, _END, _ERROR = 0xFB, 0xFE, 0xFF
# The first byte of a text's length → how many bytes with the length follow it.
_LENGTHS = {0xFC: 2, 0xFD: 3, 0xFE: 8}
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One transaction: `execute` runs a statement, `lines` reads a large result as it comes."""

    session: Session
    execute: Execute

    def lines(self, sql: str) -> Iterator[bytes]:
        """Yield the rows of `sql`, each of one text, as lines of UTF-8, some at a time.

        The driver takes a row apart in Python, field by field. So its packets are read here: a
        row of one field needs no more than its length to be skipped.

        Raises:
            pymysql.MySQLError: The server refuses it, is lost, or has a row that it cannot send.
        """
        driver: Any = self.session
        with self.session.cursor(SSCursor) as cursor:
            cursor.execute(sql)
            try:
                yield from _chunks(_texts(driver))
            except BaseException:
                # What is left of the result is not read to its end.
                driver._force_close()
                raise
            finally:
                driver._result.unbuffered_active = False


def _chunks(texts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield texts as lines, about a megabyte at a time."""
    lines: list[bytes] = []
    size_bytes = 0
    for text in texts:
        lines.append(text)
        size_bytes += len(text)
        if size_bytes >= _CHUNK_BYTES:
            yield b"\n".join((*lines, b""))
            lines, size_bytes = [], 0
    if lines:
        yield b"\n".join((*lines, b""))


def _texts(driver: Any) -> Iterator[bytes]:  # noqa: ANN401
    """Yield the text of each row of the result that `driver` is about to read."""
    read = driver._rfile.read
    while True:
        packet = _packet(driver, read)
        first = packet[0]
        if first < _NULL:
            yield packet[1:]
        elif first == _END and len(packet) < _LONGEST_END:
            return
        elif first == _ERROR:
            pymysql.err.raise_mysql_exception(packet)
        elif first == _NULL:
            raise OperationalError("a row is longer than the server's max_allowed_packet")
        else:
            yield packet[1 + _LENGTHS[first] :]


def _packet(driver: Any, read: Any) -> bytes:  # noqa: ANN401
    """Return the next packet, whose parts are put together."""
    found = b""
    while True:
        header = read(_HEADER_BYTES)
        size = int.from_bytes(header[:3], "little")
        part: bytes = read(size)
        if len(header) < _HEADER_BYTES or len(part) < size:
            driver._force_close()
            raise OperationalError("the server has gone away while its rows were read")
        if size < _LONGEST_PACKET:
            return found + part if found else part
        found += part


@contextmanager
def reading_session(connection: Connection, work: str) -> Iterator[Stream]:
    """Open a session in one consistent snapshot; StoreError for what fails in it."""
    failures = Failures(connection=connection)
    with failures.logging_in(pymysql.MySQLError, OSError):
        session = opened(connection)
    with failures.told(work, pymysql.MySQLError, OSError), session, session.cursor() as cursor:
        execute = executing(cursor)
        for statement in _SNAPSHOT:
            execute(statement)
        yield Stream(session=session, execute=execute)
