"""Processes that end with us, or that are found again by a handle that cannot name another."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from evaluation.processes import launch
from workloads.errors import SetUpError

_POLL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the machine and its group, by number."""

    uid: int
    gid: int

    def own(self, path: Path) -> None:
        """Give `path` to this user."""
        os.chown(path, self.uid, self.gid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command to run: nothing secret may stand in `arguments`, every user can read them.

    `user` is whom to become (None: nobody else). `stop_signal` asks for an orderly end.
    """

    arguments: tuple[str, ...]
    stop_signal: signal.Signals = signal.SIGTERM
    user: User | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """One process, told apart from a later one with the same pid by its start."""

    pid: int
    start_ticks: int
    boot: str

    def alive(self) -> bool:
        """Tell whether this very process still runs."""
        return boot_id() == self.boot and launch.start_ticks(self.pid) == self.start_ticks

    def stop(self, stop_signal: signal.Signals, *, timeout_s: float = 30) -> None:
        """Ask the process to end in order, and kill it if it has not after `timeout_s`."""
        for number, wait_s in ((stop_signal, timeout_s), (signal.SIGKILL, 10.0)):
            if not self.alive():
                return
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return
            self._wait(wait_s)

    def _wait(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while self.alive() and time.monotonic() < deadline:
            time.sleep(_POLL_S)


def boot_id() -> str:
    """Return the kernel's name for the time since the machine started."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def bare_environment(home: Path) -> Mapping[str, str]:
    """Return the environment of a server: nothing of ours, which may hold secrets."""
    return {"PATH": os.defpath, "HOME": str(home), "LC_ALL": "C", "TZ": "UTC"}


def start(
    program: Program,
    *,
    folder: Path,
    output: IO[bytes] | int,
    standard_input: IO[bytes] | int = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
    inherited: Sequence[int] = (),
    state_file: Path | None = None,
    state: Mapping[str, object] | None = None,
    kept: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start `program` in a session of its own, so that Ctrl-C reaches us alone.

    Unless `kept`, the kernel asks it to stop when the calling thread ends, however it ends: call
    this from a thread that lives as long as the process is to. The process writes `state`, its
    pid and its start to `state_file` before it becomes the program.

    Raises:
        SetUpError: This process may not execute its own interpreter, which starts the program.
    """
    options = {
        "parent": None if kept else os.getpid(),
        "death_signal": int(program.stop_signal),
        "user": None if program.user is None else (program.user.uid, program.user.gid),
        "state_file": None if state_file is None else str(state_file),
        "state": dict(state or {}),
    }
    command = [sys.executable, "-I", "-S", launch.__file__, json.dumps(options)]
    try:
        return subprocess.Popen(
            [*command, *program.arguments],
            cwd=folder,
            env=dict(bare_environment(folder) if environment is None else environment),
            stdin=standard_input,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=tuple(inherited),
            start_new_session=True,
        )
    except OSError as error:
        if error.filename != sys.executable:
            raise
        raise SetUpError(
            f"The interpreter {sys.executable} cannot be executed ({error.strerror}), and every "
            f"server is started by it: {launch.WAY_OUT}."
        ) from error


@contextmanager
def started(program: Program, **options: Any) -> Iterator["subprocess.Popen[bytes]"]:  # noqa: ANN401
    """Run `program` for the length of the block and end it if it has not ended by itself."""
    process = start(program, **options)
    try:
        yield process
    finally:
        stop(process, program.stop_signal)


def stop(
    process: "subprocess.Popen[bytes]", stop_signal: signal.Signals, *, timeout_s: float = 30
) -> None:
    """End a child in order, by force after `timeout_s`, and reap it."""
    if process.poll() is not None:
        return
    process.send_signal(stop_signal)
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
