"""A way to a server that counts round trips: how often the client asks after it was answered."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import sleep

HELD_S = 0.02
"""An answer is held for so long. What a driver sends before it is answered comes in this time, and
does not count as a round trip of its own."""


@dataclass(slots=True)
class Trips:
    """The proxy's port, and the round trips through it so far."""

    port: int
    count: int = 0
    lock: Lock = field(default_factory=Lock)


@dataclass(slots=True)
class _Way:
    """One connection; whether the last that came through it was the client's."""

    trips: Trips
    asking: bool = False

    def passes(self, *, from_client: bool) -> None:
        with self.trips.lock:
            if from_client and not self.asking:
                self.trips.count += 1
            self.asking = from_client


@contextmanager
def counting_proxy(port: int) -> Iterator[Trips]:
    """Forward to a local port; the count is of all connections together."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        trips = Trips(port=listener.getsockname()[1])
        opened: list[socket.socket] = []
        Thread(target=_accept, args=(listener, port, trips, opened), daemon=True).start()
        try:
            yield trips
        finally:
            for each in opened:
                # A thread that receives keeps a closed one open.
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()


def _accept(listener: socket.socket, port: int, trips: Trips, opened: list[socket.socket]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            opened += [client, server]
            way = _Way(trips)
            for source, target in ((client, server), (server, client)):
                asked = source is client
                Thread(target=_forward, args=(source, target, way, asked), daemon=True).start()


def _forward(source: socket.socket, target: socket.socket, way: _Way, from_client: bool) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            if way.asking and not from_client:
                sleep(HELD_S)
            way.passes(from_client=from_client)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
