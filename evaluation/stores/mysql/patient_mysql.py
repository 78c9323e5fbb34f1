"""PyMySQL's session with waits that have an end, and that go on while the server works."""

import io
import ssl
from select import POLLIN, poll
from typing import TYPE_CHECKING, Any

from pymysql.connections import Connection
from pymysql.constants import CR
from pymysql.err import OperationalError

from evaluation.store_protocol.patience import TICK_S, Patience
from workloads.counting.own import MARK

if TYPE_CHECKING:
    import socket

    from _typeshed import WriteableBuffer


class Session(Connection):
    """A session. Until `wait_with` the driver's own limits hold, from the handshake on.

    Each statement is marked as ours: the server's logs do not have a session's program.
    """

    _patience: Patience | None = None

    def query(self, sql: str, unbuffered: bool = False) -> int:
        """Run a statement, and return how many rows it gave or changed."""
        driver: Any = super()
        found: int = driver.query(f"{MARK} {sql}", unbuffered)
        return found

    def wait_with(self, patience: Patience) -> None:
        """Bound every wait from now on by `patience`, whatever the driver's limits are."""
        driver: Any = self
        driver._read_timeout = driver._write_timeout = driver._current_timeout = TICK_S
        driver._sock.settimeout(TICK_S)
        # Nothing is left in the old stream: the server speaks when it is spoken to.
        driver._rfile = io.BufferedReader(_Incoming(driver._sock, patience))
        self._patience = patience

    def _write_bytes(self, data: bytes) -> None:
        driver: Any = super()
        if self._patience is None:
            driver._write_bytes(data)
            return
        self._patience.moved()
        left = memoryview(data)
        opened: Any = self
        try:
            while left:
                left = left[self._sent(opened._sock, left, self._patience) :]
        except OSError as error:
            opened._force_close()
            raise OperationalError(CR.CR_SERVER_GONE_ERROR, str(error)) from None

    @staticmethod
    def _sent(outgoing: "socket.socket", data: memoryview, patience: Patience) -> int:
        """Send a part of `data` and return its bytes, 0 after a pause."""
        try:
            sent = outgoing.send(data)
        except TimeoutError:
            patience.check()
            return 0
        patience.moved()
        return sent


class _Incoming(io.RawIOBase):
    """The server's bytes, read as long as patience lasts."""

    def __init__(self, incoming: "socket.socket", patience: Patience) -> None:
        self._incoming = incoming
        self._patience = patience
        self._poll = poll()
        self._poll.register(incoming, POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        self._patience.moved()
        while not self._is_ready():
            self._patience.check()
        self._patience.moved()
        while True:
            try:
                return self._incoming.recv_into(buffer)
            except TimeoutError:
                # Part of a record of TLS.
                self._patience.check()

    def _is_ready(self) -> bool:
        if isinstance(self._incoming, ssl.SSLSocket) and self._incoming.pending():
            return True
        return bool(self._poll.poll(1000 * TICK_S))
