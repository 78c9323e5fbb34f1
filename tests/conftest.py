"""Fixtures that tests of several packages share."""

import os
import sys
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import settings

from evaluation.embedded import EmbeddedRequest, running
from evaluation.store_protocol.connection import Connection
from workloads.progress import Silent

# A busy machine stops an example for longer than 200 ms; each test has its own time limit.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")

pytest_plugins = [
    "tests.data_fixtures",
    "tests.spark_fixtures",
    "tests.spark.answering_fixtures",
    "tests.stores.each_store",
    "tests.stores.live_servers",
    "tests.stores.live_shop_fixtures",
    "tests.stores.encrypted_servers",
    "tests.stores.own_shop",
]

# Workers and commands, of which tests start hundreds, would compile every module again: 0.8 s each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Every Spark that a test starts has this option, and that of each command in a test. They run each
# statement a few times: what the optimising compiler gains it takes twice.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Connection]]:
    """Real servers `pg`, `maria` and `duck` for the whole session, with empty data.

    Their binaries come from the user's cache, which is filled on first use.
    """
    requests = (
        EmbeddedRequest(store="pg", kind="postgresql"),
        EmbeddedRequest(store="maria", kind="mysql"),
        EmbeddedRequest(store="duck", kind="duckdb"),
    )
    with running(requests, tmp_path_factory.mktemp("embedded"), Silent()) as connections:
        yield connections


@pytest.fixture(scope="session")
def accumulo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Connection]]:
    """A real Accumulo `acc` for the whole session, with empty data."""
    requests = (EmbeddedRequest(store="acc", kind="accumulo"),)
    with running(requests, tmp_path_factory.mktemp("accumulo"), Silent()) as connections:
        yield connections


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Connection]]:
    """An object store `mem` of two nodes for the whole session, with nothing in it."""
    requests = (EmbeddedRequest(store="mem", kind="objects", nodes=2, memory_bytes=1 << 30),)
    with running(requests, tmp_path_factory.mktemp("objects"), Silent()) as connections:
        yield connections


@pytest.fixture(scope="session")
def every_kind(
    embedded: Mapping[str, Connection],
    accumulo: Mapping[str, Connection],
    objects: Mapping[str, Connection],
) -> Mapping[str, Connection]:
    """A store of each kind: those that run SQL, and those that are scanned."""
    return {**embedded, **accumulo, **objects}
