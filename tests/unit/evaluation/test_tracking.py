"""Measurements as MLflow's runs, and the pages that show them."""

import contextlib
import dataclasses
import socket
import subprocess
import time
from datetime import datetime
from pathlib import Path
from urllib.request import urlopen

import pytest
from mlflow import MlflowClient

from evaluation.tracking.dataset import dataset_of
from evaluation.tracking.track import Artifacts, TrackingError, runs, track
from evaluation.tracking.view import COLOUR_TAG
from evaluation.tracking.writing import KIND, KIND_TAG, NOTE_TAG
from tests.catalogs import shop
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.evaluation.tracked_runs import described, free_port, serving
from workloads.errors import ConfigurationError

PASSWORD = "correct-horse"


@pytest.fixture(scope="module")
def tracked(tmp_path_factory, empty_tracking):
    """Demo-like measurements, tracked once: (uri, parent's id, folder)."""
    folder = tmp_path_factory.mktemp("tracking")
    database = folder / "state" / "tracking.db"
    database.parent.mkdir()
    database.write_bytes(empty_tracking)
    uri = f"sqlite:///{database}"
    artifacts = Artifacts(
        parent={"report.html": "<p>report</p>"},
        candidates={"optimal": {"plan.json": "{}", "picture.png": b"\x89PNG"}},
    )
    run = track(
        made.demo(),
        artifacts,
        described(),
        uri=uri,
        experiment="demo",
        folder=folder / "artifacts",
    )
    return uri, run, folder


def by_name(uri):
    return {run.name: run for run in runs(uri, "demo")}


def test_every_candidate_is_a_finished_run_nested_in_the_parent(tracked):
    uri, parent, _ = tracked
    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("demo")
    nested = client.search_runs(
        [experiment.experiment_id], f"tags.`mlflow.parentRunId` = '{parent}'"
    )
    assert {run.data.params["strategy"] for run in nested} == set(made.placements())
    assert {run.info.run_name for run in nested} >= {"pg alone", "optimal"}
    assert {run.info.status for run in nested} == {"FINISHED"}
    assert client.get_run(parent).info.status == "FINISHED"


def test_a_candidates_figures_come_back_as_they_were_measured(tracked):
    optimal = by_name(tracked[0])["optimal"]
    plan = made.candidate("optimal", (3.1, 3.3, 3.2))
    assert optimal.metrics["measured_s"] == pytest.approx(plan.measured_s)
    assert optimal.metrics["spread_s"] == pytest.approx(plan.spread_s)
    assert optimal.metrics["gap"] == 0
    assert optimal.metrics["rows_moved"] == sum(
        optimal.metrics[f"store_rows_moved/{store}"] for store in demo_tables.CAPACITIES
    )
    assert optimal.metrics["queries_verified"] == 10
    assert optimal.params["version.pyspark"] == "4.3.0"
    assert optimal.params["placement"].startswith("duck: web_page web_returns")
    assert optimal.params["git_commit"]


def steps(uri, run, metric):
    history = MlflowClient(tracking_uri=uri).get_metric_history(run.run_id, metric)
    return {each.step: each.value for each in history}


def test_rounds_and_queries_are_series_and_no_metric_of_one_value(tracked):
    uri = tracked[0]
    optimal = by_name(uri)["optimal"]
    measured = made.candidate("optimal", (3.1, 3.3, 3.2))
    places = dict(each.split()[::-1] for each in optimal.params["queries"].split(", "))
    assert steps(uri, optimal, "round_s") == pytest.approx({1: 3.1, 2: 3.3, 3: 3.2})
    seconds = {int(places[query.query]): query.measured_s for query in measured.queries}
    assert steps(uri, optimal, "query_s") == pytest.approx(seconds, abs=1e-6)
    assert set(steps(uri, optimal, "predicted_query_s")) == set(seconds)
    assert {"round_s", "query_s", "predicted_query_s"}.isdisjoint(optimal.metrics)


def test_at_most_25_metrics_of_a_run_have_no_prefix(tracked):
    client = MlflowClient(tracking_uri=tracked[0])
    for run in by_name(tracked[0]).values():
        metrics = client.get_run(run.run_id).data.metrics
        assert 10 < sum("/" not in name for name in metrics) <= 25


def test_a_run_lasts_as_long_as_the_measuring(tracked):
    uri = tracked[0]
    client, measured = MlflowClient(tracking_uri=uri), made.demo()
    started_ms = 1000 * datetime.fromisoformat(measured.started_at).timestamp()
    for run in by_name(uri).values():
        info = client.get_run(run.run_id).info
        assert (info.start_time, info.end_time) == (
            started_ms,
            started_ms + 1000 * measured.seconds["run"],
        )


