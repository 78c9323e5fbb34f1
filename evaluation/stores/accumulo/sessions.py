"""Sessions with an Accumulo: each is a lane of a client's process, which several share."""

import atexit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from evaluation.store_protocol.connecting import connected
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.patience import Patience
from evaluation.store_protocol.tls import VERIFYING
from evaluation.store_protocol.tls_files import check_files, key_store
from evaluation.stores.accumulo.client_process import (
    ClientProcess,
    FailedError,
    Lane,
    RefusedError,
)
from workloads.errors import StoreError

PORT = 2181
_LOGIN_S = 60.0
_PROBE_S = 3.0
_ASKED_S = 30.0
"""A process of Java starts, logs in and ends within it, on machines that do much else as well."""
_IDLE = 2


@dataclass(slots=True)
class _Known:
    """A process that runs, and how many use it."""

    process: ClientProcess
    users: int = 0


_known: dict[tuple[object, ...], _Known] = {}
_knowing = Lock()


@contextmanager
def session(connection: Connection, work: str, *, login_s: float = _LOGIN_S) -> Iterator[Lane]:
    """Give a session for the length of the block; StoreError for what fails in it.

    `work` says in errors what was going on. A session is a lane of a process, which stays for the
    next block; so do those of other logins, a few of them.
    """
    failures = Failures(connection=connection)
    address = zookeepers(connection), connection.database, connection.user
    key = (*address, connection.password, connection.silence_s, connection.tls)
    with _knowing:
        known = _known.pop(key, None)
        if known is None or not known.process.alive:
            known = _Known(process=_opened(failures, login_s))
        known.users += 1
        _known[key] = known
    try:
        with failures.told(work, FailedError), known.process.lane() as lane:
            yield lane
    finally:
        with _knowing:
            known.users -= 1
            _forget_idle()


def _forget_idle() -> None:
    """End the sessions that are longest unused, but for some."""
    idle = [key for key, known in _known.items() if known.users == 0]
    for key in idle[:-_IDLE]:
        _known.pop(key).process.close()


@atexit.register
def _forget_all() -> None:
    for known in _known.values():
        known.process.close()


def _opened(failures: Failures, login_s: float) -> ClientProcess:
    connection = failures.connection
    opened = ClientProcess()
    try:
        with failures.logging_in(RefusedError, FailedError), opened.lane() as lane:
            lane.execute("login", timeout_s=login_s, **login(connection))
    except BaseException:
        opened.close()
        raise
    opened.patience = Patience(connection.silence_s, lambda: _works(connection))
    return opened


def _works(connection: Connection) -> bool:
    """Tell whether the instance answers another login, which asks a server of its tables."""
    try:
        probe(connection)
        # A machine that loads three stores at once may start Java slower than that: a load of
        # ten gigabytes was given up.
        _opened(Failures(connection=connection), max(_ASKED_S, connection.silence_s)).close()
    except StoreError:
        return False
    return True


def login(connection: Connection) -> Mapping[str, str]:
    """Return what a client has to know, the password with it.

    Raises StoreError for a file of TLS that cannot be read.
    """
    check_files(connection)
    tls, keys = connection.tls, key_store(connection)
    return {
        "zookeepers": zookeepers(connection),
        "instance": connection.database or "",
        "user": connection.user or "",
        "password": connection.password or "",
        "tls": tls.mode,
        "ca": str(tls.ca) if tls.ca is not None and tls.mode in VERIFYING else "",
        "keyStore": "" if keys is None else str(keys.path),
        "keyStorePassword": "" if keys is None else keys.password,
    }


def encryption(connection: Connection) -> str | None:
    """Return the protocol that encrypts what is sent to its servers; None for clear text.

    Raises StoreError where the login fails.
    """
    probe(connection)
    with session(connection, "asking how it is encrypted failed") as opened:
        found = opened.execute("login", timeout_s=_ASKED_S, **login(connection))
    return None if found is None else str(found)


def zookeepers(connection: Connection) -> str:
    """Return the ZooKeepers, each with its port, and commas between them."""
    hosts = (connection.host or "").split(",")
    return ",".join(f"{host.strip()}:{connection.port or PORT}" for host in hosts)


def probe(connection: Connection) -> None:
    """Raise StoreError unless one of the ZooKeepers takes connections."""
    failures = Failures(connection=connection)
    reason = OSError("no ZooKeeper is named")
    for host in (connection.host or "").split(","):
        try:
            connected((host.strip(), connection.port or PORT), _PROBE_S).close()
        except OSError as error:
            reason = error
        else:
            return
    raise StoreError(
        connection.store,
        f"none of its ZooKeepers ({zookeepers(connection)}) takes a connection "
        f"({failures.reason(reason)}): check that one runs, and host and port in "
        f"[stores.{connection.store}].",
    )


def answers(connection: Connection, *, login_s: float = _ASKED_S) -> bool:
    """Tell whether a login succeeds; Java is given half a minute for it."""
    try:
        check(connection, login_s=login_s)
    except StoreError:
        return False
    return True


def check(connection: Connection, *, login_s: float = _ASKED_S) -> None:
    """Raise StoreError unless a login succeeds; Java is given half a minute for it."""
    probe(connection)
    with session(connection, "logging in failed", login_s=login_s) as opened:
        opened.execute("login", timeout_s=login_s, **login(connection))
