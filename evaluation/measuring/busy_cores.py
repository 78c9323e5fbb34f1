"""The cores of this machine that are busy, by its kernel's count."""

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

_COUNT = Path("/proc/stat")
_IDLE = slice(3, 5)
_OTHERS = slice(7, 10)
"""Fields that are no work of this machine: it was idle or waited for a disk; a host gave its cores
to others, and guests, whose time is the user's too."""


def counted() -> Callable[[], float | None]:
    """Begin to count; return what tells how many cores were busy since, on the mean.

    Whatever runs on the machine counts: stores, the engine and its driver. None where there is no
    such count, as on systems other than Linux, or where no time has gone.
    """
    began_s, began = _core_s(), perf_counter()

    def busy_cores() -> float | None:
        ended_s, took_s = _core_s(), perf_counter() - began
        if began_s is None or ended_s is None or took_s <= 0:
            return None
        return max(0.0, ended_s - began_s) / took_s

    return busy_cores


def _core_s() -> float | None:
    """Return the core-seconds that were busy since the machine started."""
    try:
        first, *_ = _COUNT.read_text(encoding="ascii").splitlines()
        ticks = list(map(int, first.split()[1:]))
    except (OSError, ValueError):
        return None
    return (sum(ticks) - sum(ticks[_IDLE]) - sum(ticks[_OTHERS])) / os.sysconf("SC_CLK_TCK")
