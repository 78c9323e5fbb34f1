"""A way to a server that falls silent: connections stay open, and nothing comes through."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


@contextmanager
def silent_proxy(port: int, *, asked: int | None = None, told: int | None = None) -> Iterator[int]:
    """Forward to a local port; return the proxy's port.

    Of each connection `asked` bytes reach the server and `told` the client, None is all. What
    comes then is taken and lost.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        opened: list[socket.socket] = []
        Thread(target=_accept, args=(listener, port, asked, told, opened), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            for each in opened:
                # A thread that receives keeps a closed one open.
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()


def _accept(
    listener: socket.socket,
    port: int,
    asked: int | None,
    told: int | None,
    opened: list[socket.socket],
) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            opened += [client, server]
            for source, target, most in ((client, server, asked), (server, client, told)):
                Thread(target=_forward, args=(source, target, most), daemon=True).start()


def _forward(source: socket.socket, target: socket.socket, most: int | None) -> None:
    left = most
    with suppress(OSError):
        while data := source.recv(65536):
            passed = data if left is None else data[:left]
            if passed:
                target.sendall(passed)
            if left is not None:
                left -= len(passed)
        target.shutdown(socket.SHUT_WR)
