"""The index of a node's sealed objects, in shared memory: one writer, any number of readers.

A reader on the same machine looks up any number of ids without asking the node. The table is
an open one with linear probing. An id is written last and removed first, and each is one aligned
word: a reader that sees the same id before and after it reads an entry has read that entry.
"""

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation.objects.ids import Ids, as_array

INDEX = "index"
_MAGIC = 0x31_58_44_4E_49_4A_42_4F
_HEADER_WORDS = 8
_MAGIC_AT, _SLOTS_AT, _REACH_AT = range(3)
_ENTRY = np.dtype(
    [
        ("high", "<u8"),
        ("low", "<u8"),
        ("segment", "<u8"),
        ("offset", "<u8"),
        ("length", "<u8"),
        ("group", "<u8"),
    ]
)
_FEWEST_SLOTS, _MOST_SLOTS = 1 << 12, 1 << 20
_BYTES_A_SLOT = 8 << 10
_MOST_FULL = 0.5
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The place of a sealed object: bytes of a segment. `group` 0 is none."""

    object_id: bytes
    segment: int
    offset: int
    length: int
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a lookup of n ids: arrays of n; without `there`, the rest means nothing."""

    there: npt.NDArray[np.bool_]
    segment: Words
    offset: Words
    length: Words


class Index:
    """The index file at `path`, mapped."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        with path.open("r+b" if writable else "rb") as file:
            access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
            self._map = mmap.mmap(file.fileno(), 0, access=access)
        self._header = np.frombuffer(self._map, np.uint64, _HEADER_WORDS)
        if int(self._header[_MAGIC_AT]) != _MAGIC:
            raise ValueError(f"{path} is no index of objects")
        self._slots = int(self._header[_SLOTS_AT])
        self._mask = np.uint64(self._slots - 1)
        self._table = np.frombuffer(self._map, _ENTRY, self._slots, 8 * _HEADER_WORDS)
        self._high, self._low = self._table["high"], self._table["low"]

    @staticmethod
    def create(path: Path, capacity_bytes: int) -> None:
        """Make an empty index at `path` for a node of this capacity; it appears complete."""
        wanted = max(_FEWEST_SLOTS, min(_MOST_SLOTS, capacity_bytes // _BYTES_A_SLOT))
        slots = 1 << (wanted - 1).bit_length()
        header = np.zeros(_HEADER_WORDS, np.uint64)
        header[[_MAGIC_AT, _SLOTS_AT]] = _MAGIC, slots
        fresh = path.with_name(path.name + ".unfinished")
        with fresh.open("wb") as file:
            file.write(header.tobytes())
            file.truncate(header.nbytes + slots * _ENTRY.itemsize)
            # Room for every entry now: a full disk later would kill whoever touches it.
            os.posix_fallocate(file.fileno(), 0, header.nbytes + slots * _ENTRY.itemsize)
        fresh.rename(path)

    @property
    def most_objects(self) -> int:
        """The number of objects that have room: few of them share their place in the table."""
        return int(self._slots * _MOST_FULL)

    def find(self, ids: Ids) -> Found:
        """Look up ids, given as an array of shape (n, 2)."""
        slots = self._slots_of(ids)
        there = slots >= 0
        at = np.where(there, slots, 0)
        entries = self._table[at]
        there &= (self._low[at] == ids[:, 1]) & (self._high[at] == ids[:, 0])
        return Found(
            there=there,
            segment=entries["segment"],
            offset=entries["offset"],
            length=entries["length"],
        )

    def entries(self) -> Iterator[Entry]:
        """Yield every entry; for the writer, or for what need not be exact."""
        for slot in np.flatnonzero(self._low):
            one = self._table[slot]
            yield Entry(
                object_id=one["high"].tobytes() + one["low"].tobytes(),
                segment=int(one["segment"]),
                offset=int(one["offset"]),
                length=int(one["length"]),
                group=int(one["group"]),
            )

    def add(self, entry: Entry) -> None:
        """Add an entry whose id is not there yet; there must be room (see `most_objects`)."""
        (high, low) = as_array(entry.object_id)[0]
        home = int(self._homes(as_array(entry.object_id))[0])
        distance = 0
        while self._low[(home + distance) % self._slots]:
            distance += 1
        if distance >= int(self._header[_REACH_AT]):
            self._header[_REACH_AT] = distance + 1
        slot = (home + distance) % self._slots
        for name in ("segment", "offset", "length", "group"):
            self._table[name][slot] = getattr(entry, name)
        self._high[slot] = high
        self._low[slot] = low

    def remove(self, object_id: bytes) -> None:
        """Remove the entry of an id, if it is there."""
        slot = int(self._slots_of(as_array(object_id))[0])
        if slot >= 0:
            self._low[slot] = 0

    def _slots_of(self, ids: Ids) -> npt.NDArray[np.int64]:
        """Return the slot of each id, or -1."""
        found = np.full(len(ids), -1, np.int64)
        homes = self._homes(ids)
        left = np.arange(len(ids))
        for distance in range(int(self._header[_REACH_AT])):
            at = (homes[left] + np.uint64(distance)) & self._mask
            same = (self._low[at] == ids[left, 1]) & (self._high[at] == ids[left, 0])
            found[left[same]] = at[same]
            left = left[~same]
            if not len(left):
                break
        return found

    def _homes(self, ids: Ids) -> Words:
        """Return where the search for each id begins; clients may choose ids that are alike."""
        mixed: Words = (ids[:, 0] ^ (ids[:, 1] * _MIX)) * _MIX
        return (mixed >> _SHIFT) & self._mask
