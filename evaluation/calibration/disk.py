"""Rates of a disk that prices need: reads in order, and single pages anywhere.

Reads in order are as what the operating system reads ahead. Reads of a database's pages one after
another, each when the one before has come, tell what a scan gets that the disk does not see ahead
of. It is our own code since what PyPI has either drives fio, a package of the operating system, or
lets the page cache answer.
"""

import errno
import mmap
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter

from evaluation.calibration.uncached_file import PageCache, UncachedFile, uncached_file
from workloads.errors import SetUpError
from workloads.progress import Progress, Task

SEQUENTIAL_BYTES = 1 << 20
SCANNED_BYTES = 16384
"""A block that is read alone: InnoDB's page."""

_PHASES = 3
# The server beside us must not find its disk full.
_ROOM = 2
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_NOT_OURS = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRate:
    """So many reads of `block_bytes`, one after another, took `seconds`."""

    reads: int
    block_bytes: int
    seconds: float
    page_cache: PageCache

    @property
    def bytes_per_s(self) -> float:
        """Bytes read a second."""
        return self.reads * self.block_bytes / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskProfile:
    """The rates of one disk, in a file of `file_bytes`: less than asked for where it is slow.

    `single_read` is of pages anywhere, one at a time; None in a calibration from before it was.
    """

    file_bytes: int
    sequential_read: ReadRate
    single_read: ReadRate | None = None


def disk_profile(
    folder: Path,
    *,
    seconds: float = 6.0,
    file_bytes: int = 1 << 30,
    seed: int = 0,
    progress: Progress,
) -> DiskProfile:
    """Measure the disk of `folder` in a file of its own, which is gone afterwards in any case.

    Writing the file and each of the two rates take a third of `seconds` at most, and the time of a
    flush. The file is of whole MiB, one at least. `seed` is that of the offsets and of the content.

    Raises:
        SetUpError: The disk has not twice the room, or the folder cannot be written to.
    """
    with (
        measuring(folder, file_bytes, progress, _PHASES) as (offsets, task),
        uncached_file(folder) as file,
    ):
        return _profile(file, offsets, seconds / _PHASES, seed, task)


@contextmanager
def measuring(
    folder: Path, file_bytes: int, progress: Progress, phases: int
) -> Iterator[tuple[range, Task]]:
    """Yield the offsets of a file's blocks, and a task of so many `phases`.

    Raises:
        SetUpError: The disk has not twice the room, or it fails while it is measured.
    """
    offsets = range(0, max(1, file_bytes // SEQUENTIAL_BYTES) * SEQUENTIAL_BYTES, SEQUENTIAL_BYTES)
    with disk_told(folder):
        refuse_without_room(folder, offsets.stop)
        with progress.task(f"Measuring the disk of {folder}", total=phases) as task:
            yield offsets, task


def _profile(
    file: UncachedFile, offsets: range, limit_s: float, seed: int, task: Task
) -> DiskProfile:
    """Write the file, read it in order, read pages of it anywhere."""
    # A slow disk has not written all of it in time.
    offsets = offsets[: written(file, offsets, seed, limit_s)]
    task.advance()
    sequential = read_rate(file, cycle(offsets), SEQUENTIAL_BYTES, limit_s)
    task.advance()
    file.read_anywhere()
    anywhere = offsets_anywhere(Random(seed), offsets.stop, SCANNED_BYTES)  # noqa: S311
    single = read_rate(file, anywhere, SCANNED_BYTES, limit_s)
    task.advance()
    return DiskProfile(file_bytes=offsets.stop, sequential_read=sequential, single_read=single)


def written(file: UncachedFile, offsets: range, seed: int, limit_s: float) -> int:
    """Write a block at each offset until `limit_s` is over, one at least; return how many."""
    count = 0
    with mmap.mmap(-1, SEQUENTIAL_BYTES) as buffer:
        # Nothing that a disk could pack or knows already.
        buffer[:] = Random(seed).randbytes(SEQUENTIAL_BYTES)  # noqa: S311
        deadline = perf_counter() + limit_s
        for offset in offsets:
            file.write(buffer, offset)
            count += 1
            if perf_counter() >= deadline:
                break
    file.flush()
    return count


def offsets_anywhere(random: Random, file_bytes: int, block_bytes: int) -> Iterator[int]:
    """Yield the offset of any block, for ever."""
    blocks = file_bytes // block_bytes
    while True:
        yield random.randrange(blocks) * block_bytes


def read_rate(
    file: UncachedFile, offsets: Iterable[int], block_bytes: int, limit_s: float
) -> ReadRate:
    """Read a block at each offset, one by one, until `limit_s` is over; one at least."""
    reads = 0
    with mmap.mmap(-1, block_bytes) as buffer:
        started = perf_counter()
        for offset in offsets:
            file.read(buffer, offset)
            reads += 1
            if perf_counter() >= started + limit_s:
                break
        seconds = perf_counter() - started
    return ReadRate(
        reads=reads, block_bytes=block_bytes, seconds=seconds, page_cache=file.page_cache()
    )


def refuse_without_room(folder: Path, file_bytes: int) -> None:
    """Raise SetUpError unless twice `file_bytes` are free on the disk of `folder`."""
    wanted, free = _ROOM * file_bytes, shutil.disk_usage(folder).free
    if free < wanted:
        raise SetUpError(
            f"The disk of {folder} cannot be measured, {free / 1e6:,.0f} MB are free of the "
            f"{wanted / 1e6:,.0f} MB that must be, twice what the file takes: make room there."
        )


@contextmanager
def disk_told(folder: Path) -> Iterator[None]:
    """Turn what the disk or the folder refuses into a SetUpError that says what to do."""
    try:
        yield
    except OSError as error:
        way_out = "see what the system's log says of it"
        if error.errno in _NO_ROOM:
            way_out = "make room there"
        elif error.errno in _NOT_OURS:
            way_out = "it must be a folder that the advisor may write to"
        raise SetUpError(
            f"The disk of {folder} cannot be measured ({error.strerror}): {way_out}."
        ) from error
