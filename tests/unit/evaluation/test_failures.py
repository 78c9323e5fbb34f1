"""A damaged answer makes a driver fail in any way, and is the store's failure."""

import socket
import struct
from collections.abc import Iterator
from threading import Thread

import pymysql
import pytest

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.mysql.sessions import session
from workloads.errors import StoreError

DAMAGED_GREETING = b"\x0a11,4.8-MariaDB\x00" + b"\x00" * 60


@pytest.fixture
def damaged() -> Iterator[Connection]:
    """A server of kind mysql whose greeting has one wrong bit."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            client, _ = listener.accept()
            with client:
                client.sendall(struct.pack("<I", len(DAMAGED_GREETING)) + DAMAGED_GREETING)
                client.recv(1000)

        thread = Thread(target=greet, daemon=True)
        thread.start()
        yield Connection(
            store="maria",
            kind="mysql",
            host="127.0.0.1",
            port=listener.getsockname()[1],
            user="advisor",
            password="secret",
        )
        thread.join()


def test_a_damaged_greeting_is_a_failed_login(damaged: Connection) -> None:
    with (
        pytest.raises(StoreError, match=r"cannot log in to .* as user 'advisor'"),
        session(damaged, "asking failed"),
    ):
        pass


def test_an_error_of_ours_is_not_the_stores() -> None:
    failures = Failures(connection=Connection(store="maria", kind="mysql"))
    with pytest.raises(ZeroDivisionError), failures.told("asking failed", pymysql.MySQLError):
        1 / 0  # noqa: B018


@pytest.mark.parametrize(
    ("said", "speaks"),
    [
        ('connection to server at "127.0.0.1", port 1 failed: Connection refused', False),
        ("Can't connect to MySQL server on 'h' ([Errno 111] Connection refused)", False),
        ("Can't connect to MySQL server on 'h' ([Errno -2] Name or service not known)", False),
        ('could not translate host name "h" to address: Name or service not known', False),
        ('FATAL:  password authentication failed for user "u"', True),
        ("Access denied for user 'u'@'h' (using password: YES)", True),
    ],
)
def test_a_password_is_only_spoken_of_where_a_server_has_answered(said: str, speaks: bool) -> None:
    connection = Connection(store="s", kind="mysql", host="h", port=1, user="u", password_env="P")
    failures = Failures(connection=connection)
    with pytest.raises(StoreError) as raised, failures.logging_in(pymysql.MySQLError):
        raise pymysql.MySQLError(said)
    assert ("the password in P" in str(raised.value)) is speaks
    assert "check that the server runs" in str(raised.value)
