"""One node's memory: sealing, looking up, evicting, and what a killed node leaves."""

import os
import secrets
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evaluation.objects import segments
from evaluation.objects.errors import ExistsError, FullError, NotThereError, RefusedError
from evaluation.objects.holds import Holds
from evaluation.objects.ids import as_array, new_id, node_tag
from evaluation.objects.index import INDEX, Entry, Index
from evaluation.objects.mappings import Mappings
from evaluation.objects.memory import LOCK, Memory
from evaluation.objects.names import Names
from evaluation.objects.room import ALIGNMENT

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


def killed(memory: Memory) -> None:
    """As the kernel leaves it: files, and no lock."""
    os.close(memory._lock)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "node", 8 * MIB)


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


def test_a_reader_that_dies_holds_nothing(memory: Memory):
    first = stored(memory, bytes(5 * MIB))
    number = int(memory.find(first).segment[0])
    reads = (
        "import sys, time; from pathlib import Path; from evaluation.objects import mappings; "
        "kept = mappings.Mappings(Path(sys.argv[1])).use(int(sys.argv[2])); "
        "print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", reads, str(memory.folder), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"held\n"
        with pytest.raises(FullError):
            memory.create(some_id(), 5 * MIB)
        reader.kill()
    memory.create(some_id(), 5 * MIB)


def test_a_mapping_is_kept_after_its_last_use_but_not_in_use(memory: Memory):
    mappings = Mappings(memory.folder)
    one = stored(memory, bytes(5 * MIB))
    number = int(memory.find(one).segment[0])
    first, second = mappings.use(number), mappings.use(number)
    assert first is not None
    address = first.buffer().address
    del first
    with pytest.raises(FullError):
        memory.create(some_id(), 5 * MIB)
    del second
    again = mappings.use(number)
    assert again is not None
    assert again.buffer().address == address
    del again
    stored(memory, bytes(5 * MIB))
    assert mappings.use(number) is None
    mappings.sweep(0)
    assert f"{memory.folder}/segment" not in Path("/proc/self/maps").read_text()


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


def test_a_deleted_object_stays_for_those_who_read_it_and_counts_until_then(memory: Memory):
    data = secrets.token_bytes(5 * MIB)
    one = stored(memory, data)
    mapped = mapped_segment(memory, one)
    memory.delete([one])
    assert memory.usage().used_bytes == 5 * MIB
    assert bytes(mapped[: len(data)]) == data
    with pytest.raises(FullError):
        memory.create(some_id(), 5 * MIB)
    del mapped
    assert memory.usage().used_bytes == 0


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


def test_a_device_with_less_room_than_the_capacity_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FullError, match=r"less memory than the node's capacity of 8\.4 MB"):
        memory.create(some_id(), MIB)
    assert memory.usage().used_bytes == 0


def test_readers_see_whole_entries_while_objects_come_and_go(memory: Memory):
    index = Index(memory.folder / INDEX)
    wrong: list[int] = []
    ids = [(1 << 100 | number << 64 | number).to_bytes(16, "little") for number in range(1, 200)]
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            found = index.find(as_array(ids))
            numbers = np.arange(1, 200)[found.there]
            wrong.extend(numbers[found.length[found.there] != numbers].tolist())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(5):
        for number, one in enumerate(ids, 1):
            memory.create(one, number)
            memory.seal(one)
        memory.delete(ids)
    ended.set()
    reader.join()
    assert wrong == []


def test_a_hold_keeps_what_it_holds_until_its_reader_leaves(memory: Memory):
    holds = Holds(memory.folder)
    one = stored(memory, bytes(5 * MIB))
    reader = holds.join()
    _, held = holds.hold(reader, memory.find(one))
    assert held.found.there.all()
    del held
    with pytest.raises(FullError):
        memory.create(some_id(), 5 * MIB)
    holds.leave(reader)
    memory.create(some_id(), 5 * MIB)


def test_a_reader_that_says_nothing_for_too_long_holds_nothing(memory: Memory):
    now = [0.0]
    holds = Holds(memory.folder, lease_s=10, clock=lambda: now[0])
    one = stored(memory, bytes(5 * MIB))
    silent, alive = holds.join(), holds.join()
    hold = holds.hold(silent, memory.find(one))[0]
    assert holds.lock(silent, "space")
    now[0] = 9.0
    holds.heard(alive)
    assert holds.held(silent, hold) is not None
    assert not holds.lock(alive, "space")
    now[0] = 11.0
    holds.heard(alive)
    assert holds.held(silent, hold) is None
    assert holds.lock(alive, "space")
    memory.create(some_id(), 5 * MIB)


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
