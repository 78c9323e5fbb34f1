"""Servers of our own: for the length of a run, or kept up for work by hand."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.kinds import KINDS
from evaluation.launching import Launched, launch, ready
from evaluation.processes.folder import ServerFolder
from evaluation.servers.server import Server, Sized
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
    launched: list[Launched] = []
    with disk_errors(folder):
        # Others are initialised and start while a slow one does.
        for server, one in sorted(servers, key=lambda each: not each[0].starts_slowly):
            locks.enter_context(one.locked())
            found = one.running()
            if found is not None and found.kept:
                launched.append(Launched(server=server, folder=one, record=found, child=None))
                continue
            if found is not None:
                # Its advisor is dead, or we would not have the lock: it is about to stop.
                found.stop()
            if (new := launch(server, one, progress, kept=kept, stops=stops)) is None:
                connections[one.store] = server.connection(one, None)
            else:
                launched.append(new)
        for each in launched:
            connections[each.folder.store] = ready(each, progress, kept=kept, stops=stops)
    stops.callback(_ask_to_end, launched)
    return {one.store: connections[one.store] for _, one in servers}


def _ask_to_end(launched: Sequence[Launched]) -> None:
    """Have all servers of ours end at the same time; each is waited for afterwards."""
    for each in launched:
        if each.child is not None and each.child.poll() is None:
            each.child.send_signal(each.record.stop_signal)


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
