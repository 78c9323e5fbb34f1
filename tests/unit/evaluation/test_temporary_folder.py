"""The temporary folders of processes that were killed."""

import fcntl
import os
import tempfile
from pathlib import Path
from unittest.mock import Mock

import pytest
from pyspark import SparkConf, java_gateway

from evaluation.processes.temporary_folder import PREFIX, temporary_folder
from evaluation.spark.java import launch
from evaluation.tracking.records import Record
from evaluation.tracking.writing import write_run
from workloads.errors import SetUpError


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


def test_what_pyspark_makes_while_java_starts_lies_in_our_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []

    def killed(*_: object, env: dict[str, str], **__: object) -> None:
        answers.append(Path(env["_PYSPARK_DRIVER_CONN_INFO_PATH"]))
        raise OSError("killed")

    monkeypatch.setattr(java_gateway, "Popen", killed)
    with pytest.raises(SetUpError):
        launch(SparkConf(loadDefaults=False), tmp_path)
    (answer,) = answers
    assert tmp_path in answer.parents
    assert java_gateway.tempfile is tempfile


def test_artifacts_on_their_way_to_mlflow_lie_in_a_folder_that_the_next_run_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    client = Mock()
    client.log_artifact.side_effect = lambda _, file: seen.append((file, Path(file).read_text()))
    seen: list[tuple[str, str]] = []
    record = Record(name="r", params={}, metrics={}, started_ms=0, ended_ms=1)
    files = {"lock": "l", "plan.json": "{}"}
    write_run(client, "1", record, files, dataset=None, tags={})
    assert [(Path(file).name, text) for file, text in seen] == [("lock", "l"), ("plan.json", "{}")]
    assert all(Path(file).relative_to(tmp_path).parts[0].startswith(PREFIX) for file, _ in seen)
    assert not list(tmp_path.iterdir())
