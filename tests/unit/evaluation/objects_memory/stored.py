"""Objects in one node's memory."""

import pyarrow as pa

from evaluation.objects import segments
from evaluation.objects.ids import new_id, node_tag
from evaluation.objects.mappings import Mappings
from evaluation.objects.memory import Memory

MIB = 1 << 20


def some_id() -> bytes:
    return new_id(node_tag("a"))


def stored(memory: Memory, data: bytes, *, group: int = 0) -> bytes:
    object_id = some_id()
    entry = memory.create(object_id, len(data), group)
    segments.write_segment(memory.folder, entry.segment, entry.offset, data)
    memory.seal(object_id)
    return object_id


def content(memory: Memory, object_id: bytes) -> bytes:
    found = memory.find(object_id)
    assert found.there[0]
    return bytes(
        mapped_segment(memory, object_id).slice(int(found.offset[0]), int(found.length[0]))
    )


def mapped_segment(memory: Memory, object_id: bytes) -> pa.Buffer:
    """The segment of an object, in use as long as this is there."""
    used = Mappings(memory.folder).use(int(memory.find(object_id).segment[0]))
    assert used is not None
    return used.buffer()
