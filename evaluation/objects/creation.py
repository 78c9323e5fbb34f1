"""Objects that are being created: written where they will lie, or sent there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from evaluation.objects import wire
from evaluation.objects.link import Link
from evaluation.objects.segments import write_segment


class Creation(Protocol):
    """An object that nobody sees until it is sealed."""

    def write(self, data: "pa.Buffer | bytes") -> None:
        """Add bytes; all together must not be more than its length."""
        ...

    def seal(self) -> bytes:
        """Let everybody see it, from now on unchangeable; return its id."""
        ...

    def abort(self) -> None:
        """Drop it, unless it is sealed."""
        ...


class _Here:
    """An object on this machine: its bytes go to their place at once."""

    def __init__(self, link: Link, made: bytes, segment: int, offset: int, length: int) -> None:
        self._link = link
        self._made, self._segment, self._at = made, segment, offset
        self._end = offset + length

    def write(self, data: "pa.Buffer | bytes") -> None:
        view = memoryview(data)
        if self._at + view.nbytes > self._end:
            raise ValueError("more bytes than the object has room for")
        write_segment(Path(self._link.member.memory), self._segment, self._at, view)
        self._at += view.nbytes

    def seal(self) -> bytes:
        if self._at != self._end:
            raise ValueError(f"{self._end - self._at:,} bytes are still to be written")
        self._link.request(wire.SEAL, self._made)
        return self._made

    def abort(self) -> None:
        self._link.request(wire.ABORT, self._made)


class _There:
    """An object elsewhere: its bytes are sent when it is sealed."""

    def __init__(self, link: Link, command: bytes) -> None:
        self._link = link
        self._command = command
        self._data: list[pa.Buffer] = []

    def write(self, data: "pa.Buffer | bytes") -> None:
        self._data.append(data if isinstance(data, pa.Buffer) else pa.py_buffer(data))

    def seal(self) -> bytes:
        return self._link.put(self._command, self._chunks())

    def abort(self) -> None:
        self._data.clear()

    def _chunks(self) -> Iterator[pa.Buffer]:
        for data in self._data:
            for start in range(0, data.size, wire.CHUNK_BYTES):
                yield data.slice(start, min(wire.CHUNK_BYTES, data.size - start))


def create_here(link: Link, chosen: str, length: int, group: int) -> Creation:
    """Begin an object on a node of this machine; `chosen` is an id in hexadecimal, or empty."""
    answer = link.request(wire.CREATE, wire.dumped([[chosen, length, group]]))
    ((made, segment, offset),) = json.loads(bytes(answer))
    return _Here(link, bytes.fromhex(made), segment, offset, length)


def create_there(link: Link, chosen: str, length: int, group: int) -> Creation:
    """Begin an object on a node elsewhere; it has its room when it is sealed."""
    return _There(link, wire.dumped([[chosen, length, group]]))
