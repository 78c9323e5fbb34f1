"""Files are there whole or as they were, whatever happens while they are written."""

import os
import resource
import subprocess
import threading

import pytest

from workloads.whole_files import whole_file, write_whole


def test_a_file_that_the_disk_does_not_take_stays_as_it_was(tmp_path):
    file = tmp_path / "plan.json"
    write_whole(file, "old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(file, "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupted_block_leaves_the_old_file(tmp_path):
    file = tmp_path / "templates.sql"
    file.write_text("old")
    with pytest.raises(TypeError), whole_file(file) as stream:
        stream.writelines((b"half", "no bytes"))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_leftovers_of_killed_processes_are_removed_and_no_others(tmp_path):
    file = tmp_path / "plan.json"
    with subprocess.Popen(["true"]) as gone:
        pass
    left = tmp_path / f".plan.json.{gone.pid}.0a1b2c3d.unfinished"
    kept = [
        tmp_path / f".plan.json.{os.getpid()}.0a1b2c3d.unfinished",
        tmp_path / f".other.json.{gone.pid}.0a1b2c3d.unfinished",
    ]
    for each in (left, *kept):
        each.touch()
    write_whole(file, "new")
    assert sorted(tmp_path.iterdir()) == sorted([file, *kept])


def test_links_modes_and_pipes_are_kept(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("new", 0o640)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through")
    reader.join(10)
    assert read == ["through"]
    assert pipe.is_fifo()


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "new.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "new.txt").stat().st_mode & 0o777 == 0o640
