"""A way to a server that falls silent: connections stay open, and nothing comes through."""

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from threading import Event

from tests.stores.relay import Carry, relay


def silent_proxy(
    port: int, *, asked: int | None = None, told: int | None = None, silent: Event | None = None
) -> AbstractContextManager[int]:
    """Forward to a local port; return the proxy's port.

    Of each connection `asked` bytes reach the server and `told` the client, None is all. What
    comes then is taken and lost, and so is all that comes once `silent` is set.
    """

    def opened(client: socket.socket, server: socket.socket) -> Iterator[Carry]:
        yield partial(_forward, client, server, asked, silent)
        yield partial(_forward, server, client, told, silent)

    return relay(port, opened)


def _forward(
    source: socket.socket, target: socket.socket, most: int | None, silent: Event | None
) -> None:
    left = most
    with suppress(OSError):
        while data := source.recv(65536):
            if silent is not None and silent.is_set():
                left = 0
            passed = data if left is None else data[:left]
            if passed:
                target.sendall(passed)
            if left is not None:
                left -= len(passed)
        target.shutdown(socket.SHUT_WR)
