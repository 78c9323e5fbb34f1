"""The stores that every test of back ends runs on, and what is known to fail on one of them.

A new kind joins by its line in `KINDS` and a request in the fixture `every_kind`; another product
of a kind by its entry there.
"""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError

from evaluation.embedded import OTHERS, SERVERS, EmbeddedRequest, running, status
from evaluation.kinds import BACKENDS, JDBC, SCANNED
from evaluation.running.relations import JdbcSource, ScannedSource, Source
from evaluation.store_protocol.backend import Backend
from evaluation.store_protocol.connection import Connection
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EACH_STORE = (*sorted(BACKENDS), *sorted(OTHERS))
"""Kinds of store, and the names of other servers that are of one of these kinds."""
EACH_SERVER = tuple(
    EmbeddedRequest(
        store=name,
        kind=server.kind,
        server=name if name in OTHERS else None,
        **({"nodes": 2, "memory_bytes": 512 << 20} if name == "objects" else {}),
    )
    for name, server in {**SERVERS, **OTHERS}.items()
    if server.port_taken
)
"""Requests of those that are processes, each called after its server."""
_ACCEPTED = pytest.fail.Exception
"""Raised where the store accepts what the test expects it to refuse."""
_NO_KEYS = ("it keeps no keys", _ACCEPTED)
_NO_SQL = ("it runs no SQL: Spark computes what is slow, and names what it reads", None)
GAPS: Mapping[tuple[str, str], tuple[str, type[BaseException] | None]] = {
    ("test_unqualified_names_are_those_of_the_namespace", "duckdb"): (
        "DuckDB's driver has no option for it: fragments qualify their names",
        Py4JJavaError,
    ),
    ("test_unqualified_names_are_those_of_the_namespace", "accumulo"): _NO_SQL,
    ("test_unqualified_names_are_those_of_the_namespace", "objects"): _NO_SQL,
    ("test_a_statement_that_takes_too_long_is_ended", "accumulo"): _NO_SQL,
    ("test_a_statement_that_takes_too_long_is_ended", "objects"): _NO_SQL,
    ("test_a_key_that_two_rows_have_is_an_error_and_no_table", "duckdb"): _NO_KEYS,
    ("test_a_key_that_two_rows_have_is_an_error_and_no_table", "objects"): _NO_KEYS,
    ("test_a_second_advisor_is_kept_out_of_the_namespace", "duckdb"): (
        "DuckDB locks its file itself",
        _ACCEPTED,
    ),
}
"""Test and store → why it fails there, and by which exception; one that no longer does fails."""


@pytest.fixture(scope="session")
def others(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Connection]]:
    """A server of each that is no kind's own, by its name, for the whole session."""
    requests = [each for each in EACH_SERVER if each.server is not None]
    with running(requests, tmp_path_factory.mktemp("others"), Silent()) as connections:
        yield connections


@pytest.fixture(params=EACH_STORE)
def server(request: pytest.FixtureRequest) -> Connection:
    """Each store in turn; a test that is known to fail on it is expected to."""
    name = request.param
    gap = GAPS.get((request.node.originalname, name))
    if gap is not None:
        reason, raises = gap
        # Spark would compute for hours what a store that runs no SQL cannot be asked.
        run = raises is not None
        request.applymarker(pytest.mark.xfail(reason=reason, raises=raises, strict=True, run=run))
    return named(request, name)


@pytest.fixture(params=[each.name for each in EACH_SERVER])
def process(request: pytest.FixtureRequest) -> Connection:
    """Each store in turn that one logs in to."""
    return named(request, request.param)


@pytest.fixture
def connection(server: Connection) -> Iterator[Connection]:
    """Each store with an empty namespace, whose name needs quotes."""
    found = replace(server, namespace="Test of `load` \"x'")
    backend = BACKENDS[found.kind]
    backend.prepare(found)
    yield found
    for table in backend.loaded(found):
        backend.drop(found, table)


@pytest.fixture
def backend(connection: Connection) -> Backend:
    return BACKENDS[connection.kind]


def named(request: pytest.FixtureRequest, name: str) -> Connection:
    """Return the store called `name` in `EACH_STORE`, started on first use."""
    if name in OTHERS:
        found: Mapping[str, Connection] = request.getfixturevalue("others")
        return found[name]
    kinds: Mapping[str, Connection] = request.getfixturevalue("every_kind")
    return next(each for each in kinds.values() if each.kind == name)


def read(spark: "SparkSession", connection: Connection, table: str) -> "DataFrame":
    """Return a table of a store as Spark reads it."""
    name = BACKENDS[connection.kind].table_name(connection, table)
    return answer(spark, connection, f"SELECT * FROM {name}")


def answer(
    spark: "SparkSession", connection: Connection, sql: str, *, timeout_s: float = 60
) -> "DataFrame":
    """Return the rows of a fragment's SQL."""
    found: Source
    if connection.kind in JDBC:
        backend = JDBC[connection.kind]
        options = backend.jdbc(connection, timeout_s=timeout_s, fetch_size=1000)
        found = JdbcSource(options=options, carried=backend.carried)
    else:
        scanned = SCANNED[connection.kind]
        scan = partial(scanned.scan, connection, timeout_s=timeout_s, fetch_size=1000)
        found = ScannedSource(namespace=connection.namespace, scan=scan, views={})
    return found.relation(spark, sql, "q", {})


def rows(spark: "SparkSession", connection: Connection, table: str) -> list[tuple[object, ...]]:
    """Return its rows in order."""
    return sorted(tuple(row) for row in read(spark, connection, table).collect())


def kill(folder: Path, store: str) -> None:
    """Kill the processes of the server that serves a store below `folder`, as one.

    They are stopped first: one that saw another of them die would clean up as it ends.
    """
    pid = next(one.pid for one in status(folder) if one.store == store)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    for sent in (signal.SIGSTOP, signal.SIGKILL):
        for each in (pid, *map(int, children)):
            # A child may have ended meanwhile.
            with suppress(ProcessLookupError):
                os.kill(each, sent)
