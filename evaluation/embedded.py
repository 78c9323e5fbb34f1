"""Servers of our own: for the length of a run, or kept up for work by hand."""

import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluation.kinds import KINDS
from evaluation.processes import process
from evaluation.processes.folder import Running, ServerFolder
from evaluation.servers.server import LOOPBACK, Server, Sized
from evaluation.store_protocol.connection import Connection
from workloads.cache import disk_errors
from workloads.errors import StoreError
from workloads.progress import Progress

SERVERS: Mapping[str, Server] = {
    name: server for name, kind in KINDS.items() if (server := kind.product(None).embedded)
}
"""Kind of store → the server that it is unless another is asked for."""
OTHERS: Mapping[str, Server] = {
    name: product.embedded
    for kind in KINDS.values()
    for name, product in kind.others.items()
    if product.embedded
}
"""Name of another server → that server, of a kind that has one in `SERVERS`."""

_ALL = {**SERVERS, **OTHERS}
_READY_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 30.0
_INTERRUPTED_STOP_S = 2.5
"""A server recovers at its next start whatever it has not written by then."""
_PORT_ATTEMPTS = 5
_POLL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedRequest:
    """A store of the project that we are to run ourselves.

    `server` names one of `OTHERS`; None: its kind's own.
    `nodes` and `memory_bytes` are of a store that has several nodes and a bounded memory.
    """

    store: str
    kind: str
    server: str | None = None
    nodes: int | None = None
    memory_bytes: int | None = None

    @property
    def name(self) -> str:
        """The name of the server, which its folder bears too: their files are not alike."""
        return self.server or self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """The status of one embedded store: without a process, `pid` and `port` are None.

    `kept` servers stay up when the advisor that started them ends.
    """

    store: str
    kind: str
    folder: Path
    pid: int | None
    port: int | None
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Launched:
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


@contextmanager
def running(
    requests: Sequence[EmbeddedRequest], folder: Path, progress: Progress
) -> Iterator[Mapping[str, Connection]]:
    """Run the requested stores for the length of the block, each in its folder below `folder`.

    Yields store → connection; every server then accepts logins. Servers that `up` left running
    are used and left running. The others stop when the block ends and, by the kernel, when the
    calling thread ends in whatever way. Raises StoreError and SetUpError.
    """
    with ExitStack() as locks, ExitStack() as stops:
        yield _bring_up(requests, folder, progress, kept=False, locks=locks, stops=stops)


def up(
    requests: Sequence[EmbeddedRequest], folder: Path, progress: Progress
) -> Mapping[str, Connection]:
    """Start the requested stores and leave them running; return store → connection.

    A store that is already up is left as it is. Raises StoreError and SetUpError.
    """
    with ExitStack() as locks, ExitStack() as stops:
        connections = _bring_up(requests, folder, progress, kept=True, locks=locks, stops=stops)
        stops.pop_all()
    return connections


def down(folder: Path) -> tuple[str, ...]:
    """Stop every server below `folder` that still runs; return the names of their stores.

    A server in use by another advisor is left alone: StoreError names that process.
    """
    stopped = []
    for one in _folders(folder):
        if one.running() is None:
            continue
        with one.locked():
            found = one.running()
            if found is not None:
                found.stop()
                stopped.append(one.store)
    return tuple(stopped)


def status(folder: Path) -> tuple[ServerStatus, ...]:
    """Return what is known of every embedded store below `folder`, in order of its name."""
    result = []
    for one in _folders(folder):
        found = one.running()
        result.append(
            ServerStatus(
                store=one.store,
                kind=_ALL[one.kind].kind,
                folder=one.path,
                pid=found.handle.pid if found else None,
                port=found.port if found else None,
                kept=found is not None and found.kept,
            )
        )
    return tuple(sorted(result, key=lambda each: each.store))


def _folders(folder: Path) -> Iterator[ServerFolder]:
    for name in _ALL:
        for path in folder.glob(f"{name}-*"):
            yield ServerFolder.of(folder, path.name.removeprefix(f"{name}-"), name)


def _bring_up(
    requests: Sequence[EmbeddedRequest],
    folder: Path,
    progress: Progress,
    *,
    kept: bool,
    locks: ExitStack,
    stops: ExitStack,
) -> Mapping[str, Connection]:
    """Start what does not run yet, all before waiting for any; leave locks and stops to do."""
    servers = [
        (_server(request), ServerFolder.of(folder, request.store, request.name))
        for request in requests
    ]
    connections: dict[str, Connection] = {}
    launched: list[_Launched] = []
    with disk_errors(folder):
        for server, one in servers:
            locks.enter_context(one.locked())
            found = one.running()
            if found is not None and found.kept:
                launched.append(_Launched(server=server, folder=one, record=found, child=None))
                continue
            if found is not None:
                # Its advisor is dead, or we would not have the lock: it is about to stop.
                found.stop()
            if (new := _launch(server, one, progress, kept=kept, stops=stops)) is None:
                connections[one.store] = server.connection(one, None)
            else:
                launched.append(new)
        for each in launched:
            connections[each.folder.store] = _ready(each, progress, kept=kept, stops=stops)
    stops.callback(_ask_to_end, launched)
    return {one.store: connections[one.store] for _, one in servers}


def _ask_to_end(launched: Sequence[_Launched]) -> None:
    """Have all servers of ours end at the same time; each is waited for afterwards."""
    for each in launched:
        if each.child is not None and each.child.poll() is None:
            each.child.send_signal(each.record.stop_signal)


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


def _launch(
    server: Server, one: ServerFolder, progress: Progress, *, kept: bool, stops: ExitStack
) -> _Launched | None:
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
    launched = _Launched(
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


def _ready(each: _Launched, progress: Progress, *, kept: bool, stops: ExitStack) -> Connection:
    """Wait until a login succeeds; start again on another port if somebody took the first."""
    with progress.task(f"Starting {each.folder.kind} for {each.folder.store}"):
        for _ in range(_PORT_ATTEMPTS):
            if _answers_in_time(each):
                return each.connection()
            if not each.folder.said(each.server.port_taken):
                raise each.folder.failure("its server stopped while it was starting")
            each.stop()
            again = _launch(each.server, each.folder, progress, kept=kept, stops=stops)
            if again is None:
                break
            each = again
    raise each.folder.failure(f"every port of {_PORT_ATTEMPTS} was taken meanwhile")


def _answers_in_time(each: _Launched) -> bool:
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


def _server(request: EmbeddedRequest) -> Server:
    if request.kind not in SERVERS:
        raise StoreError(
            request.store,
            f"no embedded server of kind '{request.kind}': known are {', '.join(SERVERS)}.",
        )
    if request.server is None:
        server = SERVERS[request.kind]
        if isinstance(server, Sized):
            return server.sized(request.nodes, request.memory_bytes)
        return server
    known = [name for name, server in OTHERS.items() if server.kind == request.kind]
    if request.server not in known:
        raise StoreError(
            request.store,
            f"no embedded server '{request.server}' of kind '{request.kind}': "
            f"known are {', '.join(known) or 'none'}.",
        )
    return OTHERS[request.server]
