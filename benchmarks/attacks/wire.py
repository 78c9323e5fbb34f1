"""A way to a local server on which a fault can be put at any moment."""

import random
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from threading import Lock, Thread

_CHUNK = 65_536
_PAUSE_S = 2.0
_RESET = struct.pack("ii", 1, 0)
"""With this SO_LINGER a close is a reset."""


class Fault(StrEnum):
    """Something that happens to every connection, those to come as well."""

    SILENT = "silent"
    """Connections stay open and nothing passes."""
    DEAF = "deaf"
    """The client's bytes are lost; the server's pass."""
    MUTE = "mute"
    """The server's bytes are lost; the client's pass."""
    RESET = "reset"
    """Connections are reset, new ones at once."""
    CLOSED = "closed"
    """Connections are closed in order; new ones are refused."""
    GARBLED = "garbled"
    """One bit of each piece of the server's bytes is another."""
    PAUSE = "pause"
    """Nothing passes for 2 s, then all does: no command may fail by it."""


class Wire:
    """The proxy: `port` is its own, `fault` is on the way now; None is a good way."""

    def __init__(self, server_port: int, seed: int) -> None:
        self._server_port = server_port
        self._draw = random.Random(seed)
        self._opened: list[socket.socket] = []
        self._lock = Lock()
        self._fault: Fault | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def put(self, fault: Fault | None) -> None:
        """Put a fault on the way, or take it away: connections from under one are ended by it."""
        before, self._fault = self._fault, fault
        if fault is Fault.CLOSED:
            self._stop_listening()
        if fault in {Fault.RESET, Fault.CLOSED} or (fault is None and before is not None):
            self._end(reset=fault is Fault.RESET)
        if fault is None and before is Fault.CLOSED:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        if fault is Fault.PAUSE:
            time.sleep(_PAUSE_S)
            self._fault = None

    def close(self) -> None:
        """Stop listening and end every connection."""
        self._stop_listening()
        self._end(reset=False)

    def _stop_listening(self) -> None:
        # A thread that accepts keeps a closed one open.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _end(self, *, reset: bool) -> None:
        with self._lock:
            opened, self._opened = self._opened, []
        for each in opened:
            with suppress(OSError):
                if reset:
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                # The thread that waits for what it says keeps a closed one open, and is woken: by
                # an end of reading alone the other side is told nothing before it is reset.
                each.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
            each.close()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                if self._fault is Fault.RESET:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._server_port))
                with self._lock:
                    self._opened += [client, server]
                ended = [False]
                for source, target in ((client, server), (server, client)):
                    Thread(
                        target=self._forward, args=(source, target, client, ended), daemon=True
                    ).start()

    def _forward(
        self, source: socket.socket, target: socket.socket, client: socket.socket, ended: list[bool]
    ) -> None:
        """Pass on what `source` says until it ends; the second to end of a connection closes it."""
        try:
            while data := source.recv(_CHUNK):
                while self._fault is Fault.PAUSE:
                    time.sleep(0.05)
                if passed := self._passed(data, to_client=target is client):
                    target.sendall(passed)
            if self._fault is not Fault.RESET:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            for each in (source, target):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        with self._lock:
            if ended[0]:
                self._opened = [each for each in self._opened if each not in (source, target)]
                source.close()
                target.close()
            ended[0] = True

    def _passed(self, data: bytes, *, to_client: bool) -> bytes:
        lost = {Fault.SILENT, Fault.MUTE if to_client else Fault.DEAF}
        if self._fault in lost:
            return b""
        if self._fault is Fault.GARBLED and to_client:
            damaged = bytearray(data)
            damaged[self._draw.randrange(len(data))] ^= 1 << self._draw.randrange(8)
            return bytes(damaged)
        return data


@contextmanager
def wire(server_port: int, seed: int) -> Iterator[Wire]:
    """Open a way to a local port for the length of the block."""
    opened = Wire(server_port, seed)
    try:
        yield opened
    finally:
        opened.close()
