"""CPU seconds of processes with all that they started."""

import os
from collections.abc import Iterable
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat behind the name of the program: the parent, and ticks of the process and
# of the children that it has waited for, in user and in system mode.
_PARENT, _TICKS = 1, slice(11, 15)


def cpu_s(roots: Iterable[int]) -> float:
    """Return the CPU seconds of the processes `roots` and of their descendants, until now."""
    parents, ticks = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # It has ended meanwhile.
            continue
        fields = stat.rpartition(")")[2].split()
        parents[int(folder.name)] = int(fields[_PARENT])
        ticks[int(folder.name)] = sum(map(int, fields[_TICKS]))
    counted = set(roots)
    return sum(ticks[each] for each in ticks if _is_below(each, counted, parents)) / _TICKS_PER_S


def _is_below(process: int, roots: set[int], parents: dict[int, int]) -> bool:
    while process in parents:
        if process in roots:
            return True
        process = parents[process]
    return False
