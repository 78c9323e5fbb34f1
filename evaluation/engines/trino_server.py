"""A Trino of our own on loopback, with the stores as its catalogs, on one node or several."""

import re
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.engines.trino import connect
from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.installation.trino import java_folder, server_folder
from evaluation.installation.trino_plugin import NAME, plugin_jars
from evaluation.kinds import KINDS
from evaluation.processes import process
from evaluation.processes.process import Program
from evaluation.processes.temporary_folder import temporary_folder
from evaluation.running.job import TrinoConnection
from evaluation.store_protocol.connection import Connection
from evaluation.stores.duckdb.copies import copied
from workloads.errors import SetUpError
from workloads.progress import Progress

LOOPBACK = "127.0.0.1"
USER = "advisor"
# As long as it is there: Java alone takes three minutes on a machine that does much else.
READY_S = 600.0
_POLL_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The memory of a node: `heap` in Java's spelling, and what queries may take of it."""

    heap: str = "5G"
    queries: str = "3GB"


SMALL = Node(heap="2G", queries="1GB")
"""A node of several on one machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinoServer:
    """A Trino of ours that answers at `url`, with the processes of its nodes."""

    url: str
    nodes: tuple["subprocess.Popen[bytes]", ...]

    @property
    def has_ended(self) -> bool:
        """Whether a node was killed: queries fail, or run on fewer workers than were asked for."""
        return any(node.poll() is not None for node in self.nodes)


@contextmanager
def running_trino(
    connections: Mapping[str, Connection], progress: Progress, *, workers: int | None = None
) -> Iterator[TrinoServer]:
    """Run a Trino that has the stores, as they are now, as catalogs.

    Without `workers` it is one node; with them, so many small ones, of which the first coordinates
    as well.

    Raises:
        ConfigurationError: Trino has no connector for one of the stores.
        SetUpError: It cannot be fetched, or does not start.
    """
    with temporary_folder() as folder:
        copies = {name: _with_copy(each, folder) for name, each in connections.items()}
        found = [
            trino_catalog(each, product=KINDS[each.kind].answering(each))
            for each in copies.values()
        ]
        passwords = {
            catalog.variable: connection.password or ""
            for catalog, connection in zip(found, copies.values(), strict=True)
            if catalog.variable is not None
        }
        texts = {each.file_name: each.text for each in found}
        plugin = plugin_jars(progress) if any(each.needs_plugin for each in found) else ()
        with serving(texts, passwords, progress, workers=workers, plugin=plugin) as server:
            _await_catalogs(server.url, connections, workers or 1)
            yield server


def _with_copy(connection: Connection, folder: Path) -> Connection:
    """Return a store that Trino can open beside Spark: only one process may write a DuckDB file.

    The driver of Trino's connector cannot be told that it is only to read.
    """
    return connection if connection.path is None else copied(connection, folder)


def _await_catalogs(url: str, connections: Mapping[str, Connection], workers: int) -> None:
    """Ask until Trino has found all of its nodes, and then every catalog for its schemas."""
    from trino.exceptions import TrinoQueryError

    nodes = f"SELECT 1 WHERE {workers} <= (SELECT count(*) FROM system.runtime.nodes)"  # noqa: S608 - a number of ours
    schemas = [
        f"SELECT count(*) FROM {name}.information_schema.schemata"  # noqa: S608 - catalogs of ours
        for name in connections
    ]
    ends = time.monotonic() + READY_S
    with closing(connect(TrinoConnection(url=url, user=USER), timeout_s=READY_S)) as session:
        for statement in (nodes, *schemas):
            while True:
                cursor = session.cursor()
                try:
                    cursor.execute(statement)
                    if cursor.fetchall():
                        break
                except TrinoQueryError as error:
                    if error.error_name != "NO_NODES_AVAILABLE":
                        raise
                if time.monotonic() > ends:
                    raise SetUpError(
                        f"Trino has not found {workers} nodes in {READY_S:g} s: let the machine's "
                        "other work end, and call the command again."
                    )
                time.sleep(_POLL_S)


@contextmanager
def serving(
    catalogs: Mapping[str, str],
    passwords: Mapping[str, str],
    progress: Progress,
    *,
    port: int = 0,
    workers: int | None = None,
    plugin: Sequence[Path] = (),
) -> Iterator[TrinoServer]:
    """Run a Trino with these files in ``etc/catalog``; `port` 0 takes a free one.

    `plugin` are the jars of one more plugin.
    """
    home, java = server_folder(progress), java_folder(progress)
    port = port or _free_port()
    named = {name for text in catalogs.values() for name in re.findall(r"\$\{ENV:(\w+)\}", text)}
    variables = {name: passwords[name] for name in sorted(named)}
    node = Node() if workers is None else SMALL
    ports = [port, *(_free_port() for _ in range((workers or 1) - 1))]
    nodes: list[subprocess.Popen[bytes]] = []
    with temporary_folder() as base, ExitStack() as running:
        with progress.task("Starting Trino"):
            for number, each in enumerate(ports):
                folder = base / f"node-{number}"
                _configure(folder, catalogs, each, port, node)
                _install(folder / "plugin", home / "plugin", plugin)
                log = running.enter_context((folder / "server.log").open("wb"))
                environment = {**process.bare_environment(folder), **variables}
                program = Program(arguments=_command(java, home, folder))
                started = process.started(
                    program, folder=folder, output=log, environment=environment
                )
                nodes.append(running.enter_context(started))
                _await(f"http://{LOOPBACK}:{each}", nodes[-1], folder / "server.log")
        yield TrinoServer(url=f"http://{LOOPBACK}:{port}", nodes=tuple(nodes))


def _command(java: Path, home: Path, folder: Path) -> tuple[str, ...]:
    return (
        str(java / "bin" / "java"),
        *(folder / "etc" / "jvm.config").read_text().split(),
        "-cp",
        f"{home}/lib/*",
        f"-Dnode.data-dir={folder / 'data'}",
        f"-Dconfig={folder / 'etc' / 'config.properties'}",
        "io.trino.server.TrinoServer",
    )


def _install(folder: Path, known: Path, plugin: Sequence[Path]) -> None:
    """Give a node Trino's own plugins, and one of these jars."""
    folder.mkdir()
    for each in known.iterdir():
        (folder / each.name).symlink_to(each)
    if plugin:
        own = folder / NAME
        own.mkdir()
        for jar in plugin:
            (own / jar.name).symlink_to(jar)


