"""A process that loads a table and kills itself after its n-th statement."""

import multiprocessing
import os
import signal
import sys
import threading
from types import FrameType

# Imported once, by the server that the processes are forks of: each would take a second for it.
import duckdb  # noqa: F401
import psycopg  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pymysql  # noqa: F401

from evaluation.kinds import BACKENDS
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Table

STATEMENTS = frozenset({"execute", "commit", "begin", "__exit__", "request", "act"})
OURS = ("evaluation.stores.", "evaluation.objects.")


class Dying:
    """Counts statements that our stores finish; the process dies with the last one."""

    def __init__(self, statements: int) -> None:
        self.left = statements

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "return" and frame.f_code.co_name in STATEMENTS and frame.f_back is not None:
            self.count(frame.f_back)
        elif event == "c_return" and getattr(argument, "__name__", "") in STATEMENTS:
            self.count(frame)

    def count(self, caller: FrameType) -> None:
        if str(caller.f_globals.get("__name__", "")).startswith(OURS):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def _load(connection: Connection, table: Table, statements: int) -> None:
    dying = Dying(statements)
    threading.setprofile(dying)
    sys.setprofile(dying)
    BACKENDS[connection.kind].load(connection, table)


def exit_code(connection: Connection, table: Table, statements: int, timeout_s: float) -> int:
    """Load in such a process; return 0 if the load needs fewer statements, else minus SIGKILL."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    process = forks.Process(target=_load, args=(connection, table, statements))
    process.start()
    process.join(timeout_s)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise TimeoutError(f"the load has not ended after {timeout_s:g} s")
    return process.exitcode
