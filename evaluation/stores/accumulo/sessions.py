"""Sessions with an Accumulo, whose client is Java's alone: each is a process of ours.

The process ends when its standard input does, with us, and all that it holds with it.
"""

import atexit
import io
import json
import os
import queue
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from select import POLLOUT, poll
from threading import Lock, RLock, Thread
from time import monotonic
from typing import IO, Any

from evaluation.connection import Connection
from evaluation.servers import accumulo_jars
from evaluation.servers.java import java_home
from evaluation.servers.process import bare_environment
from evaluation.stores.failures import Failures
from evaluation.stores.patience import TICK_S, Patience, SilentError, never
from workloads.errors import StoreError
from workloads.progress import Silent

PORT = 2181
_MAIN = "placementadvisor.accumulo.control.Control"
_PATIENCE_S = 600.0
_LOGIN_S = 60.0
_PROBE_S = 3.0
_ASKED_S = 15.0
"""A process of Java starts, logs in and ends within it, on a machine that is busy loading too."""
_IDLE = 2
_HEADER = struct.Struct(">Ic")


class RefusedError(Exception):
    """The instance does not answer, or refuses the user."""


class FailedError(Exception):
    """A command that was not carried out; it says why."""


class Session:
    """One process with one login. Its waits are bounded by `patience`."""

    def __init__(self) -> None:
        self.patience = Patience(_LOGIN_S, never)
        progress = Silent()
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [
                str(java_home(progress) / "bin" / "java"),
                *("-Xmx320m", "-XX:+UseParallelGC", "-XX:-UsePerfData", "-Duser.timezone=UTC"),
                *("-cp", accumulo_jars.class_path(progress), _MAIN),
            ],
            env=dict(bare_environment(Path(tempfile.gettempdir()))),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            bufsize=0,
            start_new_session=True,
        )
        if self._process.stdin is not None:
            # A process that waits for its server takes no more rows, and we would wait for it.
            os.set_blocking(self._process.stdin.fileno(), False)
        self._writing = RLock()
        self._answers: queue.Queue[bytes] = queue.Queue()
        Thread(target=self._listen, daemon=True).start()

    def execute(self, do: str, *, timeout_s: float = _PATIENCE_S, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """Have a command carried out and return what it answers.

        Raises:
            RefusedError: The login is refused.
            FailedError: It fails, is not done in time, the server is silent, or the process has
                ended.
        """
        with self._writing:
            self._write(b"C", json.dumps({"do": do, **arguments}).encode())
            line = self._answer(timeout_s)
        if not line:
            raise FailedError(self._last_words())
        answer = json.loads(line)
        if "refused" in answer:
            raise RefusedError(answer["refused"])
        if "failed" in answer:
            raise FailedError(answer["failed"])
        return answer.get("answer")

    def _answer(self, timeout_s: float) -> bytes:
        self.patience.moved()
        ends = monotonic() + timeout_s
        while True:
            try:
                return self._answers.get(timeout=min(TICK_S, timeout_s))
            except queue.Empty:
                if monotonic() >= ends:
                    self.close()
                    raise FailedError(f"no answer after {timeout_s:g} s") from None
                self._check()

    def _check(self) -> None:
        """End the process where its server is silent and does not work for us."""
        try:
            self.patience.check()
        except SilentError as error:
            self.close()
            raise FailedError(str(error)) from None

    def send(self, rows: memoryview) -> None:
        """Send rows as text for the load that was begun last.

        Raises:
            FailedError: The server is silent, or the process has ended.
        """
        with self._writing:
            self._write(b"D", rows)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; what it holds is free then."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._said.close()

    def _write(self, what: bytes, message: bytes | memoryview) -> None:
        pipe = self._process.stdin
        try:
            if pipe is None or pipe.closed:
                raise FailedError(self._last_words())
            self.patience.moved()
            for part in (_HEADER.pack(len(message), what), message):
                self._sent(pipe.fileno(), memoryview(part).cast("B"))
        except (BrokenPipeError, ValueError):
            raise FailedError(self._last_words()) from None

    def _sent(self, pipe: int, left: memoryview) -> None:
        while left:
            try:
                left = left[os.write(pipe, left) :]
                self.patience.moved()
            except BlockingIOError:
                waiting = poll()
                waiting.register(pipe, POLLOUT)
                if not waiting.poll(1000 * TICK_S):
                    self._check()

    def _listen(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            return
        try:
            for line in io.BufferedReader(io.FileIO(pipe.fileno(), closefd=False)):
                self._answers.put(line)
        except ValueError:
            # Closed while it was read.
            pass
        self._answers.put(b"")

    def _last_words(self) -> str:
        if self._said.closed:
            return "its client was ended"
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return f"its client has ended: {lines[-1] if lines else 'it said nothing'}"


@dataclass(slots=True)
class _Known:
    """A session that is open, and how many use it."""

    session: Session
    users: int = 0


_known: dict[tuple[object, ...], _Known] = {}
_knowing = Lock()


@contextmanager
def session(connection: Connection, work: str, *, login_s: float = _LOGIN_S) -> Iterator[Session]:
    """Give a session for the length of the block; StoreError for what fails in it.

    `work` says in errors what was going on. Sessions stay open for the next block, a few of them.
    """
    failures = Failures(connection=connection)
    address = zookeepers(connection), connection.database, connection.user
    key = (*address, connection.password, connection.silence_s)
    with _knowing:
        known = _known.pop(key, None)
        if known is None or not known.session.alive:
            known = _Known(session=_opened(failures, login_s))
        known.users += 1
        _known[key] = known
    try:
        with failures.told(work, FailedError):
            yield known.session
    finally:
        with _knowing:
            known.users -= 1
            _forget_idle()


def _forget_idle() -> None:
    """End the sessions that are longest unused, but for some."""
    idle = [key for key, known in _known.items() if known.users == 0]
    for key in idle[:-_IDLE]:
        _known.pop(key).session.close()


@atexit.register
def _forget_all() -> None:
    for known in _known.values():
        known.session.close()


def _opened(failures: Failures, login_s: float) -> Session:
    connection = failures.connection
    opened = Session()
    try:
        with failures.logging_in(RefusedError, FailedError):
            opened.execute("login", timeout_s=login_s, **login(connection))
    except BaseException:
        opened.close()
        raise
    opened.patience = Patience(connection.silence_s, lambda: _works(connection))
    return opened


def _works(connection: Connection) -> bool:
    """Tell whether the instance answers another login, which asks a server of its tables."""
    try:
        probe(connection)
        _opened(Failures(connection=connection), _ASKED_S).close()
    except StoreError:
        return False
    return True


def login(connection: Connection) -> Mapping[str, str]:
    """Return what a client has to know, the password with it."""
    return {
        "zookeepers": zookeepers(connection),
        "instance": connection.database or "",
        "user": connection.user or "",
        "password": connection.password or "",
    }


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
            socket.create_connection(
                (host.strip(), connection.port or PORT), timeout=_PROBE_S
            ).close()
        except OSError as error:
            reason = error
        else:
            return
    raise failures.error(reason, "it does not answer")


def answers(connection: Connection, *, login_s: float = 2 * _PROBE_S) -> bool:
    """Tell whether a login succeeds; it is given a few seconds."""
    try:
        probe(connection)
        with session(connection, "logging in failed", login_s=login_s) as opened:
            opened.execute("login", timeout_s=login_s, **login(connection))
    except StoreError:
        return False
    return True
