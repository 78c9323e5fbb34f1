"""Rates of a disk: sequential reads and writes, random reads, random reads among writes.

Reads of a database's pages one after another, each when the one before has come, tell what a scan
gets that the disk does not see ahead of.

The mixture is 75 % reads of pages anywhere in one file, and 25 % writes among them, several at a
time. Suzuki and others (Comprehensive Analytics of Large Data Query Processing on Relational
Database with SSDs, section 4.3) have the same share but another mixture: three reads in order of
one file, then one write at the end of another. It is our own code since what PyPI has either
drives fio, a package of the operating system, or lets the page cache answer.
"""

import errno
import mmap
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle, repeat
from pathlib import Path
from random import Random
from threading import Event
from time import perf_counter

from evaluation.calibration.uncached_file import PageCache, UncachedFile, uncached_file
from workloads.errors import SetUpError
from workloads.progress import Progress, Task

PAGE_BYTES = 8192
"""A block of the random requests: PostgreSQL's page."""
SEQUENTIAL_BYTES = 1 << 20
QUEUE_DEPTH = 16
"""Random requests at a time; those in order come one by one."""
READ_SHARE = 0.75
SCANNED_BYTES = 16384
"""A block that is read alone: InnoDB's page."""

_PHASES = 5
# The server beside us must not find its disk full.
_ROOM = 2
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_NOT_OURS = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR}
_Request = tuple[bool, int]
"""Whether it writes, and at which offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IoRate:
    """So many reads and writes of `block_bytes` took `seconds`, with `queue_depth` at a time.

    The seconds include the flush of what was written. Our own part of a request is some
    microseconds: memory itself answers no more than about 300,000 a second this way.
    """

    reads: int
    writes: int
    block_bytes: int
    queue_depth: int
    seconds: float
    page_cache: PageCache

    @property
    def operations_per_s(self) -> float:
        """Reads and writes a second."""
        return (self.reads + self.writes) / self.seconds

    @property
    def bytes_per_s(self) -> float:
        """Bytes read and written a second."""
        return self.operations_per_s * self.block_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskProfile:
    """The rates of one disk, in a file of `file_bytes`: less than asked for where it is slow.

    `single_read` is of pages anywhere, one at a time; None in a calibration from before it was.
    """

    file_bytes: int
    sequential_write: IoRate
    sequential_read: IoRate
    random_read: IoRate
    mixed: IoRate
    single_read: IoRate | None = None


def disk_profile(
    folder: Path,
    *,
    seconds: float = 10.0,
    file_bytes: int = 1 << 30,
    seed: int = 0,
    progress: Progress,
) -> DiskProfile:
    """Measure the disk of `folder` in a file of its own, which is gone afterwards in any case.

    Each of the five rates takes a fifth of `seconds` at most, and the time of a flush. The file
    is of whole MiB, one at least. `seed` is that of the offsets and of what is written.

    Raises:
        SetUpError: The disk has not twice the room, or the folder cannot be written to.
    """
    offsets = range(0, max(1, file_bytes // SEQUENTIAL_BYTES) * SEQUENTIAL_BYTES, SEQUENTIAL_BYTES)
    with _told(folder):
        _refuse_without_room(folder, offsets.stop)
        with (
            uncached_file(folder) as file,
            progress.task(f"Measuring the disk of {folder}", total=_PHASES) as task,
        ):
            return _profile(file, offsets, seconds / _PHASES, seed, task)


def _profile(
    file: UncachedFile, offsets: range, limit_s: float, seed: int, task: Task
) -> DiskProfile:
    """Write the file, read it in order, read pages anywhere, write some among them, read one."""
    # Nothing that a disk could pack or knows already.
    content = Random(seed).randbytes(SEQUENTIAL_BYTES)  # noqa: S311
    written = _rate(file, [zip(repeat(True), offsets)], content, limit_s)
    task.advance()
    # A slow disk has not written all of it in time.
    offsets = offsets[: written.writes]
    read = _rate(file, [cycle(zip(repeat(False), offsets))], content, limit_s)
    task.advance()
    file.read_anywhere()
    rates = []
    for read_share in (1.0, READ_SHARE):
        streams = [
            _anywhere(Random(f"{seed} {read_share} {number}"), offsets.stop, read_share)  # noqa: S311
            for number in range(QUEUE_DEPTH)
        ]
        rates.append(_rate(file, streams, content[:PAGE_BYTES], limit_s))
        task.advance()
    alone = _anywhere(Random(f"{seed} alone"), offsets.stop, 1.0, SCANNED_BYTES)  # noqa: S311
    single = _rate(file, [alone], content[:SCANNED_BYTES], limit_s)
    task.advance()
    return DiskProfile(
        file_bytes=offsets.stop,
        sequential_write=written,
        sequential_read=read,
        random_read=rates[0],
        mixed=rates[1],
        single_read=single,
    )


def _anywhere(
    random: Random, file_bytes: int, read_share: float, page_bytes: int = PAGE_BYTES
) -> Iterator[_Request]:
    """Yield requests for any page, of which `read_share` read, for ever."""
    pages = file_bytes // page_bytes
    while True:
        yield random.random() >= read_share, random.randrange(pages) * page_bytes


def _rate(
    file: UncachedFile, streams: Sequence[Iterator[_Request]], content: bytes, limit_s: float
) -> IoRate:
    """Carry each stream's requests out one by one, all streams at a time, until `limit_s` is over.

    Each begins one request at least. `content` is what writes write, and as long as a block.
    """
    stop = Event()
    with ExitStack() as buffers, ThreadPoolExecutor(len(streams)) as pool:
        prepared = []
        for stream in streams:
            buffer = buffers.enter_context(mmap.mmap(-1, len(content)))
            buffer[:] = content
            prepared.append((stream, buffer))
        started = perf_counter()
        try:
            running = [
                pool.submit(_carried_out, file, *each, started + limit_s, stop) for each in prepared
            ]
            # Of one that fails the error is raised, and the others end.
            done, _ = wait(running, return_when=FIRST_EXCEPTION)
            counts = [each.result() for each in done]
        finally:
            stop.set()
        reads, writes = (sum(each) for each in zip(*counts, strict=True))
        if writes:
            file.flush()
        seconds = perf_counter() - started
    return IoRate(
        reads=reads,
        writes=writes,
        block_bytes=len(content),
        queue_depth=len(streams),
        seconds=seconds,
        page_cache=file.page_cache(),
    )


def _carried_out(
    file: UncachedFile,
    requests: Iterator[_Request],
    buffer: mmap.mmap,
    deadline: float,
    stop: Event,
) -> tuple[int, int]:
    """Carry requests out until there are none, it is late or another failed; count both kinds."""
    counts = [0, 0]
    for writes, offset in requests:
        (file.write if writes else file.read)(buffer, offset)
        counts[writes] += 1
        if stop.is_set() or perf_counter() >= deadline:
            break
    return counts[False], counts[True]


def _refuse_without_room(folder: Path, file_bytes: int) -> None:
    wanted, free = _ROOM * file_bytes, shutil.disk_usage(folder).free
    if free < wanted:
        raise SetUpError(
            f"The disk of {folder} cannot be measured, {free / 1e6:,.0f} MB are free of the "
            f"{wanted / 1e6:,.0f} MB that must be, twice what the file takes: make room there."
        )


@contextmanager
def _told(folder: Path) -> Iterator[None]:
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
