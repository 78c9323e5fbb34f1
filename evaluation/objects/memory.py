"""A node's memory: which objects it has, where they are, and what goes for the next one."""

import fcntl
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from evaluation.objects.errors import ExistsError, NotThereError, RefusedError
from evaluation.objects.ids import as_array, valid
from evaluation.objects.index import INDEX, Entry, Found, Index
from evaluation.objects.room import Segments

LOCK = "lock"
_LOCK_TRIES, _LOCK_PAUSE_S = 20, 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The present use of a node's memory; bytes are those of whole segments."""

    capacity_bytes: int
    used_bytes: int
    objects: int
    evicted: int


class Memory:
    """The memory of one node, in `folder`; every method may be called from any thread.

    When there is no room, the segments least recently used are evicted whole: those that nobody
    has mapped and whose objects are all sealed and of no group (`Entry.group`). What is in a
    group stays until it is deleted.

    What a killed node left in `folder` is there again: objects that were sealed.
    """

    def __init__(self, folder: Path, capacity_bytes: int) -> None:
        self.folder = folder
        self._capacity_bytes = capacity_bytes
        self._guard = RLock()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _locked(self._lock):
            raise RefusedError(f"another node has its memory in {folder}")
        if not (folder / INDEX).exists():
            Index.create(folder / INDEX, capacity_bytes)
        self._index = Index(folder / INDEX, writable=True)
        self._entries: dict[bytes, Entry] = {}
        self._unsealed: dict[bytes, Entry] = {}
        self._evicted = 0
        self._segments = Segments(folder, capacity_bytes, self._unsealed, self._evictable)
        self._recover()

    def create(self, object_id: bytes, length: int, group: int = 0) -> Entry:
        """Reserve room for an object; nobody sees it until it is sealed.

        Raises:
            ExistsError: The id is taken.
            FullError: There is no room.
        """
        if not valid(object_id) or length < 0:
            raise RefusedError("an id has 16 bytes, the last eight of which are not all zero")
        with self._guard:
            if self.knows(object_id):
                raise ExistsError(f"object {object_id.hex()} is there already")
            if len(self._entries) + len(self._unsealed) >= self._index.most_objects:
                self._segments.evict_one(
                    f"more than {self._index.most_objects:,} objects", self._forget_evicted
                )
            number = self._segments.place(object_id, length, self._forget_evicted)
            entry = Entry(
                object_id=object_id,
                segment=number,
                offset=self._segments.start(number, length),
                length=length,
                group=group,
            )
            self._unsealed[object_id] = entry
            return entry

    def seal(self, object_id: bytes) -> None:
        """Let everybody see a created object, which never changes from then on."""
        with self._guard:
            entry = self._unsealed.pop(object_id, None)
            if entry is None:
                raise NotThereError(f"object {object_id.hex()} is not being created")
            self._entries[object_id] = entry
            self._index.add(entry)
            self._segments.finish(entry.segment)

    def delete(self, ids: Sequence[bytes]) -> int:
        """Delete objects, sealed or not, and return how many were there.

        Who has one mapped keeps it; its memory is free when the last of them is done.
        """
        with self._guard:
            found = [one for one in ids if self.knows(one)]
            for one in found:
                entry = self._unsealed.pop(one, None)
                if entry is None:
                    entry = self._entries.pop(one)
                    self._index.remove(one)
                self._segments.discard(entry.segment, one)
            return len(found)

    def knows(self, object_id: bytes) -> bool:
        """Tell whether the id is taken, by a sealed object or by one that is being created."""
        return object_id in self._entries or object_id in self._unsealed

    def find(self, ids: bytes) -> Found:
        """Look up sealed objects by their ids, given end to end."""
        with self._guard:
            return self._index.find(as_array(ids))

    def entries(self, group: int | None = None) -> list[Entry]:
        """Return the sealed objects, all or those of a group."""
        with self._guard:
            return [each for each in self._entries.values() if group is None or each.group == group]

    def usage(self) -> Usage:
        """Return what is held now."""
        with self._guard:
            self._segments.sweep()
            return Usage(
                capacity_bytes=self._capacity_bytes,
                used_bytes=self._segments.used_bytes,
                objects=len(self._entries),
                evicted=self._evicted,
            )

    def release(self) -> None:
        """Give all memory back; what others have mapped is theirs until they are done."""
        with self._guard:
            for path in sorted(self.folder.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            self.folder.rmdir()

    def _recover(self) -> None:
        """Take over what a killed node left: sealed objects whose segment is there."""
        for entry in list(self._index.entries()):
            if entry.segment in self._segments:
                self._segments.add(entry.segment, entry.object_id)
                self._entries[entry.object_id] = entry
            else:
                self._index.remove(entry.object_id)
        self._segments.sweep()

    def _evictable(self, objects: Iterable[bytes]) -> bool:
        return all(one in self._entries and self._entries[one].group == 0 for one in objects)

    def _forget_evicted(self, gone: set[bytes]) -> None:
        for one in gone:
            self._index.remove(one)
            del self._entries[one]
        self._evicted += len(gone)


def _locked(descriptor: int) -> bool:
    """Take the lock that a node has on its memory; clients look for it, a moment each."""
    for _ in range(_LOCK_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
        else:
            return True
    return False
