"""The folder that holds what is fetched once, and how to change it so that a kill does no harm."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workloads.errors import ConfigurationError, SetUpError
from workloads.paths import expanded
from workloads.progress import Progress

CACHE_VARIABLE = "PLACEMENT_ADVISOR_CACHE"


def cache_folder() -> Path:
    """Return the cache folder: PLACEMENT_ADVISOR_CACHE, or a folder in the user's cache.

    Raises:
        SetUpError: Nothing says where the user's folders are.
    """
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        if named := os.environ.get(CACHE_VARIABLE):
            return expanded(named).absolute()
        return expanded(base).absolute() / "placement-advisor"
    except ConfigurationError as error:
        raise SetUpError(
            f"The cache has no folder: {error} Set {CACHE_VARIABLE} to one, or HOME."
        ) from None


@contextmanager
def locked(name: str, progress: Progress) -> Iterator[None]:
    """Let one process at a time into the part of the cache called `name`; the others wait.

    The kernel opens the lock when its holder dies, so it is never left behind.
    """
    folder = cache_folder() / "locks"
    with disk_errors(cache_folder()):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / f"{name}.lock").open("a")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.task(f"Waiting for another process that prepares {name}"):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def fresh_folder(target: Path) -> Iterator[Path]:
    """Give an empty folder that becomes `target` when the block ends well, and else is dropped.

    What a killed process left half done is dropped first. Call it under a lock.
    """
    with scratch_folder(target.with_name(target.name + ".unfinished")) as unfinished:
        yield unfinished
        remove(target)
        unfinished.rename(target)


@contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder that is dropped when the block ends. Call it under a lock."""
    remove(path)
    try:
        with disk_errors(path.parent):
            path.mkdir(parents=True)
        yield path
    finally:
        remove(path)


def remove(path: Path) -> None:
    """Remove a file or folder with all it holds, if it is there."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full or read-only disk, or a folder that is not ours, into a SetUpError."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise SetUpError(disk_full(folder)) from error
        if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR}:
            raise SetUpError(
                f"Cannot write to {error.filename or folder} ({error.strerror}): "
                f"name another folder with {CACHE_VARIABLE}."
            ) from error
        raise


def disk_full(folder: Path) -> str:
    """Say that the disk of `folder` is full, how much is left and what to do."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free_bytes = shutil.disk_usage(existing).free
    return (
        f"the disk of {folder} is full ({free_bytes / 1e6:,.0f} MB free): "
        f"make room there, or name a folder on another disk with {CACHE_VARIABLE}."
    )
