import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluation.processes import launch, process
from evaluation.processes.process import Handle, Program, User
from workloads.cache import CACHE_VARIABLE, disk_errors
from workloads.errors import SetUpError

SLEEP = Program(arguments=("/bin/sleep", "60"))
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def wait_until(condition, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def start_in_dying_parent(tmp_path, *, kept):
    """Start a sleeping process from a Python that then kills itself; return its pid."""
    code = f"""
import os, signal, time
from pathlib import Path
from evaluation.processes import process
process.start(
    process.Program(arguments=("/bin/sleep", "60")), folder=Path({str(tmp_path)!r}), output=1,
    state_file=Path({str(tmp_path / "state")!r}), kept={kept})
while not Path({str(tmp_path / "state")!r}).exists():
    time.sleep(0.01)
time.sleep(0.3)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return int((tmp_path / "state").read_text().split('"pid": ')[1].split(",")[0])


def test_a_child_ends_when_its_parent_is_killed(tmp_path):
    pid = start_in_dying_parent(tmp_path, kept=False)
    wait_until(lambda: launch.start_ticks(pid) is None)


def test_a_kept_process_outlives_its_parent(tmp_path):
    pid = start_in_dying_parent(tmp_path, kept=True)
    handle = Handle(pid=pid, start_ticks=launch.start_ticks(pid) or 0, boot=process.boot_id())
    time.sleep(0.3)
    assert handle.alive()
    handle.stop(signal.SIGTERM)
    assert not handle.alive()


def test_a_child_whose_parent_is_gone_before_it_asks_ends_at_once():
    child = subprocess.run(
        [sys.executable, "-I", "-S", launch.__file__,
         '{"parent": 1, "death_signal": 15, "user": null, "state_file": null}',
         "/bin/sleep", "60"],
        timeout=60,
        check=False,
    )  # fmt: skip
    assert child.returncode == 0


def test_a_handle_is_not_a_later_process_with_the_same_pid():
    ticks = launch.start_ticks(os.getpid())
    assert ticks is not None
    boot = process.boot_id()
    assert Handle(pid=os.getpid(), start_ticks=ticks, boot=boot).alive()
    assert not Handle(pid=os.getpid(), start_ticks=ticks + 1, boot=boot).alive()
    assert not Handle(pid=os.getpid(), start_ticks=ticks, boot="another").alive()


def test_a_handle_never_signals_a_process_that_is_not_it(tmp_path):
    with process.started(SLEEP, folder=tmp_path, output=subprocess.DEVNULL) as child:
        wrong = Handle(pid=child.pid, start_ticks=1, boot=process.boot_id())
        wrong.stop(signal.SIGKILL)
        time.sleep(0.1)
        assert child.poll() is None


def test_a_process_that_ignores_the_request_is_killed(tmp_path):
    deaf = Program(
        arguments=("/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done")
    )
    child = process.start(deaf, folder=tmp_path, output=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == b"deaf\n"
        process.stop(child, signal.SIGTERM, timeout_s=0.3)
    assert child.returncode == -signal.SIGKILL


def test_a_server_sees_nothing_of_our_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_PASSWORD", "hush")
    child = process.start(
        Program(arguments=("/usr/bin/env",)), folder=tmp_path, output=subprocess.PIPE
    )
    said, _ = child.communicate()
    assert b"hush" not in said
    assert b"TZ=UTC" in said


def test_ctrl_c_in_the_terminal_does_not_reach_a_server(tmp_path):
    with process.started(SLEEP, folder=tmp_path, output=subprocess.DEVNULL) as child:
        assert os.getpgid(child.pid) == child.pid != os.getpgid(0)


def test_a_program_that_is_not_there_is_named(tmp_path):
    child = process.start(
        Program(arguments=("/not/there",)), folder=tmp_path, output=subprocess.PIPE
    )
    said, _ = child.communicate()
    assert child.returncode == 1
    assert b"cannot run /not/there" in said


def test_a_program_that_the_servers_user_may_not_execute_has_a_way_out(tmp_path):
    closed = tmp_path / "program"
    closed.touch(mode=0o644)
    child = process.start(
        Program(arguments=(str(closed),)), folder=tmp_path, output=subprocess.PIPE
    )
    said, _ = child.communicate()
    assert b"Permission denied: let the user that servers run as execute it" in said


def test_an_interpreter_that_cannot_be_executed_is_no_matter_of_the_cache(tmp_path, monkeypatch):
    closed = tmp_path / "python3"
    closed.touch(mode=0o644)
    monkeypatch.setattr(sys, "executable", str(closed))
    with pytest.raises(SetUpError) as raised, disk_errors(tmp_path):
        process.start(SLEEP, folder=tmp_path, output=subprocess.DEVNULL)
    said = str(raised.value)
    assert f"The interpreter {closed} cannot be executed (Permission denied)" in said
    assert CACHE_VARIABLE not in said


def test_the_start_of_a_process_is_read_past_odd_names(tmp_path):
    odd = tmp_path / "a) Z (b"
    odd.symlink_to("/bin/sleep")
    with process.started(
        Program(arguments=(str(odd), "60")), folder=tmp_path, output=subprocess.DEVNULL
    ) as child:
        wait_until(lambda: ") Z (" in Path(f"/proc/{child.pid}/comm").read_text())
        assert (launch.start_ticks(child.pid) or 0) > 0


@needs_root
def test_root_becomes_nobody_who_may_still_enter_closed_folders(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "words").write_text("hello")
    (closed / "words").chmod(0o644)
    program = Program(
        arguments=("/bin/sh", "-c", f"id -u; cat {closed}/words; touch {closed}/mine || echo no"),
        user=User(uid=65534, gid=65534),
    )
    child = process.start(program, folder=tmp_path, output=subprocess.PIPE)
    said, _ = child.communicate()
    assert said.startswith(b"65534\nhello")
    assert said.rstrip().endswith(b"no")
    assert not (closed / "mine").exists()


@needs_root
def test_nobody_too_ends_when_the_parent_is_killed(tmp_path):
    code = f"""
import os, signal, time
from pathlib import Path
from evaluation.processes import process
state = Path({str(tmp_path / "state")!r})
process.start(
    process.Program(arguments=("/bin/sleep", "60"), user=process.User(uid=65534, gid=65534)),
    folder=Path("/"), output=1, state_file=state)
while not state.exists():
    time.sleep(0.01)
time.sleep(0.3)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL)
    pid = int((tmp_path / "state").read_text().split('"pid": ')[1].split(",")[0])
    wait_until(lambda: launch.start_ticks(pid) is None)
