"""The profile of a disk: what is asked of it, what is left on it, and what is said of its cache."""

import errno
import fcntl
import mmap
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluation.calibration import disk, uncached_file
from evaluation.calibration.disk import (
    SCANNED_BYTES,
    SEQUENTIAL_BYTES,
    DiskProfile,
    ReadRate,
    disk_profile,
)
from evaluation.calibration.uncached_file import PREFIX, PageCache
from workloads.errors import SetUpError
from workloads.progress import Silent

MEMORY = Path("/dev/shm")
ATTEMPTS = 30
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


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(disk, "perf_counter", clock)
    return clock


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


def failing(number: int, after: int, real: Callable[..., int]) -> Callable[..., int]:
    """A system call that fails from its call number `after` on."""
    calls = []

    def call(*arguments: Any) -> int:
        calls.append(arguments)
        if len(calls) > after:
            raise OSError(number, os.strerror(number))
        return real(*arguments)

    return call


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


def test_where_o_direct_is_refused_each_request_is_flushed_and_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bypassed = caches(profile(tmp_path)) == {PageCache.BYPASSED}
    real = fcntl.fcntl

    def no_direct(descriptor: int, command: int, flags: int = 0) -> int:
        return refused() if flags & os.O_DIRECT else real(descriptor, command, flags)

    monkeypatch.setattr(fcntl, "fcntl", no_direct)
    calls = Calls().record(monkeypatch, "pwritev")
    flushes = []
    flush = os.fdatasync
    monkeypatch.setattr(os, "fdatasync", lambda fd: flushes.append(fd) or flush(fd))
    # In a folder in memory nothing can be dropped.
    expected = {PageCache.DROPPED if bypassed else PageCache.KEPT}
    # On a busy disk a page that is just being written is not dropped either: that passes.
    found = [profile(tmp_path)]
    while caches(found[-1]) != expected and len(found) < ATTEMPTS:
        time.sleep(0.1)
        found.append(profile(tmp_path))
    assert caches(found[-1]) == expected
    assert len(flushes) == len(calls.of("pwritev", SEQUENTIAL_BYTES)) + len(found)


def test_a_request_through_the_cache_leaves_no_page_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncached_file, "_bypass", lambda _: False)
    with uncached_file.uncached_file(tmp_path) as file, mmap.mmap(-1, SEQUENTIAL_BYTES) as buffer:
        file.write(buffer, 0)
        if file.page_cache() is PageCache.KEPT:
            pytest.skip("the folder is in memory")
        file.write(buffer, 0)
        assert uncached_file._resident_share(file.descriptor) == 0
        file.read(buffer, 0)
        assert uncached_file._resident_share(file.descriptor) == 0
        os.preadv(file.descriptor, [buffer], 0)
        assert uncached_file._resident_share(file.descriptor) == 1


def test_where_only_requests_are_refused_they_go_through_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwritev

    def picky(descriptor: int, buffers: list[Any], offset: int) -> int:
        direct = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DIRECT
        return refused() if direct else real(descriptor, buffers, offset)

    monkeypatch.setattr(os, "pwritev", picky)
    assert PageCache.BYPASSED not in caches(profile(tmp_path))


def test_pages_that_stay_in_memory_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncached_file, "_bypass", lambda _: False)
    monkeypatch.setattr(os, "posix_fadvise", lambda *_: None)
    assert caches(profile(tmp_path)) == {PageCache.KEPT}


@pytest.mark.skipif(not MEMORY.is_dir(), reason="there is no folder in memory")
def test_a_folder_in_memory_is_no_disk_though_it_takes_o_direct() -> None:
    assert caches(profile(MEMORY)) == {PageCache.KEPT}


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
