"""Runs several nodes on this machine's loopback, as one embedded store: a process each.

``python -m evaluation.servers.object_nodes --nodes 2 --port PORT --memory BYTES …``; the first
node has the port, by which clients find the others.
"""

import argparse
import os
import shutil
import signal
import sys
from pathlib import Path

from evaluation.objects.errors import ObjectError
from evaluation.objects.node import LOOPBACK, secret, serve
from evaluation.processes.launch import die_with

_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})


def main() -> None:
    """Start the nodes and wait; a signal to stop ends them, and all their memory is given back."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.servers.object_nodes")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--memory", type=int, required=True, help="bytes of all nodes together")
    parser.add_argument("--secret-file", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    given.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    running = {_start(number, given): number for number in range(1, given.nodes + 1)}
    failed = False
    while running and not failed:
        if signal.sigwait(_SIGNALS) is not signal.SIGCHLD:
            break
        for pid, status in _ended(running):
            number = running.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            print(f"node {number} has ended with {code}", flush=True)  # noqa: T201
            # One that was killed is lost with what it holds; one that gave up cannot be had.
            failed = code >= 0
    for pid in running:
        os.kill(pid, signal.SIGTERM)
    for pid in running:
        os.waitpid(pid, 0)
    # What a killed node left as well: nobody starts it again without the others.
    shutil.rmtree(given.folder, ignore_errors=True)
    sys.exit(1 if failed else 0)


def _start(number: int, given: argparse.Namespace) -> int:
    """Start one node in a process of its own, before this one has any threads."""
    parent = os.getpid()
    if pid := os.fork():
        return pid
    try:
        die_with(parent, signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        serve(
            name=f"node-{number}",
            listen=f"{LOOPBACK}:{given.port if number == 1 else 0}",
            capacity_bytes=given.memory // given.nodes,
            join=() if number == 1 else (f"{LOOPBACK}:{given.port}",),
            key=secret(given.secret_file),
            folder=given.folder / f"node-{number}",
        )
    except ObjectError as error:
        print(f"node {number}: {error}", flush=True)  # noqa: T201
    finally:
        os._exit(1)


def _ended(running: dict[int, int]) -> list[tuple[int, int]]:
    found = [os.waitpid(pid, os.WNOHANG) for pid in running]
    return [(pid, status) for pid, status in found if pid]


if __name__ == "__main__":
    main()
