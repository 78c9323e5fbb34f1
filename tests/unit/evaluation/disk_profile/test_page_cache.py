"""Requests bypass the kernel's page cache; where they cannot, the rate says so."""

import fcntl
import mmap
import os
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation.calibration import uncached_file
from evaluation.calibration.disk import SEQUENTIAL_BYTES
from evaluation.calibration.uncached_file import PageCache
from tests.unit.evaluation.disk_profile.profiled import Calls, caches, profile, refused

MEMORY = Path("/dev/shm")
ATTEMPTS = 30


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
