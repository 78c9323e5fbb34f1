"""The main job as a user runs it: on real servers, at scale factor 0.01."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from advisor.measuring.calibrate import SUFFIX
from advisor.project.config import load_project
from evaluation.calibration.calibration import QUICK
from evaluation.calibration.quick_probes import LARGE, SMALL
from evaluation.embedded import EmbeddedRequest, running
from evaluation.store_protocol.connection import NAMESPACE
from tests.spark.command import advisor, project_file
from workloads.progress import Silent

pytestmark = [pytest.mark.stores, pytest.mark.spark]

PROJECT = """
[workload]
source = "tpcds"
queries = [1, 9, 12, 15, 62, 80, 84, 86, 90, 91]
[catalog]
source = "tpcds"
scale_factor = 0.01
[stores.pg]
kind = "postgresql"
embedded = true
capacity = "60%"
[stores.maria]
kind = "mysql"
embedded = true
capacity = "60%"
[stores.duck]
kind = "duckdb"
capacity = "20%"
[place]
max_copies = 2
[evaluate]
repeats = 1
"""
CANDIDATES = {
    "single_store:pg",
    "single_store:maria",
    "single_store:duck",
    "naive",
    "proximity",
    "paper_partition_1",
    "paper_partition_2",
    "optimal",
}
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with project_file(tmp_path_factory.mktemp("project"), "small.toml", PROJECT) as file:
        yield file


@pytest.fixture(scope="module")
def done(project: Path) -> subprocess.CompletedProcess[str]:
    ended = advisor("run", project.name, "--json", "-o", "report", cwd=project.parent)
    assert ended.returncode == 0, ended.stderr
    return ended


@pytest.fixture(scope="module")
def result(done: subprocess.CompletedProcess[str]) -> dict:
    return json.loads(done.stdout)


def test_every_query_of_every_candidate_is_verified(result: dict):
    assert {each["strategy"] for each in result["candidates"]} == CANDIDATES
    outcomes = {
        (each["strategy"], query["name"]): query["outcome"]
        for each in result["candidates"]
        for query in each["queries"]
    }
    assert len(outcomes) == 10 * len(CANDIDATES)
    assert set(outcomes.values()) == {"verified"}


def test_what_breaks_a_capacity_is_not_recommended(result: dict):
    feasible = {each["strategy"]: each["feasible"] for each in result["candidates"]}
    assert not any(feasible[name] for name in feasible if name.startswith("single_store"))
    assert feasible["optimal"]
    assert feasible[result["recommended"]]


def test_the_first_run_scales_the_default_rates_and_leaves_no_table_of_it(
    done: subprocess.CompletedProcess[str], result: dict, project: Path
):
    told = [line for line in done.stderr.splitlines() if "not measured, and are defaults" in line]
    for store, source in result["rates"].items():
        # On a machine that others use the time may have been too short, which is said.
        assert source.startswith(QUICK) or any(store in line for line in told), done.stderr
    requests = (EmbeddedRequest(store="duck", kind="duckdb"),)
    with (
        running(requests, load_project(project).folder, Silent()) as stores,
        duckdb.connect(str(stores["duck"].path), read_only=True) as connection,
    ):
        kept = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ?",
            [NAMESPACE + SUFFIX],
        ).fetchall()
    assert not {name for (name,) in kept} & {*SMALL, LARGE}


def test_the_report_stands_alone(result: dict, project: Path):
    page = (project.parent / "report" / "report.html").read_text(encoding="utf-8")
    assert all(each.split(":")[-1] in page for each in CANDIDATES)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script src" not in page


def test_a_second_run_loads_nothing_and_is_compared_with_the_first(result: dict, project: Path):
    again = advisor(
        "run", project.name, "--json", "--strategies", "optimal,naive", cwd=project.parent
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["seconds"]["load"] < 5
    compared = advisor("compare", "--project", project.name, "--json", cwd=project.parent)
    assert compared.returncode == 0, compared.stderr
    runs = json.loads(compared.stdout)["runs"]
    assert len(runs) >= 2


def test_the_jobs_run_under_spark_submit(result: dict, project: Path):
    from evaluation.installation import artifacts
    from workloads.progress import Silent

    folder = project.parent
    assert advisor("stores", "up", project.name, cwd=folder).returncode == 0
    try:
        placed = advisor("place", project.name, "-s", "optimal", "-o", "plan.json", cwd=folder)
        assert placed.returncode == 0, placed.stderr
        exported = advisor("export", project.name, "-o", "job.json", cwd=folder)
        assert exported.returncode == 0, exported.stderr
        assert 'password": null' in (folder / "job.json").read_text(encoding="utf-8")
        names = ("postgresql-jdbc", "mariadb-jdbc", "duckdb-jdbc")
        jars = ",".join(str(artifacts.fetch(name, Silent())) for name in names)
        for job in ("load", "run"):
            done = subprocess.run(
                [
                    str(Path(sys.executable).parent / "spark-submit"),
                    "--master",
                    "local[2]",
                    "--jars",
                    jars,
                    str(REPOSITORY / "evaluation" / "jobs" / f"{job}.py"),
                    "job.json",
                    "plan.json",
                ],
                cwd=folder,
                env={**os.environ, "PYSPARK_PYTHON": sys.executable},
                capture_output=True,
                text=True,
                check=False,
                timeout=900,
            )
            assert done.returncode == 0, done.stderr
            answer = json.loads(done.stdout)
        (candidate,) = answer["candidates"]
        assert {query["outcome"] for query in candidate["queries"]} == {"verified"}
    finally:
        down = advisor("stores", "down", project.name, cwd=folder)
    assert down.returncode == 0, down.stderr
