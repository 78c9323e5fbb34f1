"""A disk that fails or has no room is told in one line, and nothing is left on it."""

import errno
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.calibration import disk
from evaluation.calibration.disk import SEQUENTIAL_BYTES
from tests.unit.evaluation.disk_profile.profiled import Calls, Watched, profile
from workloads.errors import SetUpError


def failing(number: int, after: int, real: Callable[..., int]) -> Callable[..., int]:
    """A system call that fails from its call number `after` on."""
    calls = []

    def call(*arguments: Any) -> int:
        calls.append(arguments)
        if len(calls) > after:
            raise OSError(number, os.strerror(number))
        return real(*arguments)

    return call


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("after", [0, 1, 2])
@pytest.mark.parametrize(
    "failure",
    [
        ("preadv", errno.EIO, "Input/output error"),
        ("pwritev", errno.ENOSPC, "make room there"),
        ("pwritev", errno.EDQUOT, "make room there"),
    ],
)
def test_a_disk_that_fails_is_told_in_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: tuple[str, int, str], after: int
) -> None:
    call, number, said = failure
    monkeypatch.setattr(os, call, failing(number, after, getattr(os, call)))
    with pytest.raises(SetUpError, match=said) as error:
        profile(tmp_path)
    assert str(tmp_path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("nothing_left")
def test_a_flush_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdatasync", failing(errno.EIO, 0, os.fdatasync))
    with pytest.raises(SetUpError, match="Input/output error"):
        profile(tmp_path)


@pytest.mark.usefixtures("nothing_left")
def test_a_file_that_is_cut_is_no_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "preadv", lambda *_: 512)
    with pytest.raises(SetUpError, match=f"512 of {SEQUENTIAL_BYTES} bytes"):
        profile(tmp_path)


@pytest.mark.usefixtures("nothing_left")
def test_a_disk_without_twice_the_room_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls().record(monkeypatch, "pwritev")
    free = shutil.disk_usage(tmp_path).free
    with pytest.raises(SetUpError, match="make room there") as error:
        profile(tmp_path, file_bytes=free // 2 + SEQUENTIAL_BYTES * 64)
    assert "\n" not in str(error.value)
    assert calls == []


@pytest.mark.parametrize("name", ["missing", "a file", "/proc"])
def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "a file").touch()
    # What is no disk says that it has no room.
    monkeypatch.setattr(disk, "refuse_without_room", lambda *_: None)
    with pytest.raises(SetUpError, match="must be a folder that the advisor may write to"):
        profile(tmp_path / name)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("part", range(3))
def test_an_interruption_between_parts_leaves_nothing(tmp_path: Path, part: int) -> None:
    done = []

    def interrupt() -> None:
        done.append(1)
        if len(done) > part:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        profile(tmp_path, progress=Watched(interrupt))
    assert len(done) == part + 1


@pytest.mark.usefixtures("nothing_left")
def test_an_interruption_amid_a_part_ends_it_at_once(tmp_path: Path) -> None:
    def interrupt_soon() -> None:
        main = threading.main_thread().ident
        assert main is not None
        timer = threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT))
        timer.start()
        timers.append(timer)

    timers: list[threading.Timer] = []
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        profile(tmp_path, seconds=1e9, progress=Watched(interrupt_soon))
    timers[0].join()
    assert len(timers) == 1
    assert time.perf_counter() - started < 50
