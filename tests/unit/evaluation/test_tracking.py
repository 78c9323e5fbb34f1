import contextlib
import dataclasses
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from evaluation.tracking.records import candidate_record, parent_record
from evaluation.tracking.track import Artifacts, TrackingError, runs, track
from tests.unit.advisor import measurements as made
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
        uri=uri,
        experiment="demo",
        folder=folder / "artifacts",
    )
    return uri, run, folder


def by_name(uri):
    return {run.name: run for run in runs(uri, "demo")}


def test_every_candidate_is_a_finished_run_nested_in_the_parent(tracked):
    from mlflow import MlflowClient

    uri, parent, _ = tracked
    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("demo")
    nested = client.search_runs(
        [experiment.experiment_id], f"tags.`mlflow.parentRunId` = '{parent}'"
    )
    assert {run.info.run_name for run in nested} == set(made.placements())
    assert {run.info.status for run in nested} == {"FINISHED"}
    assert client.get_run(parent).info.status == "FINISHED"


def test_a_candidates_figures_come_back_as_they_were_measured(tracked):
    optimal = by_name(tracked[0])["optimal"]
    plan = made.candidate("optimal", (3.1, 3.3, 3.2))
    assert optimal.metrics["measured_s"] == pytest.approx(plan.measured_s)
    assert optimal.metrics["spread_s"] == pytest.approx(plan.spread_s)
    assert optimal.metrics["gap"] == 0
    assert optimal.metrics["query_s.q1"] == pytest.approx(plan.queries[0].measured_s)
    assert optimal.metrics["rows_moved"] == sum(
        optimal.metrics[f"rows_moved.{store}"] for store in made.CAPACITIES
    )
    assert optimal.metrics["queries_verified"] == 10
    assert optimal.params["version.pyspark"] == "4.3.0"
    assert optimal.params["placement"].startswith("duck: web_page web_returns")
    assert optimal.params["git_commit"]


def test_a_query_that_did_not_verify_has_no_seconds(tracked):
    partition = by_name(tracked[0])["paper_partition_1"]
    assert "query_s.q9" not in partition.metrics
    assert "measured_s" not in partition.metrics
    assert partition.metrics["queries_timeout"] == 1
    assert partition.metrics["queries_wrong"] == 1


def test_what_the_engine_does_not_tell_is_no_metric_and_zero_is_one():
    silent, counting = made.candidate("naive", (3.0,)), made.candidate("optimal", (3.0,))
    query = dataclasses.replace(
        silent.queries[0],
        exchanges=None,
        shuffle_bytes=None,
        shuffle_records=None,
        spilled_bytes=None,
        peak_memory_bytes=None,
        engine_s=None,
    )
    silent = dataclasses.replace(silent, queries=(query,))
    counting = dataclasses.replace(
        counting, queries=(query, *(dataclasses.replace(counting.queries[1], exchanges=0),))
    )
    measured = made.measurements([silent, counting])
    told = {
        "exchanges", "shuffle_bytes", "shuffle_records", "spilled_bytes", "peak_memory_bytes",
        "engine_s",
    }  # fmt: skip
    assert told.isdisjoint(candidate_record(silent, measured).metrics)
    metrics = candidate_record(counting, measured).metrics
    assert metrics["exchanges"] == 0
    assert metrics["shuffle_records"] == 12_000
    assert "spilled_bytes" not in metrics


def test_the_fetch_size_is_a_parameter_unless_the_engine_has_its_own():
    spark = dataclasses.replace(made.measurements([]), fetch_size=10_000)
    trino = dataclasses.replace(spark, engine="trino", fetch_size=None)
    assert parent_record(spark).params["fetch_size"] == "10000"
    assert "fetch_size" not in parent_record(trino).params
    candidate = made.candidate("naive", (3.0,))
    assert candidate_record(candidate, spark).params["fetch_size"] == "10000"


def test_artifacts_lie_in_the_given_folder_and_nowhere_else(tracked):
    _, parent, folder = tracked
    assert (folder / "artifacts" / parent / "artifacts" / "report.html").is_file()
    assert len(list((folder / "artifacts").rglob("picture.png"))) == 1


def test_a_second_run_joins_the_first_in_its_experiment(tracked, tmp_path):
    uri, first, _ = tracked
    one = dataclasses.replace(made.demo(), candidates=())
    second = track(one, Artifacts(), uri=uri, experiment="demo", folder=tmp_path)
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


SERVE = """
import sys
from pathlib import Path
from evaluation.tracking.ui import serve
serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), lambda address: print(address, flush=True))
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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
    command = [sys.executable, "-c", SERVE, uri, str(tmp_path), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
        try:
            assert caller.stdout.readline().strip() == f"http://127.0.0.1:{port}"
            run = f"http://127.0.0.1:{port}/api/2.0/mlflow/runs/get?run_id={parent}"
            with urlopen(run, timeout=30) as answer:
                assert b"recommended_s" in answer.read()
            page = f"http://127.0.0.1:{port}/get-artifact?path=report.html&run_uuid={parent}"
            with urlopen(page, timeout=30) as answer:
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
