"""Embedded servers really start, stop and are really killed."""

import json
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import psycopg
import pymysql
import pytest

from evaluation.embedded import EmbeddedRequest, down, running, status, up
from evaluation.kinds import BACKENDS
from workloads.progress import Silent

pytestmark = pytest.mark.stores

PG = EmbeddedRequest(store="pg", kind="postgresql")

MARIA = EmbeddedRequest(store="maria", kind="mysql")

DUCK = EmbeddedRequest(store="duck", kind="duckdb")

MYSQL8 = EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8")

ALL = (PG, MARIA, DUCK)

SERVERS = (PG, MARIA, MYSQL8)

EACH_SERVER = pytest.mark.parametrize("request_", SERVERS, ids=lambda each: each.name)

ADVISOR = """
import json, signal, sys, time
from pathlib import Path
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # not as nohup leaves it
from evaluation.embedded import EmbeddedRequest, running
from workloads.progress import Silent
requests = [EmbeddedRequest(**each) for each in json.loads(sys.argv[2])]
print("starting", flush=True)
with running(requests, Path(sys.argv[1]), Silent()):
    print("ready", flush=True)
    time.sleep(120)
"""


@contextmanager
def advisor(folder, *requests):
    """Another process that runs the servers, in a process group of its own like in a terminal."""
    wanted = json.dumps([asdict(request) for request in requests])
    with subprocess.Popen(
        [sys.executable, "-c", ADVISOR, str(folder), wanted],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "starting\n"
        try:
            yield process
        finally:
            process.kill()


def wait_ready(process):
    assert process.stdout.readline() == "ready\n"


def wait_until(condition, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def processes_below(folder):
    """The pids of all processes, of whatever name, that work below `folder`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            where = str((entry / "cwd").readlink())
        except OSError:
            continue
        is_advisor = ADVISOR.strip()[:20].encode() in command
        if not is_advisor and (str(folder).encode() in command or where.startswith(str(folder))):
            found.append(int(entry.name))
    return found


def pids(folder):
    return {one.store: one.pid for one in status(folder) if one.pid is not None}


def postgres(connection, **changes):
    login = {
        "host": connection.host,
        "port": connection.port,
        "dbname": connection.database,
        "user": connection.user,
        "password": connection.password,
        "autocommit": True,
    }
    return closing(psycopg.connect(**{**login, **changes}))


def maria(connection, **changes):
    login = {
        "host": connection.host,
        "port": connection.port,
        "user": connection.user,
        "password": connection.password,
        "autocommit": True,
    }
    return closing(pymysql.connect(**{**login, **changes}))


def execute(session, statement):
    with closing(session.cursor()) as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else None


LOGINS = {"postgresql": postgres, "mysql": maria}


@pytest.fixture
def all_of_them(embedded, others):
    return {**embedded, **others}


def test_the_servers_accept_logins_and_duckdb_has_a_place(all_of_them):
    embedded = all_of_them
    with postgres(embedded["pg"]) as session:
        assert execute(session, "select 1")[0][0] == 1
    with maria(embedded["maria"]) as session:
        assert "MariaDB" in execute(session, "select version()")[0][0]
    with maria(embedded["mysql8"]) as session:
        assert execute(session, "select version()")[0][0].startswith("8.0.")
    assert embedded["duck"].path is not None
    assert embedded["duck"].path.parent.is_dir()


def test_a_wrong_password_is_refused(all_of_them):
    with pytest.raises(psycopg.OperationalError), postgres(all_of_them["pg"], password="wrong"):
        pass
    for store in ("maria", "mysql8"):
        for login in ({"password": "wrong"}, {"user": "root", "password": ""}):
            refused = pytest.raises(pymysql.err.OperationalError, match="Access denied")
            with refused, maria(all_of_them[store], **login):
                pass


def test_the_servers_listen_on_loopback_alone(all_of_them):
    pids = {
        one.pid
        for folder in {each.password_file.parent.parent for each in servers(all_of_them)}
        for one in status(folder)
        if one.pid is not None
    }
    sockets = {
        str(each.readlink())
        for pid in pids
        for each in Path(f"/proc/{pid}/fd").iterdir()
        if each.is_symlink()
    }
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            address, port = fields[1].split(":")
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                listening.append((address, int(port, 16)))
    assert sorted(listening) == sorted(("0100007F", each.port) for each in servers(all_of_them))


def servers(connections):
    return [each for each in connections.values() if each.path is None]


def test_the_stores_compare_text_by_its_bytes(all_of_them):
    with postgres(all_of_them["pg"]) as session:
        assert execute(session, "select 'a' = 'A', 'Z' < 'a', 'é' > 'z'")[0] == (False, True, True)
    for store in ("maria", "mysql8"):
        with maria(all_of_them[store]) as session:
            execute(session, "create database byte_order")
            execute(session, "create table byte_order.t (c varchar(9))")
            execute(session, "insert into byte_order.t values ('a'), ('A'), ('a ')")
            assert execute(session, "select count(distinct c) from byte_order.t")[0][0] == 3
            # Of literals the client says how they compare: ours does in its sessions.
            execute(
                session,
                BACKENDS["mysql"].jdbc(all_of_them[store], timeout_s=9, fetch_size=9)[
                    "sessionInitStatement"
                ],
            )
            assert execute(session, "select 'a' = 'A', 'Z' < 'a', 'a' = 'a '")[0] == (0, 1, 0)


def test_passwords_show_nowhere(all_of_them):
    for connection in servers(all_of_them):
        password = connection.password
        assert password
        assert password not in repr(all_of_them)
        assert connection.password_file.read_text().strip() == password
        assert connection.password_file.stat().st_mode & 0o777 == 0o600
        pid = pids(connection.password_file.parent.parent)[connection.store]
        for view in ("cmdline", "environ"):
            assert password.encode() not in Path(f"/proc/{pid}/{view}").read_bytes()
        written = [
            path
            for path in connection.password_file.parent.rglob("*")
            if path.is_file() and path.name != "password" and password.encode() in path.read_bytes()
        ]
        assert written == []


def test_up_keeps_servers_that_a_run_uses_and_leaves_and_down_stops(tmp_path):
    first = up(ALL, tmp_path, Silent())
    try:
        served = pids(tmp_path)
        assert set(served) == {"pg", "maria"}
        assert all(one.kept for one in status(tmp_path) if one.pid is not None)
        with running(ALL, tmp_path, Silent()) as connections:
            assert connections == first
            with postgres(connections["pg"]) as session:
                assert execute(session, "select 1")[0][0] == 1
        assert pids(tmp_path) == served
        assert up(ALL, tmp_path, Silent()) == first
        assert pids(tmp_path) == served
    finally:
        stopped = down(tmp_path)
    assert set(stopped) == {"pg", "maria"}
    assert processes_below(tmp_path) == []
    assert [(one.store, one.kind, one.pid, one.port, one.kept) for one in status(tmp_path)] == [
        ("duck", "duckdb", None, None, False),
        ("maria", "mysql", None, None, False),
        ("pg", "postgresql", None, None, False),
    ]
    assert down(tmp_path) == ()


def test_the_two_servers_of_a_kind_have_folders_of_their_own(tmp_path):
    one = EmbeddedRequest(store="shop", kind="mysql")
    other = EmbeddedRequest(store="shop", kind="mysql", server="mysql8")
    for request_, said in ((one, "MariaDB"), (other, "8.0."), (one, "MariaDB")):
        with running((request_,), tmp_path, Silent()) as connections:
            assert connections["shop"].kind == "mysql"
            with maria(connections["shop"]) as session:
                assert said in execute(session, "select version()")[0][0]
    assert [(each.store, each.kind) for each in status(tmp_path)] == [("shop", "mysql")] * 2
