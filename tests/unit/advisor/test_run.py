"""The command `run` on a shop whose stores are made up."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from advisor.analysis.analyze import analyze
from advisor.commands import cli
from evaluation.tracking.track import TrackingError
from tests.unit.evaluation.made_up_runs import measured

AT_ONCE = ("--strategies", "optimal,throughput")
PREDICTED = "Predicted with 3 clients at once"


@pytest.fixture
def run(shop, capfd, monkeypatch):
    """Run the main job on the shop, with seconds of the formula; return the output."""

    def untracked(*_):
        raise TrackingError("MLflow is not asked.")

    def measure(prepared, plans, *_):
        found = measured(prepared.problem, plans)
        return replace(found, started_at="2026-01-01T00:00:10+00:00")

    monkeypatch.setattr("advisor.refusals.refused.refuse", lambda read, *_, **__: read.project)
    monkeypatch.setattr(
        "advisor.pipeline.analyze", lambda project, progress, **_: analyze(project, progress)
    )
    monkeypatch.setattr("advisor.pipeline.opening", lambda *_: nullcontext())
    monkeypatch.setattr("advisor.pipeline.wants_rates", lambda _: False)
    monkeypatch.setattr("advisor.pipeline.measure", measure)
    monkeypatch.setattr("advisor.publishing.showing.before_measuring", lambda *_: None)
    monkeypatch.setattr("advisor.publishing.showing.record", untracked)
    file = shop / "shop.toml"
    file.write_text(file.read_text().replace("max_copies = 2", "max_copies = 2\nclients = 3"))

    def ran(*arguments, command="run"):
        capfd.readouterr()
        code = cli.main([command, str(file), *arguments])
        shown = capfd.readouterr()
        assert code == 0, shown.err
        return shown.out

    return ran


def test_the_predicted_throughput_is_shown_before_anything_is_measured(run):
    shown = " ".join(run(*AT_ONCE).split())
    assert shown.index(PREDICTED) < shown.index("Report: ")
    assert "No plan that keeps all limits has more queries a second than" in shown
    assert "at once" not in run("--strategies", "optimal")


def test_the_object_has_the_predicted_throughput_that_place_has(run):
    found = json.loads(run(*AT_ONCE, "--json"))["predicted_throughput"]
    assert found == json.loads(run(*AT_ONCE, "--json", command="place"))["throughput"]
    assert found["queries_per_s"].keys() == {"optimal", "throughput"}
    assert json.loads(run("--strategies", "optimal", "--json"))["predicted_throughput"] is None
