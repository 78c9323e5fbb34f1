"""A way to a server that counts round trips: how often the client asks after it was answered."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import sleep

from tests.stores.relay import Carry, relay

HELD_S = 0.02
"""An answer is held for so long. What a driver sends before it is answered comes in this time, and
does not count as a round trip of its own."""


@dataclass(slots=True)
class Trips:
    """The proxy's port, and the round trips through it so far."""

    port: int = 0
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
    trips = Trips()

    def opened(client: socket.socket, server: socket.socket) -> Iterator[Carry]:
        way = _Way(trips)
        yield partial(_forward, client, server, way, from_client=True)
        yield partial(_forward, server, client, way, from_client=False)

    with relay(port, opened) as trips.port:
        yield trips


def _forward(source: socket.socket, target: socket.socket, way: _Way, *, from_client: bool) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            if way.asking and not from_client:
                sleep(HELD_S)
            way.passes(from_client=from_client)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
