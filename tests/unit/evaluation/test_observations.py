"""Which measurements tell of a plan, so that rates are fitted to them."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from advisor.problem.fitted_calibration import busy_cores
from evaluation.calibration.observation import observations
from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement, QueryOutcome
from tests.unit.evaluation.faked_runs import plan

PROBLEM = SimpleNamespace(
    query=lambda _: SimpleNamespace(sources=()),
    costs=SimpleNamespace(engine=SimpleNamespace(own_drivers=True)),
)
DONE = QueryMeasurement(
    query="q", executions=1.0, outcome=QueryOutcome.VERIFIED, seconds=(1.0, 3.0, 2.0), moved={}
)


def told(*queries: QueryMeasurement) -> list[float]:
    one = CandidateMeasurement(plan=plan("one", alike=("q",)), load_s=0.0, queries=queries)
    return [each.seconds for each in observations(PROBLEM, [one])]  # type: ignore[arg-type]


def test_a_query_that_was_not_run_as_planned_tells_nothing() -> None:
    assert told(DONE) == [2.0]
    assert told(replace(DONE, message="Spark took part instead, after it was refused")) == []
    assert told(replace(DONE, outcome=QueryOutcome.FAILED, seconds=())) == []


def test_the_cores_of_a_store_are_those_of_its_seconds_alone() -> None:
    short = replace(DONE, seconds=(1.0,), busy_cores=1.8)
    long = replace(DONE, seconds=(3.0,), busy_cores=1.0)
    failed = replace(DONE, outcome=QueryOutcome.FAILED, seconds=(), busy_cores=2.0)
    otherwise = replace(long, message="Spark took part instead, after it was refused")
    alone = CandidateMeasurement(
        plan=plan("single_store:pg", alike=("q",)),
        load_s=0.0,
        queries=(short, long, failed, otherwise, DONE),
    )
    mixed = CandidateMeasurement(plan=plan("split", alike=("q",)), load_s=0.0, queries=(short,))
    assert busy_cores([mixed, alone], "pg") == pytest.approx((1 * 1.8 + 3 * 1.0) / 4)
    assert busy_cores([mixed, alone], "maria") is None
