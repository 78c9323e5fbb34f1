"""The segments of a node: how much memory they take, and which may go."""

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.objects import segments
from evaluation.objects.errors import FullError

ALIGNMENT = 64
"""Bytes at whose multiples objects begin, as Arrow wants its buffers."""
PAGE = 4096
_SHARED_BYTES = 16 << 20
_SHARED_PART = 16
_ALONE = 4


@dataclass(slots=True)
class Segment:
    """A segment: `end` is where its next object goes; to one that is `finished` none is added."""

    size: int
    end: int = 0
    finished: bool = False
    objects: set[bytes] = field(default_factory=set)


class Segments:
    """The segments in `folder`, which take `capacity_bytes` at most; one thread at a time.

    Small objects share segments of `_SHARED_BYTES`, larger ones have one each. `unsealed` are the
    objects that are being created now; `evictable` tells whether those given may be evicted.
    """

    def __init__(
        self,
        folder: Path,
        capacity_bytes: int,
        unsealed: Mapping[bytes, object],
        evictable: Callable[[Iterable[bytes]], bool],
    ) -> None:
        self._folder = folder
        self._capacity_bytes = capacity_bytes
        self._unsealed = unsealed
        self._evictable = evictable
        shared = min(_SHARED_BYTES, capacity_bytes // _SHARED_PART) // PAGE * PAGE
        self._shared_bytes = max(PAGE, shared)
        self._open: int | None = None
        self._known: dict[int, Segment] = {}
        for number in segments.segment_numbers(folder):
            size = segments.segment_path(folder, number).stat().st_size
            self._known[number] = Segment(size=size, end=size, finished=True)
        self._next = max(self._known, default=0) + 1

    def __contains__(self, number: int) -> bool:
        return number in self._known

    @property
    def used_bytes(self) -> int:
        """Return the bytes of all segments."""
        return sum(each.size for each in self._known.values())

    def place(self, object_id: bytes, length: int, evicted: Callable[[set[bytes]], None]) -> int:
        """Give an object its place, evicting others if need be; return the segment's number.

        It begins at the segment's `start`. FullError if there is no room.
        """
        number = self._with_room(length, evicted)
        self._known[number].objects.add(object_id)
        return number

    def start(self, number: int, length: int) -> int:
        """Return where in a segment its next object begins, and take its bytes."""
        segment = self._known[number]
        start = segment.end
        segment.end += -(-length // ALIGNMENT) * ALIGNMENT
        return start

    def add(self, number: int, object_id: bytes) -> None:
        """Note that an object is in a segment, as it was before the node was started."""
        self._known[number].objects.add(object_id)

    def discard(self, number: int, object_id: bytes) -> None:
        """Note that an object is gone; its segment goes with the last one."""
        self._known[number].objects.discard(object_id)
        self.finish(number)
        self.sweep([number])

    def finish(self, number: int) -> None:
        """Make a segment read-only if nothing is added to it and all in it is sealed."""
        segment = self._known[number]
        if number != self._open and segment.objects.isdisjoint(self._unsealed):
            segment.finished = True
            segments.finish_segment(self._folder, number)

    def sweep(self, numbers: Iterable[int] | None = None) -> None:
        """Remove finished segments without objects, as far as nobody has them mapped."""
        for number in list(self._known) if numbers is None else numbers:
            segment = self._known[number]
            empty = segment.finished and not segment.objects
            if empty and segments.remove_unused(self._folder, number):
                del self._known[number]

    def evict_one(self, wanted: str, evicted: Callable[[set[bytes]], None]) -> None:
        """Remove the segment that was not used for longest, of those that may go.

        `evicted` is told its objects. FullError, which says what was `wanted`, if none may go.
        """
        for number in self._oldest_first():
            # Readers look up an object first and map it then: they see that it is gone.
            gone = self._known[number].objects
            if segments.remove_unused(self._folder, number):
                del self._known[number]
                evicted(gone)
                return
        raise FullError(
            f"it holds {self.used_bytes / 1e6:,.1f} of {self._capacity_bytes / 1e6:,.1f} MB, all "
            f"in use or in tables, and has no room for {wanted}: drop tables, give it more "
            "memory, or add a node"
        )

    def _oldest_first(self) -> Iterator[int]:
        may_go = [
            number
            for number, each in self._known.items()
            if number != self._open and each.finished and self._evictable(each.objects)
        ]
        yield from sorted(
            may_go, key=lambda each: (segments.last_used_ns(self._folder, each), each)
        )

    def _with_room(self, length: int, evicted: Callable[[set[bytes]], None]) -> int:
        if length * _ALONE >= self._shared_bytes:
            return self._make(length, evicted)
        if self._open is not None:
            one = self._known[self._open]
            if one.end + length <= one.size:
                return self._open
        before, self._open = self._open, None
        if before is not None:
            self.finish(before)
        self._open = self._make(self._shared_bytes, evicted)
        return self._open

    def _make(self, size: int, evicted: Callable[[set[bytes]], None]) -> int:
        size = max(PAGE, -(-size // PAGE) * PAGE)
        self.sweep()
        while self.used_bytes + size > self._capacity_bytes:
            self.evict_one(f"{size / 1e6:,.1f} MB more", evicted)
        number = self._next
        try:
            segments.make_segment(self._folder, number, size)
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.ENOMEM, errno.EDQUOT}:
                raise
            raise FullError(
                f"no room for {size / 1e6:,.1f} MB in {self._folder.parent}, which has less "
                f"memory than the node's capacity of {self._capacity_bytes / 1e6:,.1f} MB: mount "
                "it larger, or give the node less"
            ) from None
        self._next += 1
        self._known[number] = Segment(size=size)
        return number
