"""Objects that make room for others, and objects that stay."""

import os
import secrets
from pathlib import Path

import numpy as np
import pytest

from evaluation.objects.errors import FullError
from evaluation.objects.memory import Memory
from tests.unit.evaluation.objects_memory.stored import (
    MIB,
    content,
    mapped_segment,
    some_id,
    stored,
)


def test_the_object_longest_unused_is_evicted_first(memory: Memory):
    first, second, third = (stored(memory, bytes(2 * MIB)) for _ in range(3))
    content(memory, first)
    stored(memory, bytes(3 * MIB))
    assert memory.find(first + second + third).there.tolist() == [True, False, True]
    assert memory.usage().evicted == 1


def test_what_is_in_use_is_not_evicted(memory: Memory):
    first = stored(memory, b"x" * 3 * MIB)
    mapped = mapped_segment(memory, first)
    second = stored(memory, bytes(3 * MIB))
    stored(memory, bytes(3 * MIB))
    assert memory.find(first + second).there.tolist() == [True, False]
    with pytest.raises(FullError, match="in use"):
        stored(memory, bytes(6 * MIB))
    assert bytes(mapped[:1]) == b"x"
    del mapped
    stored(memory, bytes(6 * MIB))
    assert not memory.find(first).there[0]


def test_objects_of_a_group_stay(memory: Memory):
    table = stored(memory, bytes(5 * MIB), group=7)
    with pytest.raises(FullError, match="drop tables"):
        stored(memory, bytes(5 * MIB))
    assert [each.object_id for each in memory.entries(7)] == [table]
    assert memory.delete([table]) == 1
    stored(memory, bytes(5 * MIB))


def test_small_objects_are_evicted_when_their_segment_is_full(tmp_path: Path):
    memory = Memory(tmp_path / "node", MIB)
    ids = [stored(memory, secrets.token_bytes(1000)) for _ in range(5000)]
    usage = memory.usage()
    assert usage.used_bytes <= MIB
    assert usage.objects + usage.evicted == 5000
    there = memory.find(b"".join(ids)).there
    assert there.sum() == usage.objects
    # The oldest went.
    assert np.array_equal(there, np.sort(there))


def test_a_device_with_less_room_than_the_capacity_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FullError, match=r"less memory than the node's capacity of 8\.4 MB"):
        memory.create(some_id(), MIB)
    assert memory.usage().used_bytes == 0
