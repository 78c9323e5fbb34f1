"""Which measurements tell of a plan, so that rates are fitted to them."""

from dataclasses import replace
from types import SimpleNamespace

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
