"""DuckDB: a file that whoever uses it opens; there is no process to run."""

from typing import ClassVar

from evaluation.processes.folder import ServerFolder
from evaluation.processes.process import Program
from evaluation.store_protocol.connection import Connection
from workloads.progress import Progress


class DuckDB:
    """A DuckDB database in the folder."""

    kind: ClassVar[str] = "duckdb"
    port_taken: ClassVar[str] = ""
    starts_slowly: ClassVar[bool] = False

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:  # noqa: ARG002
        """Create the folder that will hold the file."""
        folder.data.mkdir(parents=True, exist_ok=True, mode=0o700)

    def program(
        self,
        folder: ServerFolder,  # noqa: ARG002
        port: int,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> Program | None:
        """Return None: the library is the server."""
        return None

    def connection(self, folder: ServerFolder, port: int | None) -> Connection:  # noqa: ARG002
        """Return the file's path."""
        return Connection(store=folder.store, kind=self.kind, path=folder.data / "store.duckdb")

    def answers(self, connection: Connection) -> bool:  # noqa: ARG002
        """Return True: the file is made by its first user."""
        return True
