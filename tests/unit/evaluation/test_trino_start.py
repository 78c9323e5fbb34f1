"""A Trino of ours that does not come to answer is told apart from one that has ended."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluation.engines import trino_server
from workloads.errors import SetUpError

NOBODY = "http://127.0.0.1:9"


@contextmanager
def running(code: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program in Trino's place, and end it with the block."""
    with subprocess.Popen([sys.executable, "-S", "-c", code]) as found:
        try:
            yield found
        finally:
            found.kill()


def test_a_trino_that_is_not_ready_in_time_is_no_fault_of_its_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(trino_server, "READY_S", 0.1)
    log = tmp_path / "server.log"
    log.write_text("WARNING: a terminally deprecated method has been called\n")
    late = pytest.raises(SetUpError, match=r"not started in 0\.1 s: let the machine's")
    with running("import time; time.sleep(60)") as alive, late as failed:
        trino_server._await(NOBODY, alive, log)
    assert "WARNING" not in str(failed.value)


def test_a_trino_that_ended_is_told_with_its_reasons_alone(tmp_path: Path):
    log = tmp_path / "server.log"
    log.write_text(
        "INFO: begins\n1) Error: Invalid value 'x' for http-server.http.port\nat line 3\n"
    )
    with running("") as ended:
        ended.wait()
        with pytest.raises(SetUpError) as failed:
            trino_server._await(NOBODY, ended, log)
    reason = "1) Error: Invalid value 'x' for http-server.http.port"
    assert str(failed.value) == f"Trino ended while it started: {reason}"
