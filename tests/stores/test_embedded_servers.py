"""Embedded servers really start, stop and are really killed."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import psycopg
import pymysql
import pytest

from evaluation import launching
from evaluation.embedded import EmbeddedRequest, down, running, status, up
from evaluation.kinds import BACKENDS
from evaluation.processes import launch
from evaluation.processes.folder import ServerFolder
from evaluation.servers import mysql8
from workloads.errors import SetUpError, StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores

PG = EmbeddedRequest(store="pg", kind="postgresql")
MARIA = EmbeddedRequest(store="maria", kind="mysql")
DUCK = EmbeddedRequest(store="duck", kind="duckdb")
MYSQL8 = EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8")
ALL = (PG, MARIA, DUCK)
SERVERS = (PG, MARIA, MYSQL8)
EACH_SERVER = pytest.mark.parametrize("request_", SERVERS, ids=lambda each: each.name)
# Seconds within which each is set up and starts.
STARTS_S = {PG: 1.2, MARIA: 1.2, MYSQL8: 8.0}

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


def wait_until(condition, timeout_s=15):
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


def test_data_survives_a_restart_and_the_servers_are_gone_in_between(tmp_path):
    with running((PG, MARIA), tmp_path, Silent()) as connections:
        with postgres(connections["pg"]) as session:
            execute(session, "create table kept as select 42 as answer")
        with maria(connections["maria"]) as session:
            execute(session, "create database kept")
            execute(session, "create table kept.kept as select 42 as answer")
    assert processes_below(tmp_path) == []
    with running((MARIA, PG), tmp_path, Silent()) as connections:
        assert list(connections) == ["maria", "pg"]
        with postgres(connections["pg"]) as session:
            assert execute(session, "select answer from kept")[0][0] == 42
        with maria(connections["maria"]) as session:
            assert execute(session, "select answer from kept.kept")[0][0] == 42


def test_servers_stop_when_the_block_fails(tmp_path):
    with pytest.raises(RuntimeError), running((PG, MARIA), tmp_path, Silent()):
        raise RuntimeError
    assert processes_below(tmp_path) == []


def test_when_the_advisor_is_killed_its_servers_end_and_the_next_run_starts(tmp_path):
    with advisor(tmp_path, *ALL) as process:
        wait_ready(process)
        served = pids(tmp_path)
        assert set(served) == {"pg", "maria"}
        process.kill()
        process.wait()
        wait_until(lambda: all(launch.start_ticks(pid) is None for pid in served.values()))
        wait_until(lambda: processes_below(tmp_path) == [])
    with running(ALL, tmp_path, Silent()) as connections, postgres(connections["pg"]) as session:
        assert execute(session, "select 1")[0][0] == 1


def test_the_next_run_waits_for_the_servers_of_a_killed_one(tmp_path):
    with advisor(tmp_path, *ALL) as process:
        wait_ready(process)
        process.kill()
        process.wait()
        with (
            running(ALL, tmp_path, Silent()) as connections,
            maria(connections["maria"]) as session,
        ):
            assert execute(session, "select 1")[0][0] == 1


def test_a_server_leaves_the_temporary_tables_of_another_alone(tmp_path):
    with (
        running((MARIA,), tmp_path / "one", Silent()) as connections,
        maria(connections["maria"]) as session,
        closing(session.cursor()) as cursor,
    ):
        cursor.execute("CREATE TEMPORARY TABLE mysql.work (a INT) ENGINE=Aria")
        cursor.execute("INSERT INTO mysql.work VALUES (1)")
        with running((MARIA,), tmp_path / "two", Silent()):
            pass
        cursor.execute("ALTER TABLE mysql.work ADD COLUMN b INT")
        cursor.execute("SELECT a FROM mysql.work")
        assert cursor.fetchall() == ((1,),)


@EACH_SERVER
def test_a_server_that_is_killed_itself_starts_again_with_its_data(tmp_path, request_):
    login = LOGINS[request_.kind]
    with running((request_,), tmp_path, Silent()) as connections:
        with login(connections[request_.store]) as session:
            if request_ is not PG:
                execute(session, "create database kept")
                execute(session, "use kept")
            execute(session, "create table kept as select 42 as answer")
        os.kill(pids(tmp_path)[request_.store], signal.SIGKILL)
    with (
        running((request_,), tmp_path, Silent()) as connections,
        login(connections[request_.store]) as session,
    ):
        where = "kept" if request_ is PG else "kept.kept"
        assert execute(session, f"select answer from {where}")[0][0] == 42


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_the_whole_group_stop_everything_in_order(tmp_path, stop):
    with advisor(tmp_path, *ALL) as process:
        wait_ready(process)
        os.killpg(process.pid, stop)
        process.wait(timeout=30)
        assert process.returncode == -stop
        wait_until(lambda: processes_below(tmp_path) == [])
    pg, maria = (ServerFolder.of(tmp_path, one.store, one.kind) for one in (PG, MARIA))
    assert pg.said("database system is shut down")
    assert maria.said("Shutdown complete")


@pytest.mark.parametrize(
    ("request_", "seed"),
    # MySQL takes ten times as long to set up as the others.
    [(each, seed) for each in SERVERS for seed in range(2 if each is MYSQL8 else 4)],
    ids=lambda value: value.name if isinstance(value, EmbeddedRequest) else str(value),
)
def test_a_kill_while_it_initialises_or_starts_does_no_harm(tmp_path, request_, seed):
    delay_s = random.Random(seed).uniform(0.0, STARTS_S[request_])
    with advisor(tmp_path, request_) as process:
        time.sleep(delay_s)
        process.kill()
        process.wait()
    with (
        running((request_,), tmp_path, Silent()) as connections,
        LOGINS[request_.kind](connections[request_.store]) as session,
    ):
        assert execute(session, "select 1")[0][0] == 1
    assert processes_below(tmp_path) == []
    assert not list(tmp_path.glob("*/*.unfinished"))


def test_two_advisors_do_not_share_a_folder(tmp_path):
    with advisor(tmp_path, PG) as process:
        wait_ready(process)
        refused = pytest.raises(StoreError, match=f"Store 'pg': process {process.pid} is using")
        with refused, running((PG,), tmp_path, Silent()):
            pass
        with pytest.raises(StoreError, match=f"process {process.pid} is using"):
            down(tmp_path)
        assert process.poll() is None


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


def test_servers_that_up_started_outlive_its_process(tmp_path):
    code = f"""
