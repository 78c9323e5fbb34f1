from dataclasses import replace

import pytest

from evaluation import evaluate
from evaluation.load import LoadedStores
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.errors import StoreError
from workloads.progress import Silent
from workloads.workload import Workload

REFUSES = Connection(
    store="pg",
    kind="postgresql",
    host="127.0.0.1",
    port=1,
    database="postgres",
    user="u",
    password="hunter2",
)


def plan(store: str) -> PlacementPlan:
    return PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement=dict.fromkeys(shop().tables, (store,)),
        routing={},
        predicted_s=0,
    )


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job on a server that refuses, with an engine that must not start."""

    def started(*_: object) -> None:
        raise AssertionError("the engine was started")

    monkeypatch.setattr(evaluate, "open_session", started)
    monkeypatch.setattr(evaluate, "load", lambda *_: LoadedStores(copies={}))
    workload = Workload(name="w", dialect="duckdb", queries=(statement("SELECT 1"),))
    return Job(workload=workload, catalog=shop(), connections={"pg": REFUSES})


def test_a_refused_login_is_known_before_the_engine_starts(job: Job):
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1") as caught:
        evaluate.evaluate(job, [plan("pg")], Silent())
    assert "hunter2" not in str(caught.value)


def test_a_store_that_no_plan_uses_is_left_alone(job: Job):
    other = replace(REFUSES, store="unused")
    with_other = replace(job, connections={"unused": other})
    with pytest.raises(AssertionError, match="the engine was started"):
        evaluate.evaluate(with_other, [plan("pg")], Silent())
