"""A process whose reads from the disk, page cache or processors are limited: Linux's cgroups, v1.

Groups are made below those that we are in, and removed afterwards; this needs root.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PERIOD_US = 10_000
"""Within so long a process that has used up its share stands still: short beside a statement."""


@contextmanager
def few_reads(pid: int, folder: Path, reads_per_s: int) -> Iterator[None]:
    """Let a process read so many requests a second from the disk of `folder`."""
    device = folder.stat().st_dev
    # Limits are of whole disks: a partition's number is its disk's and a few more.
    disk = (Path("/sys/dev/block") / f"{os.major(device)}:{os.minor(device)}").resolve()
    whole = disk if (disk / "queue").is_dir() else disk.parent
    number = (whole / "dev").read_text().strip()
    with _group("blkio", pid) as group:
        (group / "blkio.throttle.read_iops_device").write_text(f"{number} {reads_per_s}")
        yield


@contextmanager
def little_memory(pid: int, limit_bytes: int) -> Iterator[None]:
    """Let a process have so much memory, the pages of the files that it reads and writes in it."""
    with _group("memory", pid) as group:
        (group / "memory.limit_in_bytes").write_text(str(limit_bytes))
        yield


@contextmanager
def little_cpu(pid: int, cores: float) -> Iterator[None]:
    """Let a process and those that it starts have so many processors' time together."""
    with _group("cpu", pid) as group:
        (group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(round(cores * _PERIOD_US)))
        yield


@contextmanager
def _group(controller: str, pid: int) -> Iterator[Path]:
    own = _own(controller)
    group = own / f"placement-advisor-{os.getpid()}-{pid}"
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(pid))
        yield group
    finally:
        for each in (group / "cgroup.procs").read_text().split():
            (own / "cgroup.procs").write_text(each)
        group.rmdir()


def _own(controller: str) -> Path:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return _ROOT / controller / path.removeprefix("/")
    raise OSError(f"no control group of version 1 limits {controller} here")
