"""A relay to a local port: what stands between a client and a server is for its user to say."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

Carry = Callable[[], None]
Opened = Callable[[socket.socket, socket.socket], Iterable[Carry]]
"""Given the ends at the client and at the server, what carries between them, a thread each."""


@contextmanager
def relay(port: int, opened: Opened) -> Iterator[int]:
    """Give the port of a relay to `port`; at the end all its connections are closed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ends: list[socket.socket] = []
        Thread(target=_accept, args=(listener, port, opened, ends), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            for each in ends:
                # A thread that receives keeps a closed one open.
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()


def _accept(listener: socket.socket, port: int, opened: Opened, ends: list[socket.socket]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            ends += [client, server]
            for carry in opened(client, server):
                Thread(target=carry, daemon=True).start()
