"""Holds of remote readers on a node's memory, and locks: until release, leave or death.

A reader on the same machine needs none of this: its mapping is its hold (see `segments`).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from threading import Lock

import numpy as np

from evaluation.objects.index import Found
from evaluation.objects.mappings import Mappings, Use

LEASE_S = 15.0
"""Seconds after its last word when a reader is taken for dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One hold: the places of its objects, and their segments by number."""

    found: Found
    segments: Mapping[int, Use]


@dataclass(slots=True)
class _Reader:
    """One session: what it holds by the number of the hold, and the locks that it has."""

    heard: float
    held: dict[int, Held] = field(default_factory=dict)
    locks: set[str] = field(default_factory=set)


class Holds:
    """The holds of all sessions on the memory in `folder`.

    A session ends when its stream does, at once when its process dies; one whose machine is
    lost, so that nothing ends the stream, is dropped when it was silent for `lease_s`.
    """

    def __init__(
        self, folder: Path, lease_s: float = LEASE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._mappings = Mappings(folder)
        self._lease_s = lease_s
        self._clock = clock
        self._guard = Lock()
        self._numbers = count(1)
        self._readers: dict[int, _Reader] = {}

    def join(self) -> int:
        """Begin a session; return its number."""
        with self._guard:
            number = next(self._numbers)
            self._readers[number] = _Reader(heard=self._clock())
            return number

    def leave(self, reader: int) -> None:
        """End a session, and with it what it holds."""
        with self._guard:
            self._readers.pop(reader, None)

    def heard(self, reader: int) -> None:
        """Note that a session is alive, and drop those that have been silent for too long."""
        with self._guard:
            self._readers.setdefault(reader, _Reader(heard=0)).heard = self._clock()
        self.expire()

    def expire(self) -> None:
        """Drop the sessions that have been silent for too long."""
        with self._guard:
            last = self._clock() - self._lease_s
            for number in [each for each, one in self._readers.items() if one.heard < last]:
                del self._readers[number]
        self._mappings.sweep()

    def hold(self, reader: int, found: Found) -> tuple[int, Held]:
        """Hold what was found for a session; return the hold's number, and what is there of it.

        What was evicted since it was looked up is not there.
        """
        wanted = set(found.segment[found.there].tolist())
        mapped = {number: self._mappings.use(number) for number in wanted}
        there = {number: one for number, one in mapped.items() if one is not None}
        if len(there) < len(mapped):
            still = found.there & np.isin(found.segment, list(there))
            found = replace(found, there=still)
        held = Held(found=found, segments=there)
        with self._guard:
            number = next(self._numbers)
            self._readers[reader].held[number] = held
        return number, held

    def held(self, reader: int, hold: int) -> Held | None:
        """Return what a hold keeps; None if it was dropped."""
        with self._guard:
            one = self._readers.get(reader)
            return None if one is None else one.held.get(hold)

    def let_go(self, reader: int, hold: int) -> None:
        """End a hold."""
        with self._guard:
            if one := self._readers.get(reader):
                one.held.pop(hold, None)

    def lock(self, reader: int, name: str) -> bool:
        """Give a lock to a session unless another one has it; tell whether it has it now."""
        self.expire()
        with self._guard:
            taken = any(
                name in one.locks for number, one in self._readers.items() if number != reader
            )
            if not taken:
                self._readers[reader].locks.add(name)
            return not taken

    def unlock(self, reader: int, name: str) -> None:
        """Take a lock back."""
        with self._guard:
            if one := self._readers.get(reader):
                one.locks.discard(name)