def test_each_run_has_the_catalog_as_its_data_set(tracked):
    client = MlflowClient(tracking_uri=tracked[0])
    for run in by_name(tracked[0]).values():
        (found,) = client.get_run(run.run_id).inputs.dataset_inputs
        assert (found.dataset.name, found.dataset.digest) == (
            "shop",
            dataset_of(shop()).digest,
        )
        assert "item" in found.dataset.schema


def test_the_recommendation_is_the_description_and_the_kind_is_model_training(tracked):
    uri, parent, _ = tracked
    client = MlflowClient(tracking_uri=uri)
    assert client.get_run(parent).data.tags[NOTE_TAG] == "Place as 'optimal'."
    tags = client.get_experiment_by_name("demo").tags
    assert tags[KIND_TAG] == KIND
    assert tags[NOTE_TAG].endswith("Place as 'optimal'.")


def test_candidates_have_colours_of_their_own(tracked):
    client = MlflowClient(tracking_uri=tracked[0])
    found = [client.get_run(run.run_id) for run in by_name(tracked[0]).values()]
    assert len({run.data.tags[COLOUR_TAG] for run in found}) == len(found)


def test_a_query_that_did_not_verify_has_no_seconds(tracked):
    uri = tracked[0]
    partition = by_name(uri)["paper_partition_1"]
    failed = {"q9", "q80", "q86"}
    places = dict(each.split() for each in partition.params["queries"].split(", "))
    timed = {places[str(step)] for step in steps(uri, partition, "query_s")}
    assert timed == set(demo_tables.QUERIES) - failed
    assert steps(uri, partition, "round_s") == {}
    assert "measured_s" not in partition.metrics
    assert partition.metrics["queries_timeout"] == 1
    assert partition.metrics["queries_wrong"] == 1


def test_artifacts_lie_in_the_given_folder_and_nowhere_else(tracked):
    _, parent, folder = tracked
    assert (folder / "artifacts" / parent / "artifacts" / "report.html").is_file()
    assert len(list((folder / "artifacts").rglob("picture.png"))) == 1


def test_a_second_run_joins_the_first_in_its_experiment(tracked, tmp_path):
    uri, first, _ = tracked
    one = dataclasses.replace(made.demo(), candidates=())
    second = track(one, Artifacts(), described(), uri=uri, experiment="demo", folder=tmp_path)
    parents = [run.run_id for run in runs(uri, "demo") if run.parent is None]
    assert set(parents) == {first, second}
    assert not list(tmp_path.iterdir())


def test_an_unknown_experiment_names_the_known_ones(tracked):
    with pytest.raises(ConfigurationError, match="no experiment 'dome': known: demo"):
        runs(tracked[0], "dome")


def test_nothing_tracked_yet_is_said_and_makes_no_file(tmp_path):
    with pytest.raises(ConfigurationError, match="Nothing is tracked yet"):
        runs(f"sqlite:///{tmp_path / 'none.db'}", "demo")
    assert not list(tmp_path.iterdir())


def test_a_server_that_refuses_is_one_error_without_its_password(monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(TrackingError) as raised:
        runs(f"http://me:{PASSWORD}@127.0.0.1:9", "demo")
    assert "[tracking].uri" in str(raised.value)
    assert PASSWORD not in str(raised.value)


def refuses(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def using(folder):
    """The processes that work in `folder`: the server's, and those that it started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink() == folder:
                found.append(process.name)
    return found


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_the_ui_shows_the_runs_and_ends_with_its_caller(tracked, tmp_path, end):
    uri, parent, _ = tracked
    port = free_port()
    command = serving(uri, tmp_path, port)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
        try:
            assert caller.stdout.readline().strip() == f"http://127.0.0.1:{port}"
            run = f"http://127.0.0.1:{port}/api/2.0/mlflow/runs/get?run_id={parent}"
            with urlopen(run, timeout=120) as answer:
                assert b"recommended_s" in answer.read()
            page = f"http://127.0.0.1:{port}/get-artifact?path=report.html&run_uuid={parent}"
            with urlopen(page, timeout=120) as answer:
                assert answer.read() == b"<p>report</p>"
        finally:
            getattr(caller, end)()
    deadline = time.monotonic() + 20
    while (not refuses(port) or using(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert refuses(port)
    assert using(tmp_path) == []


def test_a_port_that_is_taken_is_named(tracked, tmp_path):
    from evaluation.tracking.ui import serve

    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(TrackingError, match=f"Port {port} on 127.0.0.1 is taken"):
            serve(tracked[0], tmp_path, port)
