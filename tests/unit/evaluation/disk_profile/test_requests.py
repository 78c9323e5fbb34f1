"""The requests to the disk: how much they read, where and for how long."""

import os
from pathlib import Path

import pytest

from evaluation.calibration.disk import SCANNED_BYTES, SEQUENTIAL_BYTES
from evaluation.calibration.uncached_file import PREFIX
from tests.unit.evaluation.disk_profile.profiled import (
    FILE_BYTES,
    Calls,
    Clock,
    Watched,
    profile,
    rates,
)


@pytest.mark.usefixtures("nothing_left")
def test_each_rate_tells_what_was_asked_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls().record(monkeypatch, "preadv", "pwritev")
    found = profile(tmp_path)
    sequential, single = rates(found)
    assert (sequential.block_bytes, single.block_bytes) == (SEQUENTIAL_BYTES, SCANNED_BYTES)
    assert found.file_bytes == FILE_BYTES
    assert len(calls.of("pwritev", SEQUENTIAL_BYTES)) * SEQUENTIAL_BYTES == FILE_BYTES
    for each in (sequential, single):
        assert each.reads == len(calls.of("preadv", each.block_bytes))
        assert each.bytes_per_s * each.seconds == pytest.approx(each.reads * each.block_bytes)


def test_requests_are_in_order_or_anywhere_and_all_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls().record(monkeypatch, "preadv", "pwritev")
    profile(tmp_path)
    for name in ("pwritev", "preadv"):
        large = calls.of(name, SEQUENTIAL_BYTES)
        assert large == [n % 2 * SEQUENTIAL_BYTES for n in range(len(large))]
    pages = calls.of("preadv", SCANNED_BYTES)
    assert all(offset % SCANNED_BYTES == 0 for offset in pages)
    assert 0 <= min(pages) < SEQUENTIAL_BYTES <= max(pages) <= FILE_BYTES - SCANNED_BYTES
    assert pages != sorted(pages)


def pages_read(monkeypatch: pytest.MonkeyPatch, folder: Path, seed: int) -> list[int]:
    with monkeypatch.context() as patch:
        calls = Calls().record(patch, "preadv")
        profile(folder, seed=seed)
    return calls.of("preadv", SCANNED_BYTES)


def test_the_offsets_are_those_of_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [pages_read(monkeypatch, tmp_path, seed) for seed in (7, 7, 8)]
    shortest = min(map(len, found))
    assert shortest > 1
    assert found[0][:shortest] == found[1][:shortest] != found[2][:shortest]


def test_a_slow_disk_gets_a_smaller_file_and_no_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(os, "pwritev", clock.slow(os.pwritev, 0.03))
    calls = Calls().record(monkeypatch, "preadv")
    found = profile(tmp_path, seconds=0.18, file_bytes=256 * SEQUENTIAL_BYTES)
    assert found.file_bytes == 2 * SEQUENTIAL_BYTES
    assert max(offset + length for _, length, offset in calls) <= found.file_bytes


def test_the_file_has_no_name_while_it_is_used_and_a_killed_run_s_is_removed(
    tmp_path: Path,
) -> None:
    (tmp_path / f"{PREFIX}of-a-killed-run").write_bytes(b"x")
    own = tmp_path / "of the server"
    own.write_bytes(b"x")
    seen: list[list[Path]] = []
    profile(tmp_path, progress=Watched(lambda: seen.append(list(tmp_path.iterdir()))))
    assert seen == [[own]] * 3
