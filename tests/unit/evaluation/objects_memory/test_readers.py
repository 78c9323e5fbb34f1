"""An object stays in memory as long as somebody reads it, and no longer."""

import secrets
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from evaluation.objects.errors import FullError
from evaluation.objects.holds import Holds
from evaluation.objects.ids import as_array
from evaluation.objects.index import INDEX, Index
from evaluation.objects.mappings import Mappings
from evaluation.objects.memory import Memory
from tests.unit.evaluation.objects_memory.stored import MIB, mapped_segment, some_id, stored


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
