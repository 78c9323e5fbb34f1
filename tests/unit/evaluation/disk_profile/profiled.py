"""Profiles of a folder's disk, and the requests to the kernel that they make."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluation.calibration.disk import SEQUENTIAL_BYTES, DiskProfile, ReadRate, disk_profile
from evaluation.calibration.uncached_file import PageCache
from workloads.progress import Silent

FILE_BYTES = 2 * SEQUENTIAL_BYTES


class Calls(list[tuple[str, int, int]]):
    """Requests to the kernel in order: its name, length and offset."""

    def record(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> "Calls":
        for name in names:
            monkeypatch.setattr(os, name, self._recorded(name, getattr(os, name)))
        return self

    def _recorded(self, name: str, real: Callable[..., int]) -> Callable[..., int]:
        def call(descriptor: int, buffers: list[Any], offset: int) -> int:
            self.append((name, len(buffers[0]), offset))
            return real(descriptor, buffers, offset)

        return call

    def of(self, name: str, length: int) -> list[int]:
        """The offsets of those of one kind and length."""
        return [offset for each, size, offset in self if (each, size) == (name, length)]


class Watched(Silent):
    """Calls `look` whenever a part is done."""

    def __init__(self, look: Callable[[], None]) -> None:
        self.look = look

    def advance(self, amount: float = 1) -> None:
        self.look()

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator["Watched"]:
        yield self


class Clock:
    """Goes on by a millisecond whenever it is looked at, however busy the machine is."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        self.now_s += 0.001
        return self.now_s

    def slow(self, real: Callable[..., Any], took_s: float) -> Callable[..., Any]:
        """A system call that takes so long."""

        def call(*arguments: Any) -> Any:
            self.now_s += took_s
            return real(*arguments)

        return call


def profile(folder: Path, **changes: Any) -> DiskProfile:
    wanted = {"seconds": 0.2, "file_bytes": FILE_BYTES, "progress": Silent(), **changes}
    return disk_profile(folder, **wanted)


def rates(found: DiskProfile) -> tuple[ReadRate, ReadRate]:
    assert found.single_read is not None
    return found.sequential_read, found.single_read


def caches(found: DiskProfile) -> set[PageCache]:
    return {each.page_cache for each in rates(found)}


def refused(*_: object) -> int:
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
