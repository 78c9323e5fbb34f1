"""Accumulo: ZooKeeper, manager, tablet server and garbage collector in one process of ours."""

import hashlib
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from evaluation.installation import accumulo_jars
from evaluation.installation.java import java_home
from evaluation.processes import process
from evaluation.processes.folder import ServerFolder
from evaluation.processes.process import Program, User
from evaluation.servers.server import LOOPBACK, server_user
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import CLEAR
from evaluation.stores.accumulo import sessions
from workloads.cache import disk_errors, fresh_folder, remove
from workloads.progress import Progress

INSTANCE = "advisor"
ROOT = "root"
_HEAP = "768m"
_LOGIN_S = 40.0
_OPENED = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
# For one server on a small machine. Its memory: 256 MB of rows on their way into files, caches of
# blocks and of indexes, and what scans hand out.
_SETTINGS = {
    "instance.zookeeper.timeout": "15s",
    # The one server that there was has ended before this one starts: nothing to wait for.
    "manager.recovery.delay": "0s",
    "rpc.bind.addr": LOOPBACK,
    "tserver.port.client": "0",
    "tserver.port.search": "true",
    "manager.port.client": "0",
    "gc.port.client": "0",
    "tserver.memory.maps.native.enabled": "false",
    "tserver.memory.maps.max": "192M",
    "tserver.cache.data.size": "128M",
    "tserver.cache.index.size": "32M",
    "tserver.total.mutation.queue.max": "32M",
    "tserver.wal.max.size": "128M",
    "tserver.wal.sort.buffer.size": "32M",
    "gc.cycle.start": "30s",
    "gc.cycle.delay": "60s",
}
_CORE_SITE = """<configuration>
  <property><name>fs.file.impl</name><value>org.apache.hadoop.fs.RawLocalFileSystem</value></property>
</configuration>
"""
_LOGGING = """rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %-5p %c{1}: %m%n
"""


class Accumulo:
    """An Accumulo of our own."""

    kind: ClassVar[str] = "accumulo"
    port_taken: ClassVar[str] = "Address already in use"
    starts_slowly: ClassVar[bool] = True

    def prepare(self, folder: ServerFolder, lock: int, progress: Progress) -> None:
        """Initialise an instance: ZooKeeper's folder becomes ``data`` when that has succeeded."""
        user = server_user()
        folder.create(user)
        accumulo_jars.connector(progress)
        _own(folder.path / "conf", user)
        if folder.data.is_dir():
            return
        # Places of files are written into the instance: the volume can never be renamed.
        remove(_volume(folder))
        _own(_volume(folder), user)
        with (
            progress.task(f"Initialising Accumulo for {folder.store}"),
            fresh_folder(folder.data) as data,
            folder.new_log() as log,
        ):
            if user is not None:
                user.own(data)
            port = _free_port()
            _configure(folder, port, user)
            program = _program(folder, "Initialise", (str(data), str(port), INSTANCE), progress)
            with (
                folder.password_file.open("rb") as password,
                process.started(
                    program,
                    folder=folder.path,
                    output=log,
                    standard_input=password,
                    inherited=(lock,),
                ) as running,
            ):
                if running.wait() != 0:
                    raise folder.failure("Accumulo could not be initialised")

    def program(self, folder: ServerFolder, port: int, progress: Progress) -> Program:
        """Return the command of the process that is all servers; SIGTERM stops it."""
        _configure(folder, port, server_user())
        return _program(folder, "Embedded", (str(folder.data), str(port)), progress)

    def connection(self, folder: ServerFolder, port: int | None) -> Connection:
        """Return the login of root; the address is ZooKeeper's."""
        return Connection(
            store=folder.store,
            kind=self.kind,
            host=LOOPBACK,
            port=port,
            database=INSTANCE,
            user=ROOT,
            password=folder.password(),
            password_file=folder.password_file,
            tls=CLEAR,
            # Its tablet server has our iterators.
            options={"iterators": "server"},
        )

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        # A server that is starting answers late, and a client takes a while to ask.
        return sessions.answers(connection, login_s=_LOGIN_S)


def _volume(folder: ServerFolder) -> Path:
    return folder.path / "volume"


def _own(path: Path, user: User | None) -> None:
    with disk_errors(path):
        path.mkdir(exist_ok=True, mode=0o700)
        if user is not None:
            user.own(path)


def _configure(folder: ServerFolder, port: int, user: User | None) -> None:
    """Write what the servers read: the port of their ZooKeeper is another at each start."""
    settings = {
        **_SETTINGS,
        "instance.volumes": _volume(folder).as_uri(),
        "instance.zookeeper.host": f"{LOOPBACK}:{port}",
        "instance.secret": _secret(folder),
    }
    written = {
        "accumulo.properties": "".join(f"{key}={value}\n" for key, value in settings.items()),
        "core-site.xml": _CORE_SITE,
        "log4j2.properties": _LOGGING,
    }
    for name, text in written.items():
        file = folder.path / "conf" / name
        with disk_errors(file):
            remove(file)
            file.touch(mode=0o600)
            file.write_text(text, encoding="utf-8")
            if user is not None:
                user.own(file)


def _secret(folder: ServerFolder) -> str:
    """Return what the servers know each other by: a hash that does not tell the password."""
    return hashlib.sha256(f"secret of the instance {folder.password()}".encode()).hexdigest()


def _program(
    folder: ServerFolder, main: str, arguments: Sequence[str], progress: Progress
) -> Program:
    conf = folder.path / "conf"
    return Program(
        arguments=(
            str(java_home(progress) / "bin" / "java"),
            *(f"-Xmx{_HEAP}", f"-Xms{_HEAP}", "-XX:+UseParallelGC", "-XX:-UsePerfData"),
            f"-Daccumulo.properties={(conf / 'accumulo.properties').as_uri()}",
            f"-Djava.io.tmpdir={folder.path}",
            *("-Dzookeeper.digest.enabled=false", "-Djava.net.preferIPv4Stack=true"),
            # Hadoop asks who it runs as, and the user of servers may have no name.
            *(f"-Duser.home={folder.path}", "-Duser.timezone=UTC"),
            *_OPENED,
            *("-cp", f"{conf}:{accumulo_jars.class_path(progress)}"),
            f"placementadvisor.accumulo.server.{main}",
            *arguments,
        ),
        user=server_user(),
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port