from pathlib import Path
from evaluation.embedded import EmbeddedRequest, up
from workloads.progress import Silent
up([EmbeddedRequest(store="pg", kind="postgresql")], Path({str(tmp_path)!r}), Silent())
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    try:
        with (
            running((PG,), tmp_path, Silent()) as connections,
            postgres(connections["pg"]) as session,
        ):
            assert execute(session, "select 1")[0][0] == 1
    finally:
        assert down(tmp_path) == ("pg",)


def test_down_does_not_touch_a_process_that_took_the_pid(tmp_path):
    up((PG,), tmp_path, Silent())
    folder = ServerFolder.of(tmp_path, PG.store, PG.kind)
    record = json.loads(folder.state_file.read_text())
    try:
        with subprocess.Popen(["/bin/sleep", "60"]) as other:
            folder.state_file.write_text(json.dumps({**record, "pid": other.pid}))
            assert down(tmp_path) == ()
            assert other.poll() is None
            other.kill()
    finally:
        folder.state_file.write_text(json.dumps(record))
        assert down(tmp_path) == ("pg",)


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


def test_the_two_servers_of_a_kind_have_folders_of_their_own(tmp_path):
    one = EmbeddedRequest(store="shop", kind="mysql")
    other = EmbeddedRequest(store="shop", kind="mysql", server="mysql8")
    for request_, said in ((one, "MariaDB"), (other, "8.0."), (one, "MariaDB")):
        with running((request_,), tmp_path, Silent()) as connections:
            assert connections["shop"].kind == "mysql"
            with maria(connections["shop"]) as session:
                assert said in execute(session, "select version()")[0][0]
    assert [(each.store, each.kind) for each in status(tmp_path)] == [("shop", "mysql")] * 2


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
