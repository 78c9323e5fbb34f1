"""A process that loads a table and kills itself after its n-th statement.

Standard input has a pickled (connection, table, n). It ends with 0 if the load needs fewer.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from evaluation.stores import BACKENDS

STATEMENTS = frozenset({"execute", "commit", "begin", "__exit__"})


class InProcess:
    """As much of a Spark session as loading needs, without Java."""

    defaultParallelism = 2  # noqa: N815 - Spark's name

    @property
    def sparkContext(self) -> "InProcess":  # noqa: N802 - Spark's name
        return self

    def parallelize(self, parts: Sequence[Any], _: int) -> "InProcess":
        self.parts = parts
        return self

    def map(self, function: Callable[[Any], int]) -> "InProcess":
        self.function = function
        return self

    def collect(self) -> list[int]:
        return [self.function(part) for part in self.parts]


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
        if str(caller.f_globals.get("__name__", "")).startswith("evaluation.stores."):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    connection, table, statements = pickle.load(sys.stdin.buffer)
    sys.setprofile(Dying(statements))
    BACKENDS[connection.kind].load(InProcess(), connection, table)  # type: ignore[arg-type]
