"""Effects of the solver on its process: interruptions that it swallows, output that it makes."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STANDARD_OUTPUT = 1


@contextmanager
def kept_interrupts() -> Iterator[None]:
    """Raise an interruption that came inside the block at its end.

    MathOpt clears an exception that a signal's handler raises while it converts its answer, and
    the interruption would be lost. Signals reach the main thread alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def keep(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)

    before = {each: signal.signal(each, keep) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


@contextmanager
def silenced_output() -> Iterator[None]:
    """Keep what HiGHS now and then prints, asked or not, off our standard output.

    It writes to the file descriptor: a JSON document would no longer be one.
    """
    sys.stdout.flush()
    kept = os.dup(STANDARD_OUTPUT)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, STANDARD_OUTPUT)
        yield
    finally:
        os.dup2(kept, STANDARD_OUTPUT)
        os.close(kept)
        os.close(nowhere)
