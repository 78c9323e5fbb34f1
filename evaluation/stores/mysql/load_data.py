"""LOAD DATA without a file: rows are sent as they come."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.patient_mysql import Session
from evaluation.stores.mysql.sessions import connected, executing, mark_session
from evaluation.stores.mysql.slices import slices

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
    r"""Sends rows by LOAD DATA into the table `target`, in transactions of bounded size.

    `columns` are the quoted names of the rows' columns, in their order; those in `as_bytes` arrive
    as ``\x`` and hexadecimal digits. The session is one of `run`, if that is given.
    """

    connection: Connection
    target: str
    columns: tuple[str, ...]
    as_bytes: frozenset[str] = frozenset()
    run: str | None = None

    def __call__(self, chunks: Iterable[memoryview]) -> int:
        """Send them; ValueError if the server would alter a value."""
        session = connected(self.connection, _BulkSession, autocommit=False, local_infile=True)
        taken = 0
        try:
            with session.cursor() as cursor:
                if self.run is not None:
                    mark_session(executing(cursor), self.run)
                for some in slices(chunks):
                    session.chunks = some
                    taken += cursor.execute(
                        f"LOAD DATA LOCAL INFILE 'rows' INTO TABLE {self.target} "
                        f"CHARACTER SET utf8mb4 {self._assigned()}"
                    )
                    # With LOCAL a value that does not fit is altered and only warned of.
                    cursor.execute("SHOW WARNINGS")
                    if warnings := cursor.fetchall():
                        raise ValueError(warnings[0][2])
                    session.commit()
        finally:
            session.close()
        return taken

    def _assigned(self) -> str:
        """Return the columns that the rows' values go to, by variables where they are decoded."""
        read = [
            f"@bytes_{number}" if column in self.as_bytes else column
            for number, column in enumerate(self.columns)
        ]
        decoded = [
            f"{column} = UNHEX(SUBSTRING({value}, 3))"
            for column, value in zip(self.columns, read, strict=True)
            if column in self.as_bytes
        ]
        return f"({', '.join(read)})" + (f" SET {', '.join(decoded)}" if decoded else "")
