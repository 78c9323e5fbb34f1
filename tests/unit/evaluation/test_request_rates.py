"""The sweep of a disk by the size of requests: what is asked, what is left, what is known."""

import os
import time
from pathlib import Path

import pytest

from evaluation.calibration import request_rates
from evaluation.calibration.request_rates import (
    REQUEST_BYTES,
    available_bytes,
    gathered_bytes,
    queued_s,
    read_ahead_bytes,
    swept_disk,
)
from evaluation.calibration.uncached_file import PageCache, UncachedFile
from workloads.errors import SetUpError
from workloads.progress import Silent

MB = 1 << 20


def test_each_size_is_read_and_appended_and_nothing_is_left(tmp_path: Path) -> None:
    """A quarter of the file, one MiB at least, is appended of each size at most."""
    swept = swept_disk(tmp_path, seconds=0.2, file_bytes=2 * MB, progress=Silent())
    assert list(tmp_path.iterdir()) == []
    assert tuple(swept.rates.read_s) == tuple(swept.rates.append_s) == REQUEST_BYTES
    assert all(each > 0 for each in (*swept.rates.read_s.values(), *swept.rates.append_s.values()))
    assert 0 < swept.file_bytes <= 2 * MB
    assert swept.rates.sequential_read_bytes_per_s > 0
    assert swept.rates.mixed_read_bytes_per_s > 0


def test_the_appended_file_stays_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However fast the disk is, appends end at a quarter of the file that is read."""
    ends: dict[int, int] = {}

    def remembered(file: UncachedFile, buffer: bytes, offset: int) -> None:
        ends[file.descriptor] = max(ends.get(file.descriptor, 0), offset + len(buffer))

    monkeypatch.setattr(UncachedFile, "write", remembered)
    monkeypatch.setattr(UncachedFile, "read", lambda *_: None)
    swept = swept_disk(tmp_path, seconds=2.0, file_bytes=8 * MB, progress=Silent())
    assert sorted(ends.values()) == [2 * MB, 8 * MB]
    # The appends of each size, and those beside reads.
    assert swept.written_bytes <= 8 * MB + (len(REQUEST_BYTES) + 1) * 2 * MB


def test_memory_is_told_from_a_disk() -> None:
    swept = swept_disk(Path("/dev/shm"), seconds=0.1, file_bytes=MB, progress=Silent())
    assert swept.page_cache is PageCache.KEPT


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetUpError, match="cannot be measured"):
        swept_disk(tmp_path / "none", seconds=0.1, file_bytes=MB, progress=Silent())


def test_seconds_in_which_others_ran_are_not_the_disks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock in which the thread always waits for a core leaves nothing to the disk."""
    monkeypatch.setattr(request_rates, "queued_s", time.perf_counter)
    swept = swept_disk(tmp_path, seconds=0.2, file_bytes=MB, progress=Silent())
    assert max(swept.rates.read_s.values()) < 1e-3


def test_a_thread_that_sleeps_waits_for_no_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "schedstat").write_text("5000000000 2500000000 7\n")
    monkeypatch.setattr(request_rates, "_SCHEDULED", tmp_path / "schedstat")
    assert queued_s() == 2.5
    (tmp_path / "schedstat").unlink()
    assert queued_s() == 0


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What Linux says of writing, with 1,000 kB of available memory."""
    (tmp_path / "dirty_background_bytes").write_text("0\n")
    (tmp_path / "dirty_background_ratio").write_text("10\n")
    (tmp_path / "dirty_expire_centisecs").write_text("3000\n")
    (tmp_path / "meminfo").write_text("MemTotal: 2000 kB\nMemAvailable: 1000 kB\n")
    monkeypatch.setattr(request_rates, "_VM", tmp_path)
    monkeypatch.setattr(request_rates, "_MEMORY", tmp_path / "meminfo")
    return tmp_path


def test_a_share_of_available_memory_is_gathered(kernel: Path) -> None:
    assert available_bytes() == 1_024_000
    assert gathered_bytes(1e9) == pytest.approx(102_400)


def test_a_slow_disk_gathers_what_it_takes_in_30_s(kernel: Path) -> None:
    assert gathered_bytes(1000) == 30_000


def test_a_bound_in_bytes_is_taken_before_a_share(kernel: Path) -> None:
    (kernel / "dirty_background_bytes").write_text("5000\n")
    (kernel / "meminfo").unlink()
    assert gathered_bytes(1e9) == 5000


def test_a_partition_is_read_ahead_as_its_disk_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_rates, "_DEVICES", tmp_path)
    assert read_ahead_bytes(os.makedev(8, 1)) is None
    (tmp_path / "sda" / "queue").mkdir(parents=True)
    (tmp_path / "sda" / "queue" / "read_ahead_kb").write_text("128\n")
    (tmp_path / "sda" / "sda1").mkdir()
    (tmp_path / "8:0").symlink_to(tmp_path / "sda")
    (tmp_path / "8:1").symlink_to(tmp_path / "sda" / "sda1")
    assert [read_ahead_bytes(os.makedev(8, each)) for each in (0, 1)] == [128 * 1024] * 2


def test_what_is_gathered_is_unknown_where_the_system_does_not_say(kernel: Path) -> None:
    (kernel / "meminfo").unlink()
    assert available_bytes() is None
    assert gathered_bytes(1e9) is None
