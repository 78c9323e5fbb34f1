"""A process that loads a table and kills itself after its n-th statement.

Standard input has a pickled (connection, table, n). It ends with 0 if the load needs fewer.
"""

import os
import pickle
import signal
import sys
import threading
from types import FrameType

from evaluation.stores import BACKENDS

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


if __name__ == "__main__":
    connection, table, statements = pickle.load(sys.stdin.buffer)
    dying = Dying(statements)
    threading.setprofile(dying)
    sys.setprofile(dying)
    BACKENDS[connection.kind].load(connection, table)
