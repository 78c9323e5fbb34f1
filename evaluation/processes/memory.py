"""The memory that processes may take: the machine's, or less in a container."""

import os
from collections.abc import Iterator
from pathlib import Path

_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


def usable_memory_bytes(own_groups: Path = _OWN_GROUPS, groups: Path = _GROUPS) -> int:
    """Return the bytes of memory that this process and those that it starts may take.

    They are the machine's, or the least limit of its control groups (cgroups, version 1 or 2).
    `own_groups` names them, and `groups` is the folder with all of them.
    """
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((physical, *_limits(own_groups, groups)))


def _limits(own_groups: Path, groups: Path) -> Iterator[int]:
    try:
        lines = own_groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, name = groups, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = groups / "memory", "memory.limit_in_bytes"
        else:
            continue
        own = root / path.lstrip("/")
        # In a container the path may be that outside of it: the limit is then in the root.
        for folder in (own, *own.parents):
            if folder.is_relative_to(root):
                yield from _limit(folder / name)


def _limit(file: Path) -> Iterator[int]:
    try:
        yield int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # "max" says that there is none.
        return
