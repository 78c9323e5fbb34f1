"""Temporary folders that go even if their process is killed: the next one removes them."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workloads.cache import disk_errors

PREFIX = "placement-advisor-temporary-"
# Between its making and its locking a folder looks like a dead one.
_YOUNG_S = 60.0


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a temporary folder that is removed afterwards, by the next one if we are killed.

    Its lock says that its process lives: the kernel opens it when the process ends.

    Raises:
        SetUpError: The disk is full or cannot be written to.
    """
    base = Path(tempfile.gettempdir())
    for path in base.glob(f"{PREFIX}*"):
        _remove_if_dead(path)
    with disk_errors(base):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = (folder / "lock").open("a")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_if_dead(folder: Path) -> None:
    try:
        if time.time() - folder.stat().st_mtime < _YOUNG_S:
            return
        with (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        # Another user's, or alive.
        return
