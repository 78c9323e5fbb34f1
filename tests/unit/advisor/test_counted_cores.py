"""Which queries of a calibration tell the cores that a store keeps busy."""

from dataclasses import replace

import pytest

from advisor.problem.fitted_calibration import counted_alone
from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement, QueryOutcome
from placement.machines import ENGINE, Place
from placement.routing.routing import plan_for
from tests.unit.placement.problems import problem, query, store

MADE = problem(
    {"t": 100},
    [store("fast", speed=2.0), store("slow")],
    [query(name, ("t",)) for name in ("told", "uncounted", "failed", "otherwise")],
)


def test_those_that_the_store_alone_answered_as_planned_and_counted_tell_its_cores():
    told = QueryMeasurement(
        query="told",
        executions=1.0,
        outcome=QueryOutcome.VERIFIED,
        seconds=(1.0, 3.0, 2.0),
        moved={},
        busy_cores=1.5,
    )
    queries = (
        told,
        replace(told, query="uncounted", busy_cores=None),
        replace(told, query="failed", outcome=QueryOutcome.FAILED, seconds=()),
        replace(told, query="otherwise", message="Spark took part instead, after it was refused"),
    )
    candidates = [
        CandidateMeasurement(
            plan=plan_for(MADE, f"{kind}:{name}", {"t": (name,)}), load_s=0.0, queries=queries
        )
        for kind in ("single_store", "split")
        for name in ("fast", "slow")
    ]
    (found,) = counted_alone(MADE, candidates, "slow")
    assert (found.seconds, found.cores) == (2.0, 1.5)
    # The seconds are those of the problem's prices, by where they are spent.
    (routed,) = candidates[1].plan.routing["told"]
    assert sum(found.predicted.values()) == pytest.approx(routed.predicted_s)
    assert found.predicted[ENGINE] == pytest.approx(routed.engine_s + routed.start_s)
    assert found.predicted[Place("rows", "slow")] == pytest.approx(routed.rows_s)
    assert Place("store", "fast") not in found.predicted
