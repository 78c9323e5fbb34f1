"""The memory of a node that ends or is killed, and the names of values in it."""

import os
import secrets
from pathlib import Path

import pytest

from evaluation.objects.errors import RefusedError
from evaluation.objects.memory import LOCK, Memory
from evaluation.objects.names import Names
from tests.unit.evaluation.objects_memory.stored import MIB, content, some_id, stored


def killed(memory: Memory) -> None:
    """As the kernel leaves it: files, and no lock."""
    os.close(memory._lock)


def test_the_next_node_finds_what_a_killed_one_had_sealed(memory: Memory):
    kept = stored(memory, b"k" * 3000, group=3)
    large = stored(memory, secrets.token_bytes(2 * MIB))
    unsealed = some_id()
    memory.create(unsealed, 2 * MIB)
    Names(memory.folder).bind("space", "n", "v")
    killed(memory)
    again = Memory(memory.folder, 8 * MIB)
    assert content(again, kept) == b"k" * 3000
    assert again.find(kept + large + unsealed).there.tolist() == [True, True, False]
    assert [each.object_id for each in again.entries(3)] == [kept]
    assert Names(memory.folder).all_in("space") == {"n": "v"}
    # What was not sealed has left its room.
    stored(again, bytes(5 * MIB))
    assert again.find(large).there[0]


def test_two_nodes_do_not_share_a_memory(memory: Memory):
    with pytest.raises(RefusedError, match="another node has its memory"):
        Memory(memory.folder, MIB)
    assert (memory.folder / LOCK).exists()


def test_a_node_that_ends_leaves_nothing(memory: Memory):
    stored(memory, b"x")
    Names(memory.folder).bind("s", "n", "v")
    memory.release()
    assert not memory.folder.exists()


def test_a_name_has_its_old_value_or_its_new_one(tmp_path: Path):
    names = Names(tmp_path)
    names.bind("s", "a/b", "1")
    names.bind("s/a", "b", "2")
    assert names.all_in("s") == {"a/b": "1"}
    names.bind("s", "a/b", "3")
    assert (names.all_in("s"), names.all_in("s/a")) == ({"a/b": "3"}, {"b": "2"})
    (tmp_path / "names" / "half.unfinished").write_text("{")
    assert Names(tmp_path).all_in("s") == {"a/b": "3"}
    names.unbind("s", "a/b")
    assert names.all_in("s") == {}
