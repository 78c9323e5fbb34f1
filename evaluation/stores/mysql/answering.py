"""Answers of MariaDB and MySQL by PyMySQL, as they come."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.cursors import SSCursor

from evaluation.store_protocol.connecting import has_news
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import Login
from evaluation.store_protocol.whole_answers import FetchedRows, RowsWithin
from evaluation.stores.mysql.patient_mysql import Session
from evaluation.stores.mysql.sessions import SHORT_TIMEOUT_S, opened

_BYTES = 63
"""The character set of what is no text."""
_KINDS = {
    **dict.fromkeys(
        (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.INT24, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG),
        "whole",
    ),
    **dict.fromkeys((FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL), "decimal"),
    FIELD_TYPE.FLOAT: "float",
    FIELD_TYPE.DOUBLE: "double",
    # As the JDBC driver has it.
    FIELD_TYPE.NULL: "binary",
}
_TEXTS = frozenset(
    {
        *(FIELD_TYPE.VARCHAR, FIELD_TYPE.VAR_STRING, FIELD_TYPE.STRING),
        *(FIELD_TYPE.TINY_BLOB, FIELD_TYPE.BLOB, FIELD_TYPE.MEDIUM_BLOB, FIELD_TYPE.LONG_BLOB),
    }
)


@dataclass(frozen=True, slots=True)
class MySQLAnswers:
    """A session with MariaDB or MySQL that answers statements."""

    session: Session

    def is_open(self, *, asked: bool) -> bool:
        """Whether the server has not ended it; where it is `asked`, whether it answers, too."""
        driver: Any = self.session
        if not self.session.open or has_news(driver._sock.fileno()):
            return False
        if not asked:
            return True
        patience = self.session.wait_with(Login(SHORT_TIMEOUT_S))
        try:
            self.session.ping(reconnect=False)
        except (pymysql.MySQLError, OSError):
            return False
        self.session.wait_with(patience)
        return True

    def fetched(self, sql: str, most_bytes: int, row_bytes: float) -> FetchedRows:  # noqa: ARG002
        """Return all rows of `sql`, which the server sends without being asked for each part."""
        driver: Any = self.session
        started = perf_counter()
        with self.session.cursor(SSCursor) as cursor:
            cursor.execute(sql)
            execute_s = perf_counter() - started
            kinds = tuple(_kinds(driver._result.fields))
            try:
                rows = _rows(cursor, most_bytes)
            except BaseException:
                # What is left of the result is not read to its end.
                driver._force_close()
                driver._result.unbuffered_active = False
                raise
        seconds = perf_counter() - started
        return FetchedRows(kinds=kinds, rows=rows, execute_s=execute_s, fetch_s=seconds - execute_s)

    def close(self) -> None:
        """End the session."""
        # One that has ended cannot be closed again.
        with suppress(pymysql.MySQLError, OSError):
            self.session.close()


def _rows(cursor: SSCursor, most_bytes: int) -> Sequence[Sequence[object]]:
    found = RowsWithin(most_bytes)
    while (row := cursor.fetchone()) is not None:
        found.add(row)
    return found.rows


def _kinds(fields: Iterable[Any]) -> Iterable[str]:
    for field in fields:
        if field.type_code in _TEXTS:
            yield "binary" if field.charsetnr == _BYTES else "string"
        else:
            yield _KINDS.get(field.type_code, "")


def answering(connection: Connection, options: Mapping[str, str]) -> MySQLAnswers:
    """Log in, and begin as Spark's sessions with these JDBC `options` do."""
    session = opened(connection)
    try:
        with session.cursor() as cursor:
            # Our other sessions are in UTC. These have the server's zone, unless they are told.
            cursor.execute("SET time_zone = DEFAULT")
            # What Spark runs when it connects, and what it runs before it reads.
            for settings in (options["initSql"], options["sessionInitStatement"]):
                cursor.execute(settings)
        if not connection.read_only:
            session.select_db(connection.namespace)
    except BaseException:
        session.close()
        raise
    return MySQLAnswers(session)
