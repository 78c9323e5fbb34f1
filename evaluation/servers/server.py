"""The protocol of an embedded server. One file a server, named in its kind's description."""

import os
import pwd
from typing import ClassVar, Protocol, runtime_checkable

from evaluation.processes.folder import ServerFolder
from evaluation.processes.process import Program, User
from evaluation.store_protocol.connection import Connection
from workloads.progress import Progress

LOOPBACK = "127.0.0.1"
LOGIN = "advisor"


class Server(Protocol):
    """A kind of store that we can run ourselves.

    `kind` is the word in the project file, `port_taken` the words in its log by which it says
    that the port is in use. One that `starts_slowly` is started before others.
    """

    kind: ClassVar[str]
    port_taken: ClassVar[str]
    starts_slowly: ClassVar[bool]

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:
        """Fetch the binaries, initialise the data once and repair what a kill left behind.

        Called while no process serves from `folder`; processes it starts inherit the descriptor
        `lock`, which says that somebody writes there. Raises StoreError and SetUpError.
        """
        ...

    def program(self, folder: ServerFolder, port: int, progress: Progress) -> Program | None:
        """Return the command that serves `folder` on `port`; None if the kind needs no process."""
        ...

    def connection(self, folder: ServerFolder, port: int | None) -> Connection:
        """Return how to log in."""
        ...

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        ...


@runtime_checkable
class Sized(Protocol):
    """A kind of server that has nodes and memory as they are asked for."""

    def sized(self, nodes: int | None, memory_bytes: int | None) -> Server:
        """Return it with so many nodes and so much memory; None leaves what it has."""
        ...


def server_user() -> User | None:
    """Return the user that servers run as; None: they run as we do.

    PostgreSQL refuses to run as root, and no server needs to.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return User(uid=65534, gid=65534)
    return User(uid=entry.pw_uid, gid=entry.pw_gid)
