"""MLflow's database is made whole; a damaged one is set aside; nothing is recorded twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from mlflow import MlflowClient

from evaluation.tracking.database import damage, file_of, prepared
from evaluation.tracking.track import STARTED_TAG, Artifacts, Description, prepare, runs, track
from tests.unit.advisor import measurements as made


def prepared_with(content: bytes, file: Path) -> str:
    """Prepare the database at its place with what MLflow has made: its making takes seconds."""
    return prepared(f"sqlite:///{file}", lambda uri: file_of(uri).write_bytes(content))


@pytest.mark.parametrize("after_s", [0.0, 0.5])
def test_a_kill_amid_its_making_leaves_nothing_at_its_place(tmp_path, empty_tracking, after_s):
    file = tmp_path / "tracking.db"
    code = f"from evaluation.tracking.track import prepare; prepare('sqlite:///{file}')"
    process = subprocess.Popen([sys.executable, "-c", code])
    ended = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < ended:
        time.sleep(0.01)
    time.sleep(after_s)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not file.exists() or damage(file) == ""
    assert list(tmp_path.iterdir()) != []
    prepared_with(empty_tracking, file)
    assert [each.name for each in tmp_path.iterdir()] == ["tracking.db"]


def test_whole_databases_are_left_alone(tmp_path, empty_tracking):
    file = tmp_path / "tracking.db"
    file.write_bytes(empty_tracking)
    assert prepare(f"sqlite:///{file}") == ""
    assert file.read_bytes() == empty_tracking
    with closing(sqlite3.connect(file)) as locked:
        locked.execute("BEGIN EXCLUSIVE")
        assert damage(file) == ""


def _cut_off(content: bytes, file) -> None:
    file.write_bytes(content)
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("CREATE TABLE _alembic_tmp_experiments (a INTEGER)")
        opened.commit()


@pytest.mark.parametrize(
    "spoil",
    [
        _cut_off,
        lambda content, file: file.write_bytes(b"no database at all" * 100),
        lambda content, file: file.write_bytes(b""),
        lambda content, file: file.write_bytes(content[: len(content) // 2]),
    ],
    ids=["cut off by a kill", "another file", "empty", "half"],
)
def test_a_damaged_database_is_set_aside_with_a_line(tmp_path, empty_tracking, spoil):
    file = tmp_path / "tracking.db"
    spoil(empty_tracking, file)
    spoilt = file.read_bytes()
    said = prepared_with(empty_tracking, file)
    (aside,) = tmp_path.glob("tracking.db.damaged-*")
    assert "is damaged" in said
    assert aside.name in said
    assert aside.read_bytes() == spoilt
    assert damage(file) == ""


def test_what_was_cut_off_amid_recording_is_recorded_once(tmp_path, empty_tracking):
    file = tmp_path / "tracking.db"
    file.write_bytes(empty_tracking)
    uri, measured = f"sqlite:///{file}", made.demo()
    recording = {"uri": uri, "experiment": "demo", "folder": tmp_path / "artifacts"}
    run = track(measured, Artifacts(), Description(), **recording)
    client = MlflowClient(tracking_uri=uri)
    client.update_run(run, status="RUNNING")
    again = track(measured, Artifacts(), Description(), **recording)
    assert again != run
    assert track(measured, Artifacts(), Description(), **recording) == again
    assert len(runs(uri, "demo")) == 1 + len(measured.candidates)
    assert client.get_run(again).data.tags[STARTED_TAG] == measured.started_at
