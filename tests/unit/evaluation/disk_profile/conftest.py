"""A clock that no busy machine moves, and a check that a profile leaves nothing behind."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.calibration import disk
from tests.unit.evaluation.disk_profile.profiled import Clock


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(disk, "perf_counter", clock)
    return clock


@pytest.fixture
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """No file in the folder, none without a name that takes its room, and no thread."""
    threads = threading.active_count()
    yield
    assert list(tmp_path.iterdir()) == []
    opened = [link for link in map(target, Path("/proc/self/fd").iterdir()) if link]
    assert [link for link in opened if link.startswith(str(tmp_path))] == []
    assert threading.active_count() == threads


def target(link: Path) -> str:
    # The listing's own descriptor is closed by now.
    return str(link.readlink()) if link.is_symlink() else ""
