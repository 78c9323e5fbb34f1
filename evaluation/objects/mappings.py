"""Segments that this process has mapped to read, and which of them it uses now.

The first read of a mapping costs a page fault for every few pages, as much as reading them does.
So a mapping is kept for some seconds after its last use, without the lock that says it is in use:
its segment may be evicted meanwhile, which is seen when the lock is taken again.
"""

import fcntl
import mmap
import os
import time
from pathlib import Path
from threading import RLock

import numpy as np
import pyarrow as pa

from evaluation.objects.segments import segment_path

KEPT_S = 5.0
"""Seconds that a mapping is kept after its last use, and with it memory that was evicted since."""


class _Mapping:
    """One segment: `descriptor` has the lock while there are `uses`."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.descriptor = descriptor
        self._map = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)
        self._bytes = np.frombuffer(self._map, np.uint8)
        self.address, self.size = self._bytes.ctypes.data, size
        self.uses = 0
        self.used_at = 0.0

    def __del__(self) -> None:
        os.close(self.descriptor)


class Use:
    """One use of a segment, which lasts as long as this or a buffer of it."""

    def __init__(self, mapping: _Mapping, guard: RLock) -> None:
        self._mapping = mapping
        self._guard = guard

    def buffer(self) -> pa.Buffer:
        """Return the whole segment, where it lies, to be read."""
        return pa.foreign_buffer(self._mapping.address, self._mapping.size, base=self)

    def __del__(self) -> None:
        with self._guard:
            self._mapping.uses -= 1
            self._mapping.used_at = time.monotonic()
            if not self._mapping.uses:
                fcntl.flock(self._mapping.descriptor, fcntl.LOCK_UN)


class Mappings:
    """The mappings of segments in `folder`; any thread may use them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # The garbage collector may end a use while a method runs.
        self._guard = RLock()
        self._known: dict[int, _Mapping] = {}

    def use(self, number: int) -> Use | None:
        """Use a segment, and mark it as used just now; None if it is no longer there."""
        with self._guard:
            mapping = self._known.get(number)
            if mapping is None:
                try:
                    path = segment_path(self._folder, number)
                    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                except FileNotFoundError:
                    return None
                mapping = _Mapping(descriptor, os.fstat(descriptor).st_size)
            if not mapping.uses:
                fcntl.flock(mapping.descriptor, fcntl.LOCK_SH)
            if os.fstat(mapping.descriptor).st_nlink == 0:
                # It was removed, before it was mapped or since it was last used.
                if not mapping.uses:
                    fcntl.flock(mapping.descriptor, fcntl.LOCK_UN)
                self._known.pop(number, None)
                return None
            now = time.time_ns()
            os.utime(mapping.descriptor, ns=(now, now))
            mapping.uses += 1
            self._known[number] = mapping
            return Use(mapping, self._guard)

    def sweep(self, kept_s: float = KEPT_S) -> None:
        """Unmap what has not been used for so long."""
        last = time.monotonic() - kept_s
        with self._guard:
            for number, mapping in list(self._known.items()):
                if not mapping.uses and mapping.used_at <= last:
                    del self._known[number]
