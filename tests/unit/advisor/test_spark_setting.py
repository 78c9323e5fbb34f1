"""How Spark was set is told wherever runs are compared."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from advisor.project.config import load_project
from advisor.report.documents.plan_json import measurements_document
from advisor.report.terminal import tracked_text
from evaluation.measuring.machine import SparkSetting
from evaluation.tracking.records import Description, parent_record
from evaluation.tracking.track import TrackedRun
from tests.unit.advisor.measurements import demo

SETTING = SparkSetting(master="spark://10.0.0.1:7077", workers=3, join_strategy="partitioned")
EXPERIMENTS = Path(__file__).parents[3] / "conf" / "experiments"


def test_a_tracked_run_has_it_among_its_parameters():
    params = parent_record(replace(demo(), spark=SETTING), Description()).params
    assert params["master"] == "spark://10.0.0.1:7077"
    assert (params["workers"], params["join_strategy"]) == ("3", "partitioned")
    assert "workers" not in parent_record(demo(), Description()).params


def test_a_run_prints_it_as_json():
    found = replace(demo(), spark=SETTING)
    document = measurements_document(found, sentence="", report="", tracking_run=None)
    assert document["spark"] == {
        "master": "spark://10.0.0.1:7077",
        "workers": 3,
        "join_strategy": "partitioned",
        "combine": "spark",
    }


def test_compared_runs_are_told_apart_by_it():
    params = dict(parent_record(replace(demo(), spark=SETTING), Description()).params)
    run = TrackedRun(
        run_id="1", parent=None, name="tpcds", started_at="today", params=params, metrics={}
    )
    before = replace(run, params={"scale_factor": "1"})
    console = Console(width=100)
    with console.capture() as shown:
        console.print(tracked_text([run, before]))
    assert "scale factor 0.1, workers: 3, joins: partitioned" in shown.get()
    assert "scale factor 1\n" in shown.get()


@pytest.mark.parametrize(
    ("name", "third"), [("paper", "accumulo"), ("duckdb", "duckdb")], ids=lambda each: each
)
def test_experiments_are_projects_with_all_five(name: str, third: str):
    project = load_project(EXPERIMENTS / f"{name}.toml")
    assert {store.kind for store in project.stores} == {"postgresql", "mysql", third}
    assert next(s for s in project.stores if s.kind == "mysql").server == "mysql8"
    numbered = project.experiments.numbered
    both = ("paper_partition_1", "paper_partition_2")
    assert {number: each.placements for number, each in numbered.items()} == {
        1: ("single_store", "paper_partition_1", "optimal"),
        2: (*both, "optimal"),
        3: ("paper_partition_2",),
        4: both,
        5: ("paper_partition_2",),
    }
    # Swapped in the files that were there before: workers are experiment 3, joins experiment 5.
    assert {number for number, each in numbered.items() if each.workers} == {3}
    assert {number for number, each in numbered.items() if len(each.join_strategies) > 1} == {5}
