"""A file whose reads and writes are the disk's: no page of it stays in the kernel's page cache."""

import ctypes
import errno
import fcntl
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

PREFIX = ".placement-advisor-disk-"
_PROBE_BYTES = 4096
# Pages that a file system keeps for itself, such as those of a last block, prove nothing.
_FEW = 0.05


class PageCache(StrEnum):
    """The state of the page cache. Caches of hosts and controllers below it are invisible."""

    BYPASSED = "bypassed"  # O_DIRECT, and the file's pages were not in memory afterwards
    DROPPED = "dropped"  # O_DIRECT is refused: each request was flushed, and its pages dropped
    KEPT = "kept"  # the pages stay in memory, as on tmpfs: the rate is not that of a disk


@dataclass(frozen=True, slots=True)
class UncachedFile:
    """An open file; any thread may read and write it.

    Buffers begin at a page (`mmap.mmap`), offsets and lengths are multiples of 4 KiB.
    """

    descriptor: int
    direct: bool

    def read(self, buffer: mmap.mmap, offset: int) -> None:
        """Fill the buffer from `offset` on; OSError if the file ends in it."""
        _whole(os.preadv(self.descriptor, [buffer], offset), buffer)
        if not self.direct:
            self._drop(offset, len(buffer))

    def write(self, buffer: mmap.mmap, offset: int) -> None:
        """Write the buffer; where the page cache cannot be bypassed, it is flushed at once."""
        _whole(os.pwritev(self.descriptor, [buffer], offset), buffer)
        if not self.direct:
            # Else memory would take what the disk has to write later, for as long as it lasts.
            self.flush()
            self._drop(offset, len(buffer))

    def flush(self) -> None:
        """Wait until all that was written is on the disk."""
        os.fdatasync(self.descriptor)

    def read_anywhere(self) -> None:
        """Say that what lies behind a read will not be read next; O_DIRECT never reads ahead."""
        os.posix_fadvise(self.descriptor, 0, 0, os.POSIX_FADV_RANDOM)

    def page_cache(self) -> PageCache:
        """Look whether the file's pages are in memory: some systems take O_DIRECT and keep them."""
        if not self.direct:
            self._drop(0, 0)
        if _resident_share(self.descriptor) > _FEW:
            return PageCache.KEPT
        return PageCache.BYPASSED if self.direct else PageCache.DROPPED

    def _drop(self, offset: int, length: int) -> None:
        os.posix_fadvise(self.descriptor, offset, length, os.POSIX_FADV_DONTNEED)


@contextmanager
def uncached_file(folder: Path) -> Iterator[UncachedFile]:
    """Give an empty file on the disk of `folder` that is gone when the block ends.

    It has a name for a moment only, so that the kernel removes it if we are killed; what a process
    left that was killed in that moment is removed first. Raises OSError.
    """
    for left in folder.glob(f"{PREFIX}*"):
        left.unlink(missing_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=PREFIX, dir=folder)
    try:
        # Another advisor may have taken it for one that was left.
        Path(name).unlink(missing_ok=True)
        yield UncachedFile(descriptor, direct=_bypass(descriptor))
    finally:
        os.close(descriptor)


def _bypass(descriptor: int) -> bool:
    """Have requests bypass the page cache; False where the file system does not know how."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_DIRECT)
        # Some refuse only the request, or blocks as small as ours.
        with mmap.mmap(-1, _PROBE_BYTES) as probe:
            os.pwritev(descriptor, [probe], _PROBE_BYTES)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.EOPNOTSUPP}:
            raise
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
        return False
    return True


def _whole(count: int, buffer: mmap.mmap) -> None:
    if count != len(buffer):
        raise OSError(errno.EIO, f"{count} of {len(buffer)} bytes")


def _resident_share(descriptor: int) -> float:
    """Return the share of the file's pages that are in memory, by mincore(2)."""
    length = os.fstat(descriptor).st_size
    if length == 0:
        return 0.0
    pages = (ctypes.c_ubyte * -(-length // mmap.PAGESIZE))()
    with mmap.mmap(descriptor, length) as view:
        start = ctypes.c_char.from_buffer(view)
        failed = ctypes.CDLL(None, use_errno=True).mincore(
            ctypes.c_void_p(ctypes.addressof(start)), ctypes.c_size_t(length), pages
        )
        # While something refers to it, the mapping cannot be closed.
        del start
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return sum(page & 1 for page in pages) / len(pages)
