"""What is measured is written before MLflow is asked, and recorded when it can be."""

import json
import webbrowser
from types import SimpleNamespace

import pytest

from advisor.commands import ui
from advisor.planned import measured_runs
from advisor.project.config import load_project, read_project
from advisor.project.project import Project
from advisor.project.recorded_names import refuse_recorded_passwords
from advisor.publishing import recording
from advisor.refusals.refused import refuse
from advisor.report.output import Output
from evaluation.measuring.measurement import Measurements
from evaluation.store_protocol.connection import Connection
from evaluation.tracking import ui as tracking_ui
from evaluation.tracking.track import Artifacts, Description, TrackingError, runs
from tests.unit.advisor import measurements as made
from tests.unit.advisor.command import called, one_line
from workloads.errors import ConfigurationError, RefusalsError
from workloads.progress import Silent


def kept(project: Project, measured: Measurements):
    folder = project.folder / measured_runs.REPORTS / "20260101"
    folder.mkdir(parents=True)
    artifacts = Artifacts(parent={"report.html": "<p>é</p>"})
    recording.keep(folder, measured, artifacts, Description(recommendation="Do this."))
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


def test_what_an_earlier_version_left_is_recorded_too(project, empty_tracking):
    folder = kept(project, made.demo())
    project.folder.joinpath("tracking.db").write_bytes(empty_tracking)
    file = folder / recording.UNRECORDED
    document = json.loads(file.read_text())
    del document["description"]
    file.write_text(json.dumps(document))
    assert recording.recorded(project, folder)


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
            refuse_recorded_passwords(project)
    monkeypatch.setattr(Project, "secrets", lambda _: frozenset({project.name[:2], "r"}))
    refuse_recorded_passwords(project)


@pytest.fixture
def revealing_shop(own_cache, shop):
    """A shop whose store 'pg' has its name as its password; its tables are DDL, without rows."""
    made = load_project(shop / "shop.toml").folder / "pg/password"
    made.parent.mkdir(parents=True)
    made.write_text("pg")
    return shop


def test_run_asks_for_passwords_that_are_names_before_anything_else(revealing_shop):
    read = read_project(revealing_shop / "shop.toml")
    with pytest.raises(RefusalsError) as raised:
        refuse(read, Silent(), loads=True)
    assert any("password is also the name of [stores.pg]" in each for each in raised.value.details)


def test_evaluate_asks_for_passwords_that_are_names_before_anything_else(revealing_shop):
    plan = revealing_shop / "plans/plan.json"
    done = called("evaluate", str(revealing_shop / "shop.toml"), str(plan))
    assert done.returncode == 2
    assert "password is also the name of [stores.pg]" in done.stderr
    assert one_line(done.stderr)


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
    assert document["description"]["recommendation"] == "Do this."
    assert document["artifacts"]["parent"] == {"report.html": "<p>é</p>"}
    assert len(document["measurements"]["candidates"]) == len(made.demo().candidates)


@pytest.mark.parametrize("is_there", [True, False], ids=["a browser", "no browser"])
def test_ui_opens_the_newest_runs_candidates(
    project, empty_tracking, monkeypatch, capsys, is_there
):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda page: opened.append(page) or is_there)
    monkeypatch.setattr(tracking_ui, "serve", lambda *given, **_: given[-1]("http://here"))
    project.folder.mkdir(parents=True)
    project.folder.joinpath("tracking.db").write_bytes(empty_tracking)
    asked = ui.Request(project=SimpleNamespace(project=lambda: project), port=None, opens=True)
    ui.run(asked, Output(as_json=False), Silent())
    assert opened == ["http://here"]
    recording.recorded(project, kept(project, made.demo()))
    ui.run(asked, Output(as_json=False), Silent())
    shown = capsys.readouterr()
    assert "compareRunsMode=TABLE" in opened[-1]
    assert opened[-1] in shown.out.splitlines()
    assert ("No browser" in shown.err) is not is_there
