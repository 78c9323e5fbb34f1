"""Embedded servers that are stopped or killed, and advisors that are, and what then remains."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing

import pytest

from evaluation.embedded import EmbeddedRequest, down, running, up
from evaluation.processes import launch
from evaluation.processes.folder import ServerFolder
from tests.stores.test_embedded_servers import (
    ALL,
    EACH_SERVER,
    LOGINS,
    MARIA,
    MYSQL8,
    PG,
    SERVERS,
    advisor,
    execute,
    maria,
    pids,
    postgres,
    processes_below,
    wait_ready,
    wait_until,
)
from workloads.errors import StoreError
from workloads.progress import Silent

# Seconds within which each is set up and starts.
STARTS_S = {PG: 1.2, MARIA: 1.2, MYSQL8: 8.0}

pytestmark = pytest.mark.stores


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
        process.wait(timeout=120)
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
