"""Nodes of the object store, each a process of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.objects.client import ObjectClient
from evaluation.objects.errors import (
    FullError,
)
from evaluation.objects.node import SECRET_VARIABLE

MIB = 1 << 20

SECRET = "a secret of the tests"


class Nodes:
    """Nodes of this test's own, each a process that can be killed and started again."""

    def __init__(self, folder: Path, memory: int = 16 * MIB) -> None:
        self.folder = folder
        self.memory = memory
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.addresses: dict[str, str] = {}

    def start(self, *names: str) -> None:
        for name in names:
            command = [sys.executable, "-m", "evaluation.objects.node", "--name", name]
            command += ["--memory", str(self.memory), "--folder", str(self.folder / name)]
            command += [part for address in self.addresses.values() for part in ("--join", address)]
            if name in self.addresses:
                command += ["--listen", self.addresses[name]]
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, SECRET_VARIABLE: SECRET},
            )
            self.processes[name] = process
            assert process.stdout is not None
            said = process.stdout.readline()
            self.addresses[name] = said.rsplit(maxsplit=1)[-1]
        with self.client() as client:
            wait_until(lambda: client.refresh() or len(client.members) >= len(self.addresses))

    def client(self, *, mapped: bool = True, at: str | None = None) -> ObjectClient:
        address = self.addresses[at] if at else next(iter(self.addresses.values()))
        return ObjectClient([address], SECRET, mapped=mapped)

    def end(self, name: str, number: signal.Signals) -> None:
        process = self.processes.pop(name)
        process.send_signal(number)
        with process:
            process.wait()


def wait_until(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@contextmanager
def started(folder: Path, *names: str, memory: int = 16 * MIB) -> Iterator[Nodes]:
    nodes = Nodes(folder, memory)
    try:
        nodes.start(*names)
        yield nodes
    finally:
        for name in list(nodes.processes):
            nodes.end(name, signal.SIGTERM)


def put(client: ObjectClient, size: int) -> bool:
    """Whether there is room; what is held elsewhere is let go of a moment later."""
    try:
        client.delete([client.put(bytes(size), node="ann")])
    except FullError:
        return False
    return True
