"""What is measured is written before MLflow is asked, and recorded when it can be."""

import json

import pytest

from advisor.planned import measured_runs
from advisor.project.project import Project
from advisor.publishing import recording
from evaluation.measuring.measurement import Measurements
from evaluation.store_protocol.connection import Connection
from evaluation.tracking.track import Artifacts, TrackingError, runs
from tests.unit.advisor import measurements as made
from tests.unit.advisor import project_files
from workloads.errors import ConfigurationError
from workloads.progress import Silent


@pytest.fixture
def project(tmp_path, monkeypatch) -> Project:
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    return project_files.load(tmp_path)


def kept(project: Project, measured: Measurements):
    folder = project.folder / measured_runs.REPORTS / "20260101"
    folder.mkdir(parents=True)
    recording.keep(folder, measured, Artifacts(parent={"report.html": "<p>é</p>"}))
    return folder


def test_what_mlflow_did_not_take_is_recorded_later(project, empty_tracking):
    folder = kept(project, made.demo())
    project.folder.joinpath("tracking.db").mkdir()
    with pytest.raises(TrackingError, match="cannot be used"):
        recording.recorded(project, folder)
    project.folder.joinpath("tracking.db").rmdir()
    project.folder.joinpath("tracking.db").write_bytes(empty_tracking)
    said = recording.record_what_is_left(project, Silent())
    assert said == ("The run of 20260101 is recorded now.",)
    assert recording.record_what_is_left(project, Silent()) == ()
    found = runs(project.tracking_uri, project.experiment)
    assert len(found) == 1 + len(made.demo().candidates)


def test_what_cannot_be_recorded_hides_no_other_run(project, empty_tracking):
    folder = kept(project, made.demo())
    project.folder.joinpath("tracking.db").write_bytes(empty_tracking)
    other = folder.with_name("20250101")
    other.mkdir()
    (other / recording.UNRECORDED).write_text("{}")
    first, second = recording.record_what_is_left(project, Silent())
    assert "20250101 is not recorded" in first
    assert "delete it" in first
    assert second == "The run of 20260101 is recorded now."


def test_a_database_that_cannot_be_made_is_told_before_the_run_and_does_not_end_it(project):
    project.folder.parent.mkdir(parents=True, exist_ok=True)
    project.folder.write_text("in the way")
    said = recording.prepared(project)
    assert "cannot be used" in said
    assert "`advisor compare` records them" in said


def test_a_password_that_is_a_recorded_name_is_refused_before_the_run(project, monkeypatch):
    names = {project.name, *(store.name for store in project.stores)}
    for name in names:
        monkeypatch.setattr(Project, "secrets", lambda _, name=name: frozenset({name}))
        with pytest.raises(ConfigurationError, match="password is also"):
            recording.refuse_recorded_passwords(project)
    monkeypatch.setattr(Project, "secrets", lambda _: frozenset({project.name[:2], "r"}))
    recording.refuse_recorded_passwords(project)


@pytest.mark.parametrize(
    ("password", "said", "told"),
    [
        ("adv", "denied to user 'advisor'@'localhost'", "denied to user 'advisor'@'localhost'"),
        ("adv", "password=adv refused", "password=*** refused"),
        ("a/b c", "jdbc:x?password=a%2Fb%20c&a=1", "jdbc:x?password=***&a=1"),
        ("advisor", "denied to user 'advisor'", "denied to user 'advisor'"),
        ("+x+", "at '+x+'", "at '***'"),
    ],
)
def test_a_password_is_masked_where_it_stands_alone(password, said, told):
    connection = Connection(store="pg", kind="postgresql", user="advisor", password=password)
    assert connection.masked(said) == told


def test_the_file_of_what_is_left_holds_all_that_was_measured(project):
    folder = kept(project, made.demo())
    document = json.loads((folder / recording.UNRECORDED).read_text())
    assert document["artifacts"]["parent"] == {"report.html": "<p>é</p>"}
    assert len(document["measurements"]["candidates"]) == len(made.demo().candidates)
