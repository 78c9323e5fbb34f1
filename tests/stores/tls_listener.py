"""Servers that answer connections with or without TLS, and do no more."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.stores.certificates import Files

HOST = "localhost"


@contextmanager
def listening(files: Files | None, ca: Path | None = None) -> Iterator[int]:
    """Answer connections on a port, over TLS if there are files; with `ca` clients are asked."""
    with closing(socket.create_server((HOST, 0))) as server:
        ends = threading.Thread(target=_answer, args=(server, files, ca), daemon=True)
        ends.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        ends.join()


def _answer(server: socket.socket, files: Files | None, ca: Path | None) -> None:
    context = None
    if files is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.certificate, files.key)
        if ca is not None:
            context.load_verify_locations(ca)
            context.verify_mode = ssl.CERT_REQUIRED
    while True:
        try:
            accepted, _ = server.accept()
        except OSError:
            return
        with accepted:
            try:
                if context is None:
                    accepted.recv(100)
                    accepted.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
                else:
                    with context.wrap_socket(accepted, server_side=True) as encrypted:
                        encrypted.recv(100)
                        encrypted.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
            except OSError:
                continue