def _configure(
    folder: Path, catalogs: Mapping[str, str], port: int, coordinator: int, node: Node
) -> None:
    etc = folder / "etc"
    (etc / "catalog").mkdir(parents=True)
    (folder / "data").mkdir()
    for file_name, text in catalogs.items():
        (etc / "catalog" / file_name).write_text(text, encoding="utf-8")
    own = {"node-scheduler.include-coordinator": "true", "query.max-memory": "3GB"}
    settings = {
        "coordinator": str(port == coordinator).lower(),
        **(own if port == coordinator else {}),
        "http-server.http.port": str(port),
        "discovery.uri": f"http://{LOOPBACK}:{coordinator}",
        "node.environment": "advisor",
        "node.id": folder.name,
        "node.internal-address": LOOPBACK,
        "node.bind-ip": LOOPBACK,
        "query.max-memory-per-node": node.queries,
        "catalog.config-dir": str(etc / "catalog"),
        "plugin.dir": str(folder / "plugin"),
    }
    text = "".join(f"{key}={value}\n" for key, value in settings.items())
    (etc / "config.properties").write_text(text, encoding="utf-8")
    options = (
        f"-Xmx{node.heap}",
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:ReservedCodeCacheSize=512M",
        "-Djdk.attach.allowAttachSelf=true",
        "-Duser.timezone=UTC",
        f"-Djava.io.tmpdir={folder}",
        "-XX:-UsePerfData",
    )
    (etc / "jvm.config").write_text("\n".join(options), encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((LOOPBACK, 0))
        return int(found.getsockname()[1])


def _await(url: str, running: "subprocess.Popen[bytes]", log: Path) -> None:
    import requests

    ends = time.monotonic() + READY_S
    while time.monotonic() < ends and running.poll() is None:
        try:
            if not requests.get(f"{url}/v1/info", timeout=5).json()["starting"]:
                return
        except (requests.RequestException, ValueError, KeyError):
            pass
        time.sleep(_POLL_S)
    if running.poll() is None:
        raise SetUpError(
            f"Trino has not started in {READY_S:g} s: let the machine's other work end, and call "
            "the command again."
        )
    said = log.read_text(encoding="utf-8", errors="replace").splitlines()
    reasons = [line for line in said if re.match(r"\d+\) |Caused by: |Error: ", line)]
    raise SetUpError(f"Trino ended while it started: {' '.join(reasons or said[-10:])}")
