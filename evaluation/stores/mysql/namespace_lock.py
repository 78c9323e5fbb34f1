"""The lock by which one advisor at a time works in a namespace of MariaDB or MySQL."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from threading import Event, Thread

import pymysql

from evaluation.store_protocol.connection import ENDING_S, Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.patience import interrupted_by
from evaluation.stores.mysql.sessions import Execute, session

_QUIET_S = 300
"""So long may a session that holds the lock say nothing, until the server ends both."""
_SPEAKS_S = 60.0
"""Seconds between two statements of a session that holds the lock."""


@contextmanager
def held(connection: Connection) -> Iterator[None]:
    """Hold a lock by name, which ends with its session.

    The server ends the session, too, when it has not heard it for `_QUIET_S`: where the way between
    the two falls silent, the lock would stay for as long as the server runs.

    Raises:
        StoreError: The lock is held by another advisor, or the server does not give it.
    """
    name = f"placement advisor {sha256(connection.namespace.encode()).hexdigest()[:32]}"
    with session(connection, "holding the namespace failed") as execute:
        execute(f"SET SESSION wait_timeout = {_QUIET_S}")
        # A server notices a moment later that a session has ended which had it.
        if execute("SELECT GET_LOCK(%s, %s)", (name, ENDING_S)) != ((1,),):
            raise Failures(connection=connection).in_use()
        with _speaking(execute):
            yield


@contextmanager
def _speaking(execute: Execute) -> Iterator[None]:
    """Let the server hear of a session now and then, in a thread, for the length of the block."""
    ended = Event()
    context = interrupted_by(ended)
    speaker = Thread(target=context.run, args=(_speak, execute, ended), daemon=True)
    speaker.start()
    try:
        yield
    finally:
        ended.set()
        speaker.join()


def _speak(execute: Execute, ended: Event) -> None:
    # Who cannot be heard any more fails where it loads and asks, and says so there.
    with suppress(pymysql.MySQLError, OSError):
        while not ended.wait(_SPEAKS_S):
            execute("SELECT 1")
