"""Connections that are opened with an eye on interrupts."""

import errno
import os
import socket
from select import POLLIN, POLLOUT, poll

from evaluation.store_protocol.patience import TICK_S, Login

_UNDER_WAY = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK})


def connected(address: tuple[str, int], timeout_s: float) -> socket.socket:
    """Return a connection to `address`, whose addresses are tried one after the other.

    Raises:
        OSError: None of them took it within `timeout_s`, or the wait was interrupted.
    """
    login = Login(timeout_s)
    reason = OSError(f"{address[0]} has no address")
    for family, kind, protocol, _, where in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
        login.moved()
        found = socket.socket(family, kind, protocol)
        try:
            _connect(found, where, login)
        except OSError as error:
            found.close()
            reason = error
            login.look()
        except BaseException:
            found.close()
            raise
        else:
            return found
    raise reason


def has_news(number: int) -> bool:
    """Whether the socket of this file number has something to read, or its other end is closed.

    A server says nothing to an idle session but that it ends it.
    """
    ready = poll()
    ready.register(number, POLLIN)
    return bool(ready.poll(0))


def _connect(found: socket.socket, where: object, login: Login) -> None:
    found.setblocking(False)
    number = found.connect_ex(where)  # type: ignore[arg-type]
    if number in _UNDER_WAY:
        ready = poll()
        ready.register(found, POLLOUT)
        while not ready.poll(1000 * TICK_S):
            login.check()
        number = found.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if number:
        raise OSError(number, os.strerror(number))
    found.setblocking(True)
