"""Segments: files in shared memory that objects lie in. The kernel knows who uses which.

A segment only grows by objects that are written once, and its file is removed when none of them
is left: memory that somebody has mapped never changes under them. A reader's mapping holds a
shared lock on the file, which the kernel opens when the last buffer on it is gone or the reader
dies, however it dies. So a segment is in use exactly if its exclusive lock cannot be had.
"""

import fcntl
import os
from pathlib import Path

_NAME = "segment-"


def segment_path(folder: Path, number: int) -> Path:
    """Return the file of a segment."""
    return folder / f"{_NAME}{number}"


def segment_numbers(folder: Path) -> list[int]:
    """Return the numbers of the segments in `folder`."""
    return [
        int(path.name.removeprefix(_NAME))
        for path in folder.glob(f"{_NAME}*")
        if path.name.removeprefix(_NAME).isdigit()
    ]


def make_segment(folder: Path, number: int, size: int) -> None:
    """Make a segment of `size` bytes, all of which are there from then on.

    Raises:
        OSError: The memory has no room for it.
    """
    path = segment_path(folder, number)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        path.unlink()
        raise
    finally:
        os.close(descriptor)


def write_segment(folder: Path, number: int, offset: int, data: "memoryview | bytes") -> None:
    """Write bytes into a segment at `offset`: without mapping it, which would cost page faults."""
    descriptor = os.open(segment_path(folder, number), os.O_WRONLY | os.O_CLOEXEC)
    try:
        left = memoryview(data).cast("B")
        while left:
            written = os.pwrite(descriptor, left, offset)
            offset += written
            left = left[written:]
    finally:
        os.close(descriptor)


def finish_segment(folder: Path, number: int) -> None:
    """Make a segment read-only: nothing will be added to it."""
    segment_path(folder, number).chmod(0o400)


def last_used_ns(folder: Path, number: int) -> int:
    """Return when a segment was last mapped by a reader, or made."""
    return segment_path(folder, number).stat().st_mtime_ns


def remove_unused(folder: Path, number: int) -> bool:
    """Remove a segment's file unless somebody has it mapped; tell whether it is gone."""
    path = segment_path(folder, number)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)
