"""COPY from PostgreSQL, many rows at a time: the driver's own reader waits for each row."""

from collections.abc import Iterator

from psycopg import errors
from psycopg.abc import PQGen
from psycopg.generators import fetch_many
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn
from psycopg.waiting import Wait

from evaluation.stores.postgresql.sessions import Session

_READ_BYTES = 1 << 20


def copied_out(session: Session, sql: str) -> Iterator[bytes]:
    """Yield what ``COPY … TO STDOUT`` hands out, some rows at a time.

    Raises:
        psycopg.Error: The server refuses it, or is lost.
    """
    with session.cursor() as cursor, cursor.copy(sql.encode()):
        is_over = False
        while not is_over:
            rows, is_over = session.wait(_some(session.pgconn))
            yield rows


def _some(driver: PGconn) -> PQGen[tuple[bytes, bool]]:
    """Return the rows that have come, waiting where none has, and whether these are the last."""
    rows: list[memoryview] = []
    size_bytes = 0
    while size_bytes < _READ_BYTES:
        count, row = driver.get_copy_data(1)
        if count > 0:
            rows.append(row)
            size_bytes += count
        elif count < 0:
            results = yield from fetch_many(driver)
            if results and results[0].status != ExecStatus.COMMAND_OK:
                raise errors.error_from_result(results[0])
            return b"".join(rows), True
        elif rows:
            break
        else:
            while not (yield Wait.R):
                continue
            driver.consume_input()
    return b"".join(rows), False
