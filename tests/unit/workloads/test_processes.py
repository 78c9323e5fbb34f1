import os
import signal
import subprocess
import sys
import time

import pytest

from workloads.errors import ConfigurationError, SetUpError, SqlError
from workloads.folding.processes import run


def test_results_are_those_of_one_process():
    assert sorted(run(abs, range(-20, 0), 3)) == list(range(1, 21))
    assert list(run(abs, range(-5, 0), 1)) == [5, 4, 3, 2, 1]


def test_workers_are_other_processes():
    own = {os.getpid()}
    assert own.isdisjoint(run(_pid, [1, 2, 3], 2))


def _pid(_):
    return os.getpid()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ConfigurationError("one"), "one"),
        (SqlError("two", origin="q.sql", line=3, column=4), "q.sql:3:4: two"),
        (KeyError("three"), "three"),
    ],
)
def test_errors_are_carried_over(error, text):
    with pytest.raises(type(error), match=text):
        list(run(_raise, [error, error], 2))


def _raise(error):
    raise error


def test_a_worker_that_dies_is_an_error():
    with pytest.raises(SetUpError, match=r"ended unasked \(exit code -9\)"):
        list(run(_die, [1, 2], 2))


def _die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys, time\n"
        "from workloads.folding.processes import run\n"
        "found = run(__import__('os').getpgid, [0, 0, 0, 0], 2)\n"
        "print(next(found), next(found), flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with parent:
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert parent.pid not in workers
        parent.kill()
    deadline = time.monotonic() + 20
    while any(_alive(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
