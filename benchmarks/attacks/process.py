"""Commands in a process that lives on from one to the next, or in one of their own."""

import contextlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from benchmarks.attacks.environment import environment

LATE_S = 60.0
"""A command that takes longer is a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of a command: exit code (negative for a signal; None where it was late), output."""

    code: int | None
    out: str
    err: str
    seconds: float

    @property
    def late(self) -> bool:
        return self.code is None


class Served:
    """A process that runs commands one after another; one that dies or is late is replaced."""

    def __init__(self, folder: Path) -> None:
        self._environment = environment(folder)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, arguments: Sequence[str], folder: Path) -> Ended:
        """Run a command in a folder."""
        began = time.monotonic()
        process = self._started()
        request = json.dumps([list(arguments), str(folder)]).encode()
        pipes = process.stdin, process.stdout
        assert pipes[0] is not None
        assert pipes[1] is not None
        with contextlib.suppress(BrokenPipeError):
            pipes[0].write(request + b"\n")
            pipes[0].flush()
        # The process says nothing but one line an answer, so that nothing lies in our buffer.
        if not select.select([pipes[1]], [], [], LATE_S)[0]:
            self._end()
            return Ended(code=None, out="", err="", seconds=time.monotonic() - began)
        line = pipes[1].readline()
        seconds = time.monotonic() - began
        if not line:
            code = process.wait()
            self._process = None
            return Ended(code=code, out="", err="the process ended", seconds=seconds)
        code, out, err = json.loads(line)
        return Ended(code=code, out=out, err=err, seconds=seconds)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.attacks.process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=self._environment,
                start_new_session=True,
            )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None


def run_fresh(arguments: Sequence[str], folder: Path, root: Path) -> Ended:
    """Run a command in a process of its own."""
    began = time.monotonic()
    command = [sys.executable, "-m", "advisor", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(root),
            capture_output=True,
            check=False,
            timeout=LATE_S,
        )
    except subprocess.TimeoutExpired:
        return Ended(code=None, out="", err="", seconds=time.monotonic() - began)
    return Ended(
        code=done.returncode,
        out=done.stdout.decode(errors="replace"),
        err=done.stderr.decode(errors="replace"),
        seconds=time.monotonic() - began,
    )


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Run the commands that are asked for, the process's side."""
    from advisor.commands import cli

    for line in requests:
        arguments, folder = json.loads(line)
        os.chdir(folder)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = cli.main(arguments)
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
        answer = json.dumps([code, out.getvalue(), err.getvalue()])
        answers.write(answer.encode() + b"\n")
        answers.flush()
    os.chdir("/")


if __name__ == "__main__":
    # What else is printed must not get between the answers.
    answering = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answering)
