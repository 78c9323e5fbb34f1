"""The start of a server of our own: its process, the wait for its first login, its end."""

import signal
import socket
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from evaluation.processes import process
from evaluation.processes.folder import Running, ServerFolder
from evaluation.servers.server import LOOPBACK, Server
from evaluation.store_protocol.connection import Connection
from workloads.progress import Progress

_READY_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 30.0
_INTERRUPTED_STOP_S = 2.5
"""A server recovers at its next start whatever it has not written by then."""
_PORT_ATTEMPTS = 5
_POLL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A server process that has been started and may not answer yet.

    `child` is None for a server that is kept: that one is not our child.
    """

    server: Server
    folder: ServerFolder
    record: Running
    child: "subprocess.Popen[bytes] | None"

    def connection(self) -> Connection:
        """Return how to log in once it answers."""
        return self.server.connection(self.folder, self.record.port)

    def stop(self) -> None:
        """End it in order and reap it."""
        self.record.stop()
        if self.child is not None:
            self.child.wait()


def launch(
    server: Server, one: ServerFolder, progress: Progress, *, kept: bool, stops: ExitStack
) -> Launched | None:
    """Start the server's process and see to its end; None if the kind needs no process."""
    with one.server_lock(timeout_s=_STOP_TIMEOUT_S) as lock:
        server.prepare(one, lock, progress)
        port = _free_port()
        program = server.program(one, port, progress)
        if program is None:
            return None
        # The record of a server that has ended must not be taken for the new one's.
        one.state_file.unlink(missing_ok=True)
        with one.new_log() as log:
            child = process.start(
                program,
                folder=one.path,
                output=log,
                inherited=(lock,),
                state_file=one.state_file,
                state={"port": port, "kept": kept, "stop_signal": int(program.stop_signal)},
                kept=kept,
            )
    if not kept:
        stops.push(partial(_stop, child, program.stop_signal))
    launched = Launched(
        server=server, folder=one, record=_recorded(one, child), child=None if kept else child
    )
    if kept:
        child.wait()
        stops.callback(launched.stop)
    return launched


def _recorded(one: ServerFolder, child: "subprocess.Popen[bytes]") -> Running:
    """Return the record that the process writes about itself before it becomes the server."""
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    while time.monotonic() < deadline:
        # In this order: the process may write its record and end between two looks.
        ended = child.poll() not in {None, 0}
        if (found := one.record()) is not None:
            return found
        if ended:
            break
        time.sleep(_POLL_S)
    raise one.failure("its server could not be started")


def ready(each: Launched, progress: Progress, *, kept: bool, stops: ExitStack) -> Connection:
    """Wait until a login succeeds; start again on another port if somebody took the first."""
    with progress.task(f"Starting {each.folder.kind} for {each.folder.store}"):
        for _ in range(_PORT_ATTEMPTS):
            if _answers_in_time(each):
                return each.connection()
            if not each.folder.said(each.server.port_taken):
                raise each.folder.failure("its server stopped while it was starting")
            each.stop()
            again = launch(each.server, each.folder, progress, kept=kept, stops=stops)
            if again is None:
                break
            each = again
    raise each.folder.failure(f"every port of {_PORT_ATTEMPTS} was taken meanwhile")


def _answers_in_time(each: Launched) -> bool:
    """Tell whether the server came to answer; False if its process ended first."""
    connection = each.connection()
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while time.monotonic() < deadline:
        if each.server.answers(connection):
            # Ours cannot have ended and another have answered: it would not know the password.
            return True
        if not each.record.handle.alive():
            return False
        time.sleep(_POLL_S)
    raise each.folder.failure(f"its server does not answer after {_READY_TIMEOUT_S:.0f} seconds")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _stop(
    child: "subprocess.Popen[bytes]",
    stop_signal: signal.Signals,
    kind: type[BaseException] | None,
    *_: object,
) -> None:
    """End a server in order; whoever was interrupted does not wait long for it."""
    is_interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
    timeout_s = _INTERRUPTED_STOP_S if is_interrupted else _STOP_TIMEOUT_S
    process.stop(child, stop_signal, timeout_s=timeout_s)
