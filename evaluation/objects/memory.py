"""A node's memory: which segments there are, where the next object goes, what is evicted."""

import errno
import fcntl
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from evaluation.objects import segments
from evaluation.objects.errors import ExistsError, FullError, NotThereError, RefusedError
from evaluation.objects.ids import as_array, valid
from evaluation.objects.index import INDEX, Entry, Found, Index

ALIGNMENT = 64
"""Bytes at whose multiples objects begin, as Arrow wants its buffers."""
LOCK = "lock"
_PAGE = 4096
_SHARED_BYTES = 16 << 20
_SHARED_PART = 16
_ALONE = 4
_LOCK_TRIES, _LOCK_PAUSE_S = 20, 0.02


@dataclass(slots=True)
class _Segment:
    """A segment: `end` is where its next object goes; without room it is `finished`."""

    size: int
    end: int = 0
    finished: bool = False
    objects: set[bytes] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a node's memory holds now; bytes are those of whole segments."""

    capacity_bytes: int
    used_bytes: int
    objects: int
    evicted: int


class Memory:
    """The memory of one node, in `folder`; every method may be called from any thread.

    Small objects share segments of `_SHARED_BYTES`, larger ones have one each. When there is no
    room, the segments least recently used are evicted whole: those that nobody has mapped and
    whose objects are all sealed and of no group (`Entry.group`). What is in a group stays until
    it is deleted.

    What a killed node left in `folder` is there again: objects that were sealed.
    """

    def __init__(self, folder: Path, capacity_bytes: int) -> None:
        self.folder = folder
        self._capacity_bytes = capacity_bytes
        self._shared_bytes = max(
            _PAGE, min(_SHARED_BYTES, capacity_bytes // _SHARED_PART) // _PAGE * _PAGE
        )
        self._guard = RLock()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _locked(self._lock):
            raise RefusedError(f"another node has its memory in {folder}")
        if not (folder / INDEX).exists():
            Index.create(folder / INDEX, capacity_bytes)
        self._index = Index(folder / INDEX, writable=True)
        self._segments: dict[int, _Segment] = {}
        self._entries: dict[bytes, Entry] = {}
        self._unsealed: dict[bytes, Entry] = {}
        self._open: int | None = None
        self._evicted = 0
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
                self._evict_one(f"more than {self._index.most_objects:,} objects")
            number = self._segment_for(length)
            segment = self._segments[number]
            entry = Entry(
                object_id=object_id,
                segment=number,
                offset=segment.end,
                length=length,
                group=group,
            )
            segment.end += -(-length // ALIGNMENT) * ALIGNMENT
            segment.objects.add(object_id)
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
            if entry.segment != self._open:
                self._finish(entry.segment)

    def delete(self, ids: Sequence[bytes]) -> int:
        """Delete objects, sealed or not, and return how many were there.

        Who has one mapped keeps it; its memory is free when the last of them is done.
        """
        with self._guard:
            found = [one for one in ids if self.knows(one)]
            for one in found:
                self._forget(one)
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
            return [
                each for each in self._entries.values() if group is None or each.group == group
            ]

    def usage(self) -> Usage:
        """Return what is held now."""
        with self._guard:
            self._sweep()
            return Usage(
                capacity_bytes=self._capacity_bytes,
                used_bytes=self._used(),
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
        there = set(segments.segment_numbers(self.folder))
        for entry in list(self._index.entries()):
            if entry.segment not in there:
                self._index.remove(entry.object_id)
                continue
            size = segments.segment_path(self.folder, entry.segment).stat().st_size
            segment = self._segments.setdefault(
                entry.segment, _Segment(size=size, end=size, finished=True)
            )
            segment.objects.add(entry.object_id)
            self._entries[entry.object_id] = entry
        for number in there - self._segments.keys():
            size = segments.segment_path(self.folder, number).stat().st_size
            self._segments[number] = _Segment(size=size, finished=True)
        self._sweep()
        self._next = max(there, default=0) + 1

    def _segment_for(self, length: int) -> int:
        """Return a segment with room for an object of this length, made if need be."""
        if length * _ALONE >= self._shared_bytes:
            return self._make(length)
        if self._open is not None:
            one = self._segments[self._open]
            if one.end + length <= one.size:
                return self._open
            before, self._open = self._open, None
            self._finish(before)
        self._open = self._make(self._shared_bytes)
        return self._open

    def _make(self, size: int) -> int:
        size = max(_PAGE, -(-size // _PAGE) * _PAGE)
        self._sweep()
        while self._used() + size > self._capacity_bytes:
            self._evict_one(f"{size / 1e6:,.1f} MB more")
        number = self._next
        try:
            segments.make_segment(self.folder, number, size)
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.ENOMEM, errno.EDQUOT}:
                raise
            raise FullError(
                f"no room for {size / 1e6:,.1f} MB in {self.folder.parent}, which has less memory "
                f"than the node's capacity of {self._capacity_bytes / 1e6:,.1f} MB: mount it "
                "larger, or give the node less"
            ) from None
        self._next += 1
        self._segments[number] = _Segment(size=size)
        return number

    def _evict_one(self, wanted: str) -> None:
        """Evict the segment that was not used for longest, of those that may be."""
        may_go = [number for number, each in self._segments.items() if self._may_go(number, each)]
        for number in sorted(
            may_go, key=lambda each: (segments.last_used_ns(self.folder, each), each)
        ):
            # Readers look up an object first and map it then: they see that it is gone.
            gone = list(self._segments[number].objects)
            if segments.remove_unused(self.folder, number):
                for one in gone:
                    self._index.remove(one)
                    del self._entries[one]
                del self._segments[number]
                self._evicted += len(gone)
                return
        raise FullError(
            f"it holds {self._used() / 1e6:,.1f} of {self._capacity_bytes / 1e6:,.1f} MB, all in "
            f"use or in tables, and has no room for {wanted}: drop tables, give it more memory, "
            "or add a node"
        )

    def _may_go(self, number: int, segment: _Segment) -> bool:
        return (
            number != self._open
            and segment.finished
            and all(
                one in self._entries and self._entries[one].group == 0 for one in segment.objects
            )
        )

    def _finish(self, number: int) -> None:
        """Nothing is added to a segment any more; once all is sealed it is read-only."""
        segment = self._segments[number]
        if number != self._open and segment.objects.isdisjoint(self._unsealed):
            segment.finished = True
            segments.finish_segment(self.folder, number)

    def _forget(self, object_id: bytes) -> None:
        entry = self._unsealed.pop(object_id, None)
        if entry is None:
            entry = self._entries.pop(object_id)
            self._index.remove(object_id)
        segment = self._segments[entry.segment]
        segment.objects.discard(object_id)
        if entry.segment != self._open:
            self._finish(entry.segment)
            if not segment.objects and segments.remove_unused(self.folder, entry.segment):
                del self._segments[entry.segment]

    def _sweep(self) -> None:
        """Remove segments without objects that somebody had mapped when they lost their last."""
        for number, segment in list(self._segments.items()):
            if (
                segment.finished
                and not segment.objects
                and segments.remove_unused(self.folder, number)
            ):
                del self._segments[number]

    def _used(self) -> int:
        return sum(each.size for each in self._segments.values())


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
