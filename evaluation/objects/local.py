"""A node's memory as a client on its machine sees it: look-ups and mappings without the node."""

import fcntl
import os
from pathlib import Path
from threading import Lock

from evaluation.objects.errors import NodeLostError
from evaluation.objects.ids import Ids
from evaluation.objects.index import INDEX, Found, Index
from evaluation.objects.mappings import Mappings, Use
from evaluation.objects.members import Member, machine
from evaluation.objects.memory import LOCK


def is_here(member: Member) -> bool:
    """Tell whether the node runs on this machine, and its memory may be read."""
    return member.machine == machine() and os.access(Path(member.memory) / INDEX, os.R_OK)


class LocalMemory:
    """The memory of `member`, which is on this machine.

    Each segment is mapped once, and kept for some seconds after its last use.
    """

    def __init__(self, member: Member) -> None:
        self._member = member
        self._folder = Path(member.memory)
        self._guard = Lock()
        self._mappings = Mappings(self._folder)
        self._lock = -1
        self._open()

    def find(self, ids: Ids) -> Found:
        """Look up ids in the shared index.

        Raises:
            NodeLostError: No node serves this memory.
        """
        if not self._served():
            # It may have been started again, with another memory.
            with self._guard:
                self._open()
            if not self._served():
                raise NodeLostError(self._member.name, self._member.address, "it has ended")
        return self._index.find(ids)

    def segment(self, number: int) -> Use | None:
        """Return a segment to be used; None if it is no longer there."""
        return self._mappings.use(number)

    def sweep(self) -> None:
        """Unmap what has not been used for some seconds."""
        self._mappings.sweep()

    def close(self) -> None:
        """Forget it; what is in use stays mapped."""
        os.close(self._lock)

    def _open(self) -> None:
        try:
            index = Index(self._folder / INDEX)
            lock = os.open(self._folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, ValueError):
            raise NodeLostError(
                self._member.name, self._member.address, "its memory is gone"
            ) from None
        if self._lock >= 0:
            os.close(self._lock)
        self._index, self._lock = index, lock
        self._mappings = Mappings(self._folder)

    def _served(self) -> bool:
        """Tell whether the node lives: it has the lock on its memory."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self._lock, fcntl.LOCK_UN)
        return False
