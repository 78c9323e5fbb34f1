"""A node's side of one session: answers its requests until it ends."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from evaluation.objects import wire
from evaluation.objects.errors import NotThereError, ObjectError, RefusedError
from evaluation.objects.holds import Held, Holds
from evaluation.objects.ids import new_id, node_tag, parted
from evaluation.objects.index import Entry
from evaluation.objects.memory import Memory

Chunks = Iterator["pa.Buffer | bytes"]
Check = Callable[[Sequence[bytes]], None]


class SessionService:
    """One session on a node called `node`.

    `check_elsewhere` raises ExistsError for ids that another node has.
    """

    def __init__(self, node: str, memory: Memory, holds: Holds, check_elsewhere: Check) -> None:
        self._memory = memory
        self._holds = holds
        self._check_elsewhere = check_elsewhere
        self._tag = node_tag(node)
        self._reader = holds.join()
        self._created: set[bytes] = set()
        self._requests: dict[bytes, Callable[[bytes], bytes]] = {
            wire.HOLD: self._hold,
            wire.ALIVE: lambda _: b"",
            wire.CREATE: self._create,
            wire.SEAL: self.seal,
            wire.ABORT: self._abort,
            wire.LOCK: self._lock,
            wire.UNLOCK: self._unlock,
        }

    def end(self) -> None:
        """Let go of all that the session holds, and drop what it has not sealed."""
        self._holds.leave(self._reader)
        self._memory.delete(list(self._created))

    def answer(self, request: bytes) -> tuple[Iterable["pa.Buffer | bytes"], bytes | None]:
        """Return what to send as data, and then the answer, if there is to be one."""
        self._holds.heard(self._reader)
        letter, body = request[:1], request[1:]
        if letter == wire.LET_GO:
            for hold in wire.read_numbers(body):
                self._holds.let_go(self._reader, hold)
            return (), None
        try:
            if letter == wire.FETCH:
                return self._fetched(body), wire.ANSWER
            if letter not in self._requests:
                raise RefusedError(f"no such request: {letter!r}")
            return (), wire.ANSWER + self._requests[letter](body)
        except (ObjectError, ValueError, KeyError) as error:
            return (), wire.failure(error)

    def _create(self, body: bytes) -> bytes:
        made = self.create(body)
        return wire.dumped([(each.object_id.hex(), each.segment, each.offset) for each in made])

    def _hold(self, ids: bytes) -> bytes:
        number, held = self._holds.hold(self._reader, self._memory.find(ids))
        lengths = np.where(held.found.there, held.found.length.astype(np.int64), -1)
        return wire.hold_answer(number, lengths)

    def _fetched(self, body: bytes) -> Chunks:
        number, *positions = wire.read_numbers(body)
        held = self._holds.held(self._reader, number)
        if held is None:
            raise NotThereError("the hold has lapsed: nothing was heard of its reader for too long")
        return chunks(held, positions)

    def create(self, body: bytes) -> list[Entry]:
        """Make room for objects: each has the id that was chosen or none, its length and group."""
        wanted = [
            (bytes.fromhex(chosen) if chosen else new_id(self._tag), length, group)
            for chosen, length, group in json.loads(body)
        ]
        made = []
        try:
            for object_id, length, group in wanted:
                made.append(self._memory.create(object_id, length, group))
                self._created.add(object_id)
            if chosen := [each for each, *_ in wanted if not each.startswith(self._tag)]:
                self._check_elsewhere(chosen)
        except ObjectError:
            self._abort(b"".join(each.object_id for each in made))
            raise
        return made

    def seal(self, ids: bytes) -> bytes:
        """Seal objects that were made here."""
        for each in parted(ids):
            self._memory.seal(each)
            self._created.discard(each)
        return b""

    def _abort(self, ids: bytes) -> bytes:
        ours = [each for each in parted(ids) if each in self._created]
        self._memory.delete(ours)
        self._created.difference_update(ours)
        return b""

    def _lock(self, name: bytes) -> bytes:
        return bytes([self._holds.lock(self._reader, name.decode())])

    def _unlock(self, name: bytes) -> bytes:
        self._holds.unlock(self._reader, name.decode())
        return b""


def chunks(held: Held, positions: Sequence[int]) -> Chunks:
    """Yield the bytes of the objects at `positions` of a hold, end to end.

    Small ones are copied together, larger ones begin a chunk and are sent from where they lie.
    """
    wholes = {number: use.buffer() for number, use in held.segments.items()}
    together: list[memoryview] = []
    size = 0
    for position in positions:
        offset = int(held.found.offset[position])
        length = int(held.found.length[position])
        whole = wholes[int(held.found.segment[position])]
        if length < wire.TOGETHER_BYTES:
            together.append(memoryview(whole.slice(offset, length)))
            size += length
            if size >= wire.TOGETHER_BYTES:
                yield b"".join(together)
                together, size = [], 0
            continue
        if together:
            yield b"".join(together)
            together, size = [], 0
        for start in range(offset, offset + length, wire.CHUNK_BYTES):
            yield whole.slice(start, min(wire.CHUNK_BYTES, offset + length - start))
    if together:
        yield b"".join(together)
