"""A disk's rates by the size of its requests, as the memory of hash joins needs them.

The sweep is that of the study on hash joins and SSDs (Suzuki and others, section 4): reads anywhere
and appends from 4 KiB to 1 MiB, and reads in order while another file is appended.
"""

import mmap
import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random
from time import perf_counter

from evaluation.calibration.disk import (
    SEQUENTIAL_BYTES,
    measuring,
    offsets_anywhere,
    read_rate,
    written,
)
from evaluation.calibration.uncached_file import PageCache, UncachedFile, uncached_file
from placement.memory.disk import MIXED_READS, DiskRates
from workloads.progress import Progress, Task

REQUEST_BYTES = tuple(4096 << power for power in range(9))
"""Sizes of requests that are measured: 4 KiB to 1 MiB."""

_VM = Path("/proc/sys/vm")
_MEMORY = Path("/proc/meminfo")
_DEVICES = Path("/sys/dev/block")
_SCHEDULED = Path("/proc/thread-self/schedstat")
# Nothing takes less: a clock of the scheduler may be ahead of the other one.
_LEAST_S = 1e-6
# The file is written, each size is read and appended, and there are two rates of reading in order.
_PHASES = 1 + 2 * len(REQUEST_BYTES) + 2
_UNDER_WAY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptDisk:
    """The rates of a disk, with the bytes of the file that was read and of all that was written.

    `page_cache` tells whether the rates are those of a disk at all.
    """

    rates: DiskRates
    file_bytes: int
    written_bytes: int
    page_cache: PageCache


def swept_disk(
    folder: Path,
    *,
    seconds: float = 6.0,
    file_bytes: int = 256 << 20,
    seed: int = 0,
    progress: Progress,
) -> SweptDisk:
    """Measure the disk of `folder` in files of its own, which are gone afterwards in any case.

    Each rate has its share of `seconds`, and the time of a flush. A file has `file_bytes` at most,
    in whole MiB; appends, of each size and beside reads, end after a quarter of it. `seed` is that
    of the offsets and of the content.

    Raises:
        SetUpError: The disk has not twice the room, or the folder cannot be written to.
    """
    with (
        measuring(folder, file_bytes, progress, _PHASES) as (offsets, task),
        uncached_file(folder) as read,
        uncached_file(folder) as appended,
    ):
        random = Random(seed)  # noqa: S311
        return _Sweep(read, appended, seconds / _PHASES, random, task).run(offsets, seed)


