"""Measurements are written and shown whatever becomes of MLflow, and each file whole."""

import json
import resource
from types import SimpleNamespace

import pytest

from advisor.planned.measured_runs import MEASUREMENTS, REPORTS
from advisor.publishing import publish
from advisor.publishing.recording import UNRECORDED
from advisor.publishing.showing import show_measurements
from advisor.report.output import Output
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.placement.problems import problem, store
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.progress import Silent


def test_a_run_that_mlflow_does_not_take_is_written_shown_and_answered(
    project, monkeypatch, capsys
):
    monkeypatch.setattr(publish, "setting_of", lambda _: demo_tables.setting())
    # Where the database is to be there is a folder.
    (project.folder / "tracking.db").mkdir(parents=True)
    analysis = SimpleNamespace(catalog=Catalog(name="tpcds", tables={}))
    output, answers = Output(as_json=False), []
    monkeypatch.setattr(output, "answer", answers.append)
    show_measurements(
        SimpleNamespace(project=project, analysis=analysis, problem=problem({}, [store("a")])),
        made.demo(),
        None,
        output,
        Silent(),
    )
    (kept,) = (project.folder / REPORTS).iterdir()
    assert {each.name for each in kept.iterdir()} == {MEASUREMENTS, UNRECORDED, "report.html"}
    (answered,) = answers
    assert json.loads((kept / MEASUREMENTS).read_text()) == json.loads(json.dumps(answered))
    assert answered["tracking_run"] is None
    shown = capsys.readouterr()
    assert "Measured" in shown.out
    assert answered["recommendation"] in " ".join(shown.out.split())
    assert "Not tracked: MLflow at" in shown.err
    assert "`advisor compare` records it when it can be used." in shown.err


def test_a_file_that_the_disk_does_not_take_is_told_and_the_old_one_stays(tmp_path):
    file = tmp_path / "plan.json"
    publish.write(file, "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(ConfigurationError, match="Name another place with --output"):
            publish.write(file, "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
