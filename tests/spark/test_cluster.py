"""The jobs on a standalone cluster, unchanged: executors have no Python, every answer is right."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.installation.jars import jars
from evaluation.kinds import JDBC
from evaluation.running.job import Job, write_job
from evaluation.spark.settings import Executors
from evaluation.store_protocol.connection import Connection
from placement.plan_file import write_plan
from placement.routing.routing import plan_for
from tests.spark.standalone import NOWHERE, cluster, driver_environment
from tests.spark.test_runs import problem
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Workload

pytestmark = [pytest.mark.stores, pytest.mark.spark]

REPOSITORY = Path(__file__).parents[2]
PLACEMENT = {"store_sales": ("maria",), "date_dim": ("pg",), "item": ("duck",)}
QUERIES = ("q3", "q42", "q52", "q55")


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster with two workers."""
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as address:
        yield address


@pytest.fixture(scope="module")
def files(
    master: str,
    embedded: Mapping[str, Connection],
    tiny: Catalog,
    queries: Workload,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A folder with a job on that cluster, and a plan with each of its tables in another store."""
    chosen = tuple(each for each in queries.queries if each.name in QUERIES)
    workload = replace(queries, queries=chosen)
    catalog = replace(tiny, tables={name: tiny.tables[name] for name in PLACEMENT})
    connections = {name: replace(each, namespace="cluster") for name, each in embedded.items()}
    job = Job(
        workload=workload,
        catalog=catalog,
        connections=connections,
        repeats=1,
        master=master,
        driver_memory="512m",
        executors=Executors(workers=2),
    )
    plan = plan_for(problem(workload, catalog, connections), "mixed", PLACEMENT)
    folder = tmp_path_factory.mktemp("job")
    (folder / "job.json").write_text(write_job(job), encoding="utf-8")
    (folder / "plan.json").write_text(write_plan(plan), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def seen(files: Path) -> Mapping[str, Any]:
    """What a driver saw that ran the job with each setting."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.cluster_driver", "job.json", "plan.json"],
        cwd=files,
        env={**driver_environment(), "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_every_answer_is_verified_with_every_setting(seen: Mapping[str, Any]):
    for each in (seen["alone"], *seen["strategies"][:3]):
        assert each["outcomes"] == dict.fromkeys(QUERIES, "verified"), each["messages"]


def test_no_python_ran_in_the_executors_as_they_have_none(seen: Mapping[str, Any]):
    assert NOWHERE in seen["strategies"][3]["python"]


def test_so_many_workers_are_used_as_are_asked_for(seen: Mapping[str, Any]):
    assert (seen["alone"]["workers"], len(seen["alone"]["executors"])) == (1, 1)
    for each in seen["strategies"][:3]:
        assert each["workers"] == 2
    assert {name for each in seen["strategies"][:3] for name in each["executors"]} == {"0", "1"}


def test_joins_follow_the_strategy(seen: Mapping[str, Any]):
    joins = {each["join_strategy"]: each["joins"] for each in seen["strategies"][:3]}
    assert set(joins) == {"automatic", "broadcast", "partitioned"}
    assert set(joins["broadcast"]) == {"BroadcastHashJoin"}
    assert "BroadcastHashJoin" not in joins["partitioned"]
    assert sum(joins["partitioned"].values()) > 0


def test_the_same_job_runs_under_spark_submit(
    files: Path, master: str, embedded: Mapping[str, Connection]
):
    # The drivers alone, as the documentation says: the job adds what is compiled.
    names = sorted({backend.jars[0] for backend in JDBC.values()})
    found = ",".join(map(str, jars(names, Silent())))
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "spark-submit"),
            *("--master", master, "--driver-memory", "512m", "--jars", found),
            *("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false"),
            *("--driver-java-options", "-Duser.timezone=UTC"),
            str(REPOSITORY / "evaluation" / "jobs" / "run.py"),
            *("job.json", "plan.json"),
        ],
        cwd=files,
        env={
            **driver_environment(),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout)
    setting = {"workers": 2, "join_strategy": "automatic", "combine": "automatic"}
    assert answer["spark"] == {"master": master, **setting}
    (candidate,) = answer["candidates"]
    assert {each["query"]: each["outcome"] for each in candidate["queries"]} == dict.fromkeys(
        QUERIES, "verified"
    )
