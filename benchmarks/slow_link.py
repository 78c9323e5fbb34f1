"""A slow link to a server of this machine: a relay whose bytes arrive late, and at a rate.

Each direction has the rate for itself, which its connections share. What is on its way is bounded,
as by a router's buffer, so that the server stops sending when the client does not take more. The
client receives from this machine: the size of its receive buffer bounds what the relay hands over,
and not what is on the slow part of the way.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Queue
from threading import Lock

from tests.stores.relay import Carry, relay

SLOW = {"bits_per_s": 50e6, "round_trip_s": 0.001}
"""The link of benchmarks that are about transfers."""
CHUNK_BYTES = 8_192
MOST_CHUNKS = 32
"""Chunks of a connection that are on their way in one direction at most."""


@dataclass(slots=True)
class _Line:
    """One direction of the link; `free_at` is when it has sent all that it was given."""

    bytes_per_s: float
    delay_s: float
    free_at: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def arrival(self, size: int) -> float:
        """Return when so many bytes arrive that are given now (`time.perf_counter`)."""
        with self.lock:
            begun = max(self.free_at, time.perf_counter())
            self.free_at = begun + size / self.bytes_per_s
            return self.free_at + self.delay_s


def slow_link(port: int, *, bits_per_s: float, round_trip_s: float) -> AbstractContextManager[int]:
    """Give the port of a relay to a local port, for the length of the block."""
    lines = [_Line(bits_per_s / 8, round_trip_s / 2) for _ in range(2)]

    def opened(client: socket.socket, server: socket.socket) -> Iterator[Carry]:
        for each in (client, server):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, target, line in ((client, server, lines[0]), (server, client, lines[1])):
            way: Queue[tuple[float, bytes]] = Queue(MOST_CHUNKS)
            yield partial(_take, source, line, way)
            yield partial(_hand_over, target, way)

    return relay(port, opened)


def _take(source: socket.socket, line: _Line, way: "Queue[tuple[float, bytes]]") -> None:
    """Take what comes from one end until it says no more, which is passed on as nothing."""
    with suppress(OSError):
        while data := source.recv(CHUNK_BYTES):
            way.put((line.arrival(len(data)), data))
    way.put((line.arrival(0), b""))


def _hand_over(target: socket.socket, way: "Queue[tuple[float, bytes]]") -> None:
    """Give each chunk to the other end when it arrives; take them all, even if it is gone."""
    while True:
        arrives, data = way.get()
        time.sleep(max(0.0, arrives - time.perf_counter()))
        with suppress(OSError):
            if not data:
                target.shutdown(socket.SHUT_WR)
                return
            target.sendall(data)