@dataclass(frozen=True, slots=True)
class _Sweep:
    read: UncachedFile
    appended: UncachedFile
    limit_s: float
    random: Random
    task: Task

    def run(self, offsets: range, seed: int) -> SweptDisk:
        offsets = offsets[: written(self.read, offsets, seed, self.limit_s)]
        self.task.advance()
        room = max(SEQUENTIAL_BYTES, offsets.stop // 4)
        sequential_s = self._read_s(cycle(offsets), SEQUENTIAL_BYTES)
        mixed, mixed_bytes = self._mixed(offsets, room)
        self.read.read_anywhere()
        reads, appends, appended_bytes = {}, {}, 0
        for size in REQUEST_BYTES:
            anywhere = offsets_anywhere(self.random, offsets.stop, size)
            reads[size] = self._read_s(anywhere, size)
            appends[size], count = self._appends(size, room)
            appended_bytes += count
        return SweptDisk(
            rates=DiskRates(
                read_s=reads,
                append_s=appends,
                sequential_read_bytes_per_s=SEQUENTIAL_BYTES / sequential_s,
                mixed_read_bytes_per_s=mixed,
                read_ahead_bytes=read_ahead_bytes(os.fstat(self.read.descriptor).st_dev),
                gathered_bytes=gathered_bytes(SEQUENTIAL_BYTES / appends[SEQUENTIAL_BYTES]),
            ),
            file_bytes=offsets.stop,
            written_bytes=offsets.stop + mixed_bytes + appended_bytes,
            page_cache=self.read.page_cache(),
        )

    def _read_s(self, offsets: Iterable[int], size: int) -> float:
        """Return the seconds of a read of `size`."""
        waited_s = queued_s()
        rate = read_rate(self.read, offsets, size, self.limit_s)
        self.task.advance()
        return max(_LEAST_S, rate.seconds - (queued_s() - waited_s)) / rate.reads

    def _appends(self, size: int, room: int) -> tuple[float, int]:
        """Append requests of `size` for a while; return the seconds of each, and all bytes."""
        count = 0
        with mmap.mmap(-1, size) as buffer:
            buffer[:] = self.random.randbytes(size)
            started, waited_s = perf_counter(), queued_s()
            for offset in range(0, room, size):
                self.appended.write(buffer, offset)
                count += 1
                if perf_counter() >= started + self.limit_s:
                    break
            self.appended.flush()
            seconds = perf_counter() - started - (queued_s() - waited_s)
        self.task.advance()
        return max(_LEAST_S, seconds) / count, count * size

    def _mixed(self, offsets: range, room: int) -> tuple[float, int]:
        """Read in order, and append a request for every three; return bytes a second, appended.

        Another thread appends, as the operating system writes while a server reads.
        """
        read = 0
        appends: list[Future[None]] = []
        with (
            mmap.mmap(-1, SEQUENTIAL_BYTES) as buffer,
            mmap.mmap(-1, SEQUENTIAL_BYTES) as content,
            ThreadPoolExecutor(1) as writer,
        ):
            content[:] = self.random.randbytes(SEQUENTIAL_BYTES)
            offsets_read = cycle(offsets)
            started, waited_s = perf_counter(), queued_s()
            for end in range(0, room, SEQUENTIAL_BYTES):
                appends.append(writer.submit(self.appended.write, content, end))
                if len(appends) > _UNDER_WAY:
                    appends[-_UNDER_WAY].result()
                for offset in islice(offsets_read, MIXED_READS):
                    self.read.read(buffer, offset)
                    read += SEQUENTIAL_BYTES
                if perf_counter() >= started + self.limit_s:
                    break
            for each in appends:
                each.result()
            self.appended.flush()
            seconds = perf_counter() - started - (queued_s() - waited_s)
        self.task.advance()
        return read / max(_LEAST_S, seconds), len(appends) * SEQUENTIAL_BYTES


def queued_s() -> float:
    """Return the seconds in which this thread could have run and others did; 0 where unknown.

    On a busy machine most of a request's seconds are such, and none of them is the disk's.
    """
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def gathered_bytes(append_bytes_per_s: float) -> float | None:
    """Return the bytes of appends that Linux holds back; None where it does not say.

    It begins to write once so many bytes are changed (`dirty_background_bytes`, or a share of the
    memory that is available), or when a change is old (`dirty_expire_centisecs`): what a disk takes
    in that time is gathered at most.
    """
    try:
        bound = int((_VM / "dirty_background_bytes").read_text())
        share = int((_VM / "dirty_background_ratio").read_text()) / 100
        oldest_s = int((_VM / "dirty_expire_centisecs").read_text()) / 100
    except (OSError, ValueError):
        return None
    available = available_bytes()
    if not bound and available is None:
        return None
    return min(bound or share * (available or 0), oldest_s * append_bytes_per_s)


def read_ahead_bytes(device: int) -> float | None:
    """Return the bytes that Linux reads at once of a file on a device; None where unknown."""
    found = (_DEVICES / f"{os.major(device)}:{os.minor(device)}").resolve()
    # A partition has none of its own.
    for folder in (found, found.parent):
        try:
            return float((folder / "queue" / "read_ahead_kb").read_text()) * 1024
        except (OSError, ValueError):
            continue
    return None


def available_bytes() -> float | None:
    """Return the memory that programs and the page cache may still take; None where unknown."""
    try:
        lines = dict(line.split(":", 1) for line in _MEMORY.read_text().splitlines())
        return float(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
