"""Retrieved objects: mapped on the client's machine, or held for it elsewhere."""

import weakref
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evaluation.objects.link import Link

Positions = npt.NDArray[np.int64]


class Part(Protocol):
    """The objects of a retrieval that one node has: at `positions` of what was asked for."""

    positions: Positions

    def buffers(self) -> list[pa.Buffer]:
        """Return their bytes, in the order of `positions`."""
        ...


class MappedPart:
    """Objects in mapped segments: `whole` has each object's segment."""

    def __init__(
        self,
        positions: Positions,
        whole: Sequence[pa.Buffer],
        offsets: npt.NDArray[np.uint64],
        lengths: npt.NDArray[np.uint64],
    ) -> None:
        self.positions = positions
        self._whole = whole
        self._offsets, self._lengths = offsets, lengths

    def buffers(self) -> list[pa.Buffer]:
        """Return their bytes, where they lie."""
        return [
            whole.slice(offset, length)
            for whole, offset, length in zip(
                self._whole, self._offsets.tolist(), self._lengths.tolist(), strict=True
            )
        ]


class HeldPart:
    """Objects that another node holds for us until this is no longer used."""

    def __init__(
        self,
        link: Link,
        hold: int,
        positions: Positions,
        at: Positions,
        lengths: npt.NDArray[np.int64],
    ) -> None:
        self.positions = positions
        self._link, self._hold = link, hold
        self._at = at
        self._lengths = lengths
        weakref.finalize(self, link.done_with, hold)

    def buffers(self) -> list[pa.Buffer]:
        """Fetch their bytes."""
        return cut(self._link.fetch(self._hold, self._at.tolist()), self._lengths.tolist())


class Retrieval:
    """Objects in the order they were asked for. What is held is held until this is dropped."""

    def __init__(self, count: int, parts: Sequence[Part]) -> None:
        self._count = count
        self._parts = parts

    def __len__(self) -> int:
        return self._count

    def buffers(self) -> list[pa.Buffer]:
        """Return the bytes of every object: mapped, or fetched now. They outlive the retrieval.

        Raises:
            NodeLostError: A node has died since.
        """
        found: list[pa.Buffer] = [None] * self._count
        for part in self._parts:
            for position, buffer in zip(part.positions.tolist(), part.buffers(), strict=True):
                found[position] = buffer
        return found


def cut(chunks: Sequence[pa.Buffer], lengths: Sequence[int]) -> list[pa.Buffer]:
    """Cut bytes that arrived end to end into objects; copy only those that came in pieces."""
    found = []
    pending = iter(chunks)
    chunk, start = pa.py_buffer(b""), 0
    for length in lengths:
        if start == chunk.size and length:
            chunk, start = next(pending), 0
        if start + length <= chunk.size:
            found.append(chunk.slice(start, length))
            start += length
            continue
        # NumPy asks for huge pages, which cost a fraction of the faults of small ones.
        target = np.empty(length, np.uint8)
        filled = 0
        while filled < length:
            if start == chunk.size:
                chunk, start = next(pending), 0
            taken = min(length - filled, chunk.size - start)
            target[filled : filled + taken] = np.frombuffer(chunk, np.uint8, taken, start)
            filled += taken
            start += taken
        found.append(pa.py_buffer(target))
    return found
