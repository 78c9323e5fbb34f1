"""Sessions of MariaDB and MySQL that the server ends while rows are sent to it."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import Any

import pytest
from pymysql.err import OperationalError

from evaluation.store_protocol.patience import TICK_S, Patience, never
from evaluation.stores.mysql.patient_mysql import Session

SILENCE_S = 30.0
SOON_S = 20.0
CHUNK = bytes(1 << 18)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: the server's and ours."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as ours,
        listener.accept()[0] as servers,
    ):
        yield servers, ours


def sending_over(ours: socket.socket) -> Session:
    """A session that is logged in over a connection."""
    session = Session(defer_connect=True)
    ours.settimeout(TICK_S)
    driver: Any = session
    driver._sock = ours
    session.wait_with(Patience(SILENCE_S, never))
    return session


def send_all(session: Session) -> None:
    while True:
        session._write_bytes(CHUNK)


def fill(ours: socket.socket) -> None:
    """Send until there is room for no more, at this end and at the other."""
    ours.settimeout(0.1)
    with suppress(TimeoutError):
        while ours.send(CHUNK):
            pass


def end_as_mariadb(servers: socket.socket) -> None:
    """Shut the connection, read what has come, and close it.

    Nothing is unread then, so that the system does not reset the connection. It tells the other end
    of no room either, as nobody will read.
    """
    servers.shutdown(socket.SHUT_RDWR)
    while servers.recv(1 << 20):
        pass
    servers.close()


def test_a_session_that_the_server_has_ended_sends_no_more(ends):
    servers, ours = ends
    fill(ours)
    session = sending_over(ours)
    end_as_mariadb(servers)
    begun = monotonic()
    with pytest.raises(OperationalError, match="has ended the session"):
        send_all(session)
    assert monotonic() - begun < SOON_S


def test_a_session_that_the_server_ends_while_rows_are_sent_sends_no_more(ends):
    servers, ours = ends
    session = sending_over(ours)
    fails: list[OperationalError] = []

    def send() -> None:
        try:
            send_all(session)
        except OperationalError as error:
            fails.append(error)

    sending = Thread(target=send, daemon=True)
    sending.start()
    sending.join(2 * TICK_S)
    assert sending.is_alive()
    end_as_mariadb(servers)
    sending.join(SOON_S)
    assert not sending.is_alive()
    assert len(fails) == 1


def test_a_server_that_only_takes_its_time_gets_all_rows(ends):
    servers, ours = ends
    session = sending_over(ours)
    sent = 40 * CHUNK
    sending = Thread(target=session._write_bytes, args=(sent,), daemon=True)
    sending.start()
    # Longer than a tick, after which the session looks whether its server is there.
    sending.join(2 * TICK_S)
    assert sending.is_alive()
    left = len(sent)
    while left:
        left -= len(servers.recv(left))
    sending.join(SOON_S)
    assert not sending.is_alive()
