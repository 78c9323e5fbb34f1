"""Caches of this machine: what the system says, and what references through memory tell."""

from pathlib import Path

import pytest

from evaluation.calibration.caches import (
    SaidCache,
    chain_of,
    levels,
    reference_seconds,
    said_caches,
)
from placement.memory.machine import CacheLevel, Machine
from workloads.progress import Silent

KB, MB = 1 << 10, 1 << 20


def cache(folder: Path, index: int, **said: str) -> None:
    path = folder / f"index{index}"
    path.mkdir()
    for name, value in said.items():
        (path / name).write_text(f"{value}\n")


def test_levels_for_data_are_read_as_the_system_says_them(tmp_path: Path) -> None:
    cache(tmp_path, 1, type="Instruction", level="1", size="32K", shared_cpu_list="0")
    cache(tmp_path, 3, type="Unified", level="3", size="32M", shared_cpu_list="0-1")
    cache(tmp_path, 0, type="Data", level="1", size="32K", shared_cpu_list="0")
    assert said_caches(tmp_path) == (
        SaidCache(level=1, size_bytes=32 * KB, shared=False),
        SaidCache(level=3, size_bytes=32 * MB, shared=True),
    )


def test_a_level_without_a_size_is_left_out(tmp_path: Path) -> None:
    cache(tmp_path, 0, type="Data", level="1", shared_cpu_list="0")
    cache(tmp_path, 1, type="Data", level="1", size="", shared_cpu_list="0")
    assert said_caches(tmp_path) == ()
    assert said_caches(tmp_path / "none") == ()


def test_a_chain_leads_through_every_line_once() -> None:
    chain = chain_of(64 * KB, seed=3)
    visited, at = [], 0
    for _ in range(1024):
        visited.append(at)
        at = chain[at]
    assert at == 0
    assert sorted(visited) == [line * 8 for line in range(1024)]


def test_references_are_measured_for_each_size() -> None:
    found = reference_seconds((4 * KB, 64 * KB), seconds=0.02, progress=Silent())
    assert list(found) == [4 * KB, 64 * KB]
    assert all(0 < each < 1 for each in found.values())


def test_levels_explain_what_was_measured() -> None:
    """A cache of 1 MiB and one of 8 MiB come out of the seconds that they make."""
    private = CacheLevel(size_bytes=MB, miss_s=10e-9, shared=False)
    shared = CacheLevel(size_bytes=8 * MB, miss_s=100e-9, shared=True)
    machine = Machine(caches=(private, shared))
    sizes = [256 * KB << power for power in range(10)]
    measured = {size: 30e-9 + machine.miss_s(size) for size in sizes}
    said = [
        SaidCache(level=2, size_bytes=MB, shared=False),
        SaidCache(level=3, size_bytes=32 * MB, shared=True),
    ]
    found = levels(measured, said)
    assert [(each.size_bytes, each.shared) for each in found] == [(MB, False), (8 * MB, True)]
    assert [each.miss_s for each in found] == pytest.approx([10e-9, 100e-9])


def test_no_level_gives_seconds_back() -> None:
    """Where a larger size happens to be measured faster, no wait is below nothing."""
    found = levels({MB: 30e-9, 2 * MB: 90e-9, 4 * MB: 50e-9, 8 * MB: 100e-9})
    assert found
    assert all(each.miss_s > 0 and each.shared for each in found)
