"""Ctrl-C and SIGTERM, raised again where something has swallowed them.

A signal's handler raises between any two steps of the main thread: within an import too, whose own
``except`` may take the exception and go on, or within a library's clean-up. So the signal is also
recorded. Each second after it a timer looks what the main thread does: where it is not leaving by
that exception, the exception has been swallowed, and it is raised anew.
"""

import signal
import sys
from types import FrameType, TracebackType
from typing import Self

AGAIN_S = 1.0
"""So long after a signal, and again and again, it is looked whether it was swallowed."""


class Interrupts:
    """Signals raise KeyboardInterrupt within the block, `came` says whether one did.

    SIGINT stays ignored where it was, as in the background of a shell. SIGTERM goes on to raise
    after the block, so that what Python does at its end is not cut off.
    """

    def __init__(self) -> None:
        self.came = False
        self._is_inside = False

    def __enter__(self) -> Self:
        self._is_inside = True
        self._interrupt = signal.getsignal(signal.SIGINT)
        self._alarm = signal.signal(signal.SIGALRM, self._look)
        signal.signal(signal.SIGTERM, self._arrived)
        if self._interrupt is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._arrived)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_inside = False
        if self.came:
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._alarm)
        signal.signal(signal.SIGINT, self._interrupt)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._is_inside:
            self.came = True
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
        raise KeyboardInterrupt

    def _look(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._is_inside and not is_leaving(sys.exception()):
            raise KeyboardInterrupt


def is_leaving(error: BaseException | None) -> bool:
    """Whether what is being handled is an interruption, or came of one."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        if isinstance(each, KeyboardInterrupt):
            return True
        seen.add(id(each))
        waiting += [each.__context__, each.__cause__]
    return False
