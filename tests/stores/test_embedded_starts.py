"""Embedded servers that cannot start as they were asked to, and what is said of it."""

import os
import socket
import subprocess

import pytest

from evaluation import launching
from evaluation.embedded import EmbeddedRequest, running
from evaluation.processes.folder import ServerFolder
from evaluation.servers import mysql8
from tests.stores.test_embedded_servers import (
    EACH_SERVER,
    LOGINS,
    MYSQL8,
    PG,
    execute,
    processes_below,
)
from workloads.errors import SetUpError, StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores


@EACH_SERVER
def test_a_port_taken_meanwhile_is_replaced(tmp_path, monkeypatch, request_):
    free_port = launching._free_port
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        offered = [taken.getsockname()[1]]
        monkeypatch.setattr(
            launching, "_free_port", lambda: offered.pop() if offered else free_port()
        )
        with running((request_,), tmp_path, Silent()) as connections:
            assert connections[request_.store].port != taken.getsockname()[1]
            with LOGINS[request_.kind](connections[request_.store]) as session:
                assert execute(session, "select 1")[0][0] == 1
    assert processes_below(tmp_path) == []


def test_without_a_free_port_it_gives_up_and_says_so(tmp_path, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setattr(launching, "_free_port", lambda: taken.getsockname()[1])
        refused = pytest.raises(StoreError, match="Store 'pg': every port of 5 was taken")
        with refused, running((PG,), tmp_path, Silent()):
            pass
    assert processes_below(tmp_path) == []


@EACH_SERVER
def test_a_server_that_cannot_start_shows_why_and_no_password(tmp_path, request_):
    with running((request_,), tmp_path, Silent()) as connections:
        password = connections[request_.store].password
    data = ServerFolder.of(tmp_path, request_.store, request_.name).data
    damaged = data / ("global/pg_control" if request_ is PG else "ibdata1")
    os.truncate(damaged, 10)
    refused = pytest.raises(StoreError, match="stopped while it was starting")
    with refused as failure, running((request_,), tmp_path, Silent()):
        pass
    assert damaged.name in str(failure.value) or "pg_control" in str(failure.value)
    assert password not in str(failure.value)
    assert processes_below(tmp_path) == []


@pytest.mark.parametrize("missing", ["libaio.so.1", "libnuma.so.1"])
def test_a_library_that_the_system_lacks_is_named_with_its_package(tmp_path, monkeypatch, missing):
    monkeypatch.setattr(mysql8, "_is_there", lambda library: library != missing)
    refused = pytest.raises(SetUpError, match=f"need {missing} of the system: .* libaio1 and libn")
    with refused as error, running((MYSQL8,), tmp_path, Silent()):
        pass
    assert "\n" not in str(error.value)


def test_an_unknown_server_of_a_kind_names_the_known_ones(tmp_path):
    for kind, known in (("mysql", "mysql8"), ("duckdb", "none")):
        request_ = EmbeddedRequest(store="x", kind=kind, server="percona")
        refused = pytest.raises(StoreError, match=f"'percona' of kind '{kind}': known are {known}")
        with refused, running((request_,), tmp_path, Silent()):
            pass


def test_an_unknown_kind_names_the_known_ones(tmp_path):
    refused = pytest.raises(
        StoreError, match="kind 'oracle': known are postgresql, mysql, duckdb, accumulo, objects"
    )
    with refused, running((EmbeddedRequest(store="x", kind="oracle"),), tmp_path, Silent()):
        pass


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 30 MB, less than either server needs."""
    path = tmp_path / "small"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=30m,mode=0755", "advisor-test", path],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("only root may mount a small disk")
    try:
        yield path
    finally:
        subprocess.run(["umount", path], check=True)


@EACH_SERVER
def test_a_full_disk_is_a_clear_error(small_disk, request_):
    refused = pytest.raises((StoreError, SetUpError), match=r"the disk of .* is full")
    with refused, running((request_,), small_disk, Silent()):
        pass
    assert processes_below(small_disk) == []
