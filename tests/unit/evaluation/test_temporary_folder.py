"""The temporary folders of processes that were killed."""

import fcntl
import os
import tempfile
from pathlib import Path

import pytest

from evaluation.temporary_folder import PREFIX, temporary_folder


def left_behind(folder: Path, name: str, *, age_s: float) -> Path:
    path = folder / f"{PREFIX}{name}"
    path.mkdir()
    (path / "lock").touch()
    (path / "data").write_text("of a session")
    born = path.stat().st_mtime - age_s
    os.utime(path, (born, born))
    return path


def test_a_new_folder_removes_what_killed_ones_left_and_nothing_of_the_living(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = left_behind(tmp_path, "dead", age_s=3600)
    young = left_behind(tmp_path, "young", age_s=0)
    alive = left_behind(tmp_path, "alive", age_s=3600)
    with (alive / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with temporary_folder() as mine:
            assert mine.parent == tmp_path
            assert not dead.exists()
    assert young.exists()
    assert alive.exists()
    assert not mine.exists()
