"""The in-memory object store: nodes of our own on loopback, a process each."""

import hashlib
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import evaluation
from evaluation.objects.client import ObjectClient
from evaluation.objects.errors import ObjectError
from evaluation.objects.node import SHARED_MEMORY
from evaluation.processes.folder import ServerFolder
from evaluation.processes.process import Program
from evaluation.servers.server import LOOPBACK, server_user
from evaluation.store_protocol.connection import Connection
from workloads.errors import StoreError
from workloads.progress import Progress

_PART_OF_SHARED_MEMORY = 0.5
# Servers have a bare environment, so the interpreter is told where we are.
_RUN = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('evaluation.servers.object_nodes', run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """As many nodes as `nodes`, that hold `memory_bytes` together; None: half of what is free."""

    kind: ClassVar[str] = "objects"
    port_taken: ClassVar[str] = r"the address .* is taken"
    starts_slowly: ClassVar[bool] = False

    nodes: int = 1
    memory_bytes: int | None = None

    def sized(self, nodes: int | None, memory_bytes: int | None) -> "Objects":
        """Return it with so many nodes and so much memory, where they are given."""
        return replace(self, nodes=nodes or self.nodes, memory_bytes=memory_bytes)

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:  # noqa: ARG002
        """Create the folder and the secret."""
        user = server_user()
        folder.create(user)
        folder.data.mkdir(exist_ok=True, mode=0o700)

    def program(self, folder: ServerFolder, port: int, progress: Progress) -> Program:  # noqa: ARG002
        """Return the command of all nodes; the first one has the port."""
        memory = self.memory_bytes or _free_bytes(folder)
        return Program(
            arguments=(
                *(sys.executable, "-P", "-c", _RUN, str(Path(evaluation.__file__).parents[1])),
                *("--nodes", str(self.nodes), "--port", str(port), "--memory", str(memory)),
                *("--secret-file", str(folder.password_file)),
                *("--folder", str(memory_folder(folder))),
            ),
            user=server_user(),
        )

    def connection(self, folder: ServerFolder, port: int | None) -> Connection:
        """Return the first node's address, and the secret."""
        return Connection(
            store=folder.store,
            kind=self.kind,
            host=LOOPBACK,
            port=port,
            nodes=(f"{LOOPBACK}:{port}",),
            password=folder.password(),
            password_file=folder.password_file,
        )

    def answers(self, connection: Connection) -> bool:
        """Tell whether all nodes are there."""
        try:
            with ObjectClient(connection.nodes, connection.password or "") as client:
                return len(client.usage()) >= self.nodes
        except ObjectError:
            return False


def memory_folder(folder: ServerFolder) -> Path:
    """Return where the nodes of a folder have their memory, the same at every start."""
    name = hashlib.sha256(str(folder.path).encode()).hexdigest()[:16]
    return SHARED_MEMORY / f"advisor-objects-{name}"


def _free_bytes(folder: ServerFolder) -> int:
    if not SHARED_MEMORY.is_dir():
        raise StoreError(folder.store, f"there is no shared memory at {SHARED_MEMORY} here.")
    return int(shutil.disk_usage(SHARED_MEMORY).free * _PART_OF_SHARED_MEMORY)
