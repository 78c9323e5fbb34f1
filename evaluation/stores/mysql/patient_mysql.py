"""PyMySQL's session with waits that have an end, and that go on while the server works."""

import io
import select
import socket
import ssl
from select import POLLHUP, POLLIN, poll
from typing import TYPE_CHECKING, Any

from pymysql.connections import Connection
from pymysql.constants import CR
from pymysql.err import OperationalError

from evaluation.store_protocol.connecting import connected
from evaluation.store_protocol.patience import TICK_S, Login, Wait
from workloads.counting.own import MARK

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_HUNG_UP = getattr(select, "POLLRDHUP", POLLHUP)
"""The event that tells that the server sends no more; Linux has it, others tell only later."""


class Session(Connection):
    """A session; made with `defer_connect`, it is opened by `log_in`.

    Each statement is marked as ours: the server's logs do not have a session's program.
    """

    _patience: Wait = Login(0.0)

    def log_in(self, timeout_s: float) -> None:
        """Open the session; no wait is longer than `timeout_s`, until `wait_with`."""
        driver: Any = self
        self._patience = Login(timeout_s)
        driver._read_timeout = driver._write_timeout = TICK_S
        if driver.ssl:
            driver.ctx = _PatientTls(driver.ctx, self._patience)
        try:
            there = connected((driver.host, driver.port), timeout_s)
        except OSError as error:
            said = f"Can't connect to MySQL server on {driver.host!r} ({error})"
            raise OperationalError(CR.CR_CONN_HOST_ERROR, said) from None
        there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        there.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        driver.connect(there)

    def query(self, sql: str, unbuffered: bool = False) -> int:
        """Run a statement, and return how many rows it gave or changed."""
        driver: Any = super()
        found: int = driver.query(f"{MARK} {sql}", unbuffered)
        return found

    def wait_with(self, patience: Wait) -> Wait:
        """Bound every wait from now on by `patience`; return what bounded them before."""
        before, self._patience = self._patience, patience
        self._read_patiently()
        return before

    def _read_patiently(self) -> None:
        """Read by our own stream: nothing is left in the old one, as a server speaks when asked."""
        driver: Any = self
        driver._rfile = io.BufferedReader(_Incoming(driver._sock, self._patience))

    def _read_packet(self, *arguments: Any) -> Any:  # noqa: ANN401
        driver: Any = super()
        own: Any = self
        # The driver has a stream of its own after it has connected, and again with TLS.
        if not isinstance(own._rfile.raw, _Incoming):
            self._read_patiently()
        return driver._read_packet(*arguments)

    def _write_bytes(self, data: bytes) -> None:
        self._patience.moved()
        left = memoryview(data)
        driver: Any = self
        try:
            while left:
                left = left[self._sent(driver._sock, left, self._patience) :]
        except OSError as error:
            driver._force_close()
            raise OperationalError(CR.CR_SERVER_GONE_ERROR, str(error)) from None

    @staticmethod
    def _sent(outgoing: socket.socket, data: memoryview, patience: Wait) -> int:
        """Send a part of `data` and return its bytes, 0 after a pause.

        A server that ends a session in the midst of LOAD DATA may have no room for more at that
        moment. The socket says so for as long as the system keeps its end, a minute and more: the
        session is over all the same.
        """
        try:
            sent = outgoing.send(data)
        except TimeoutError:
            if _has_hung_up(outgoing):
                raise ConnectionResetError("the server has ended the session") from None
            patience.check()
            return 0
        patience.moved()
        return sent


def _has_hung_up(outgoing: socket.socket) -> bool:
    """Tell whether the server has closed its end of the connection, whatever it still takes."""
    ready = poll()
    ready.register(outgoing, _HUNG_UP)
    return bool(ready.poll(0))


class _PatientTls:
    """A context of TLS whose handshake is looked at while it lasts."""

    def __init__(self, context: ssl.SSLContext, patience: Wait) -> None:
        self._context = context
        self._patience = patience

    def wrap_socket(self, there: socket.socket, server_hostname: str | None) -> ssl.SSLSocket:
        """Return the socket with TLS on it, once hands are shaken."""
        wrapped = self._context.wrap_socket(
            there, do_handshake_on_connect=False, server_hostname=server_hostname
        )
        try:
            self._shake_hands(wrapped)
        except BaseException:
            # The driver closes the socket that it knows, which is an empty one since.
            wrapped.close()
            raise
        return wrapped

    def _shake_hands(self, wrapped: ssl.SSLSocket) -> None:
        self._patience.moved()
        while True:
            try:
                wrapped.do_handshake()
            except TimeoutError:
                self._patience.check()
            else:
                return


class _Incoming(io.RawIOBase):
    """The server's bytes, read as long as patience lasts."""

    def __init__(self, incoming: socket.socket, patience: Wait) -> None:
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
