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
from random import Random
from typing import Any

import pytest

from evaluation.calibration import disk, uncached_file
from evaluation.calibration.disk import (
    PAGE_BYTES,
    QUEUE_DEPTH,
    SCANNED_BYTES,
    SEQUENTIAL_BYTES,
    DiskProfile,
    IoRate,
    disk_profile,
)
from evaluation.calibration.uncached_file import PREFIX, PageCache
from workloads.errors import SetUpError
from workloads.progress import Silent

MEMORY = Path("/dev/shm")
FILE_BYTES = 2 * SEQUENTIAL_BYTES


class Calls(list[tuple[str, int, int, int]]):
    """Requests to the kernel in order: its name, of which buffer, length and offset."""

    def record(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> "Calls":
        for name in names:
            monkeypatch.setattr(os, name, self._recorded(name, getattr(os, name)))
        return self

    def _recorded(self, name: str, real: Callable[..., int]) -> Callable[..., int]:
        def call(descriptor: int, buffers: list[Any], offset: int) -> int:
            self.append((name, id(buffers[0]), len(buffers[0]), offset))
            return real(descriptor, buffers, offset)

        return call

    def of(self, length: int) -> list[tuple[str, int, int]]:
        return [(name, buffer, offset) for name, buffer, each, offset in self if each == length]


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


def rates(found: DiskProfile) -> tuple[IoRate, ...]:
    return found.sequential_write, found.sequential_read, found.random_read, found.mixed


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
    large, small = calls.of(SEQUENTIAL_BYTES), calls.of(PAGE_BYTES)
    asked = {
        (length, name): sum(each[0] == name for each in some)
        for length, some in (("large", large), ("small", small))
        for name in ("preadv", "pwritev")
    }
    write, read, random, mixed = rates(found)
    assert (write.reads, write.writes) == (0, asked["large", "pwritev"])
    assert (read.reads, read.writes) == (asked["large", "preadv"], 0)
    assert random.writes == 0
    assert random.reads + mixed.reads == asked["small", "preadv"]
    # One more tries whether the page cache can be bypassed.
    assert mixed.writes == asked["small", "pwritev"] - 1
    assert [each.block_bytes for each in rates(found)] == [1 << 20, 1 << 20, 8192, 8192]
    assert [each.queue_depth for each in rates(found)] == [1, 1, QUEUE_DEPTH, QUEUE_DEPTH]
    assert found.file_bytes == FILE_BYTES == write.writes * SEQUENTIAL_BYTES
    alone = found.single_read
    assert alone is not None
    assert (alone.writes, alone.block_bytes, alone.queue_depth) == (0, SCANNED_BYTES, 1)
    assert alone.reads == len(calls.of(SCANNED_BYTES))
    for each in (*rates(found), alone):
        operations = each.operations_per_s * each.seconds
        assert operations == pytest.approx(each.reads + each.writes)
        assert each.bytes_per_s * each.seconds == pytest.approx(operations * each.block_bytes)


def test_requests_are_in_order_or_anywhere_and_all_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls().record(monkeypatch, "preadv", "pwritev")
    profile(tmp_path)
    large = [offset for _, _, offset in calls.of(SEQUENTIAL_BYTES)]
    assert large == [n % 2 * SEQUENTIAL_BYTES for n in range(len(large))]
    small = [offset for _, _, offset in calls.of(PAGE_BYTES)]
    assert all(offset % PAGE_BYTES == 0 for offset in small)
    assert 0 <= min(small) < SEQUENTIAL_BYTES <= max(small) <= FILE_BYTES - PAGE_BYTES
    assert small != sorted(small)


def test_three_in_four_of_mixed_requests_read(tmp_path: Path) -> None:
    mixed = profile(tmp_path, seconds=1.2).mixed
    operations = mixed.reads + mixed.writes
    # Five standard deviations of so many draws.
    most = 5 * (0.75 * 0.25 / operations) ** 0.5
    assert abs(mixed.reads / operations - 0.75) < most


def first_offsets(monkeypatch: pytest.MonkeyPatch, folder: Path, seed: int) -> list[int]:
    """What each of the streams of random reads asks for first."""
    with monkeypatch.context() as patch:
        calls = Calls().record(patch, "preadv")
        found = profile(folder, seed=seed)
    reads = calls.of(PAGE_BYTES)[: found.random_read.reads]
    return sorted({buffer: offset for _, buffer, offset in reversed(reads)}.values())


def test_the_offsets_are_those_of_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [first_offsets(monkeypatch, tmp_path, seed) for seed in (7, 7, 8)]
    assert found[0] == found[1] != found[2]
    assert len(found[0]) == QUEUE_DEPTH


def test_a_slow_disk_gets_a_smaller_file_and_no_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(os, "pwritev", clock.slow(os.pwritev, 0.03))
    calls = Calls().record(monkeypatch, "preadv")
    found = profile(tmp_path, file_bytes=256 * SEQUENTIAL_BYTES)
    assert found.sequential_write.writes == 2
    assert found.file_bytes == 2 * SEQUENTIAL_BYTES
    assert max(offset + length for _, _, length, offset in calls) <= found.file_bytes


def test_what_is_written_is_flushed_before_the_clock_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(os, "fdatasync", clock.slow(os.fdatasync, 3.0))
    found = profile(tmp_path)
    assert min(found.sequential_write.seconds, found.mixed.seconds) > 3
    assert max(found.sequential_read.seconds, found.random_read.seconds) < 3


def test_the_file_has_no_name_while_it_is_used_and_a_killed_run_s_is_removed(
    tmp_path: Path,
) -> None:
    (tmp_path / f"{PREFIX}of-a-killed-run").write_bytes(b"x")
    own = tmp_path / "of the server"
    own.write_bytes(b"x")
    seen: list[list[Path]] = []
    profile(tmp_path, progress=Watched(lambda: seen.append(list(tmp_path.iterdir()))))
    assert seen == [[own]] * 5


def test_where_o_direct_is_refused_each_request_is_flushed_and_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bypassed = caches(profile(tmp_path)) == {PageCache.BYPASSED}
    real = fcntl.fcntl

    def no_direct(descriptor: int, command: int, flags: int = 0) -> int:
        return refused() if flags & os.O_DIRECT else real(descriptor, command, flags)

    monkeypatch.setattr(fcntl, "fcntl", no_direct)
    flushes = []
    flush = os.fdatasync
    monkeypatch.setattr(os, "fdatasync", lambda fd: flushes.append(fd) or flush(fd))
    found = profile(tmp_path)
    # In a folder in memory nothing can be dropped.
    assert caches(found) == {PageCache.DROPPED if bypassed else PageCache.KEPT}
    assert len(flushes) == sum(each.writes + bool(each.writes) for each in rates(found))


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
@pytest.mark.parametrize("after", [0, 1, 4])
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
@pytest.mark.parametrize("after", [0, 1])
def test_a_flush_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(os, "fdatasync", failing(errno.EIO, after, os.fdatasync))
    with pytest.raises(SetUpError, match="Input/output error"):
        profile(tmp_path)


@pytest.mark.usefixtures("nothing_left")
def test_where_one_request_fails_the_others_end_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytes(PAGE_BYTES)
    streams = [disk._anywhere(Random(n), FILE_BYTES, 1.0) for n in range(QUEUE_DEPTH)]
    started = time.perf_counter()
    with uncached_file.uncached_file(tmp_path) as file:
        os.truncate(file.descriptor, FILE_BYTES)
        real, calls = os.preadv, []

        def once(*arguments: Any) -> int:
            calls.append(arguments)
            return refused() if len(calls) == 60 else real(*arguments)

        monkeypatch.setattr(os, "preadv", once)
        with pytest.raises(OSError, match="Invalid argument"):
            disk._rate(file, streams, content, 1e9)
    assert time.perf_counter() - started < 50


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
    monkeypatch.setattr(disk, "_refuse_without_room", lambda *_: None)
    with pytest.raises(SetUpError, match="must be a folder that the advisor may write to"):
        profile(tmp_path / name)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("part", range(5))
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
