"""Servers that say nothing, and Ctrl-C while somebody waits for one."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread, Timer
from time import sleep

AFTER_S = 0.3
"""So long after its beginning a block is interrupted."""


@contextmanager
def silent_server(first: bytes = b"") -> Iterator[int]:
    """Give the port of a server that takes connections and says no more than `first`."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken: list[socket.socket] = []

        def take() -> None:
            with suppress(OSError):
                while True:
                    taken.append(listener.accept()[0])
                    taken[-1].sendall(first)

        Thread(target=take, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for each in taken:
                each.close()


@contextmanager
def full_server() -> Iterator[int]:
    """Give a port that no connection gets through to: its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        try:
            for each in waiting:
                each.setblocking(False)
                each.connect_ex(("127.0.0.1", port))
            sleep(0.1)
            yield port
        finally:
            for each in waiting:
                each.close()


@contextmanager
def interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block as Ctrl-C does; a shell's background ignores that."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = Timer(AFTER_S, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
