"""Objects of one node's memory: created, sealed, looked up and deleted."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.objects import segments
from evaluation.objects.errors import ExistsError, NotThereError, RefusedError
from evaluation.objects.ids import as_array
from evaluation.objects.index import INDEX, Entry, Index
from evaluation.objects.memory import Memory
from evaluation.objects.room import ALIGNMENT
from tests.unit.evaluation.objects_memory.stored import (
    MIB,
    content,
    mapped_segment,
    some_id,
    stored,
)


def test_an_object_is_seen_once_it_is_sealed_and_not_before(memory: Memory):
    object_id = some_id()
    entry = memory.create(object_id, 5)
    segments.write_segment(memory.folder, entry.segment, entry.offset, b"bytes")
    assert not memory.find(object_id).there[0]
    memory.seal(object_id)
    assert content(memory, object_id) == b"bytes"
    with pytest.raises(NotThereError, match="not being created"):
        memory.seal(object_id)


def test_an_id_is_given_once(memory: Memory):
    object_id = stored(memory, b"one")
    with pytest.raises(ExistsError, match=object_id.hex()):
        memory.create(object_id, 1)
    with pytest.raises(RefusedError):
        memory.create(bytes(16), 1)
    with pytest.raises(RefusedError):
        memory.create(b"short", 1)


def test_objects_begin_where_arrow_wants_its_buffers(memory: Memory):
    for size in (1, 63, 64, 65, 2 * MIB):
        found = memory.find(stored(memory, bytes(size)))
        assert int(found.offset[0]) % ALIGNMENT == 0


def test_a_reader_finds_all_of_a_thousand_ids_and_none_else(memory: Memory):
    ids = [stored(memory, bytes([number % 256])) for number in range(1000)]
    index = Index(memory.folder / INDEX)
    assert index.find(as_array(ids)).there.all()
    assert not index.find(as_array([some_id() for _ in range(1000)])).there.any()
    memory.delete(ids[:500])
    assert np.array_equal(index.find(as_array(ids)).there, np.arange(1000) >= 500)


def test_ids_that_differ_in_few_bits_are_told_apart(tmp_path: Path):
    Index.create(tmp_path / "i", 1)
    index = Index(tmp_path / "i", writable=True)
    ids = [(number << 64 | 7).to_bytes(16, "little") for number in range(1, 2000)]
    for number, one in enumerate(ids):
        index.add(Entry(object_id=one, segment=number, offset=0, length=1, group=0))
    assert index.find(as_array(ids)).segment.tolist() == list(range(len(ids)))
    assert len(list(index.entries())) == len(ids)


def test_an_object_that_is_given_up_leaves_its_room(memory: Memory):
    one = some_id()
    memory.create(one, 7 * MIB)
    memory.delete([one])
    assert memory.usage().used_bytes == 0


def test_a_sealed_segment_is_read_only(memory: Memory):
    one = stored(memory, bytes(2 * MIB))
    number = int(memory.find(one).segment[0])
    path = segments.segment_path(memory.folder, number)
    assert path.stat().st_mode & 0o777 == 0o400
    assert not mapped_segment(memory, one).is_mutable
