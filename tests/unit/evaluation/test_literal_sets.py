"""Each set of literals is run as a query, and all sets of a statement are measured as one."""

from dataclasses import replace

import pytest

from evaluation.literal_sets import as_one, direct_as_one, routing_sets, told, with_sets
from evaluation.measuring.literals import MeasuredLiterals
from evaluation.measuring.live_measurement import DirectMeasurement
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    ClosedLoop,
    Moved,
    QueryMeasurement,
    QueryOutcome,
)
from evaluation.running.job import GivenLiterals, Job, read_job, write_job
from placement.plan import Outcome, PlacementPlan
from workloads.catalog import Catalog
from workloads.workload import Query, Workload

ASKED = Query(name="s1", sql="SELECT a FROM t WHERE a = $1", origin="pg", executions=6.0)
PLAIN = Query(name="s2", sql="SELECT a FROM t", origin="pg", executions=5.0)
SETS = tuple(
    replace(ASKED, name=f"s1~{n}", sql=f"SELECT a FROM t WHERE a = {n}0") for n in (1, 2, 3)
)
JOB = Job(
    workload=Workload(name="w", dialect="postgres", queries=(ASKED, PLAIN)),
    catalog=Catalog(name="c", tables={}),
    connections={},
    literals=(GivenLiterals(query="s1", source="statistics", sets=SETS),),
)
PLAN = PlacementPlan(
    strategy="current",
    outcome=Outcome.FEASIBLE,
    placement={},
    routing={"s1": (), "s2": ()},
    predicted_s=1.0,
)


def measured(name: str, outcome: QueryOutcome = QueryOutcome.VERIFIED, *seconds: float):
    return QueryMeasurement(
        query=name,
        executions=2.0,
        outcome=outcome,
        seconds=seconds,
        moved={"pg": Moved(rows=round(10 * sum(seconds)), bytes=0)} if seconds else {},
        message="" if outcome is QueryOutcome.VERIFIED else f"{name} is {outcome}",
    )


def together(*queries: QueryMeasurement) -> CandidateMeasurement:
    (found,) = as_one(
        JOB, [PLAN], [CandidateMeasurement(plan=routing_sets(JOB, PLAN), load_s=0, queries=queries)]
    )
    assert found.plan is PLAN
    return found


def test_a_job_has_a_query_for_each_set_with_a_part_of_the_executions():
    found = with_sets(JOB).workload.queries
    assert [(each.name, each.sql[-2:], each.executions) for each in found] == [
        ("s1", "10", 2.0),
        ("s1~2", "20", 2.0),
        ("s1~3", "30", 2.0),
        ("s2", " t", 5.0),
    ]
    assert set(routing_sets(JOB, PLAN).routing) == {each.name for each in found}


def test_the_set_at_which_a_loop_of_clients_ended_is_told_as_the_query():
    loops = tuple(
        ClosedLoop(clients=2, outcome=QueryOutcome.FAILED, query=name, message="lost")
        for name in ("s1~2", "s2")
    )
    routed = CandidateMeasurement(plan=routing_sets(JOB, PLAN), load_s=0, queries=(), loops=loops)
    (found,) = as_one(JOB, [PLAN], [routed])
    assert [each.query for each in found.loops] == ["s1", "s2"]


def test_seconds_and_rows_are_means_over_the_sets():
    verified = QueryOutcome.VERIFIED
    found = together(
        measured("s1", verified, 1.0, 2.0),
        measured("s1~2", verified, 3.0, 2.0),
        measured("s1~3", verified, 5.0, 2.0),
        measured("s2", verified, 1.0, 1.0),
    )
    first, second = found.queries
    assert (first.query, first.executions, first.seconds, first.message) == (
        "s1", 6.0, (3.0, 2.0), ""
    )  # fmt: skip
    assert first.rows_moved == 50
    assert (second.query, second.executions) == ("s2", 2.0)
    assert found.totals_s == (6 * 3.0 + 2 * 1.0, 6 * 2.0 + 2 * 1.0)


@pytest.mark.parametrize("worst", [QueryOutcome.WRONG, QueryOutcome.FAILED, QueryOutcome.TIMEOUT])
def test_the_worst_outcome_of_a_set_is_the_querys(worst: QueryOutcome):
    found = together(
        measured("s1", QueryOutcome.VERIFIED, 1.0), measured("s1~2", worst), measured("s1~3", worst)
    )
    (query,) = found.queries
    assert (query.outcome, query.seconds) == (worst, ())
    assert query.message == f"2 of 3 sets of literals: s1~2 is {worst}"


def test_a_set_with_several_answers_has_no_part_in_the_seconds_of_the_others():
    undetermined = measured("s1~2", QueryOutcome.UNDETERMINED)
    right = [measured(name, QueryOutcome.VERIFIED, s) for name, s in (("s1", 1.0), ("s1~3", 2.0))]
    (query,) = together(right[0], undetermined, right[1]).queries
    assert (query.outcome, query.seconds, query.executions) == (QueryOutcome.VERIFIED, (1.5,), 6.0)
    assert query.message == "1 of 3 sets of literals: s1~2 is undetermined"
    names = ("s1", "s1~2", "s1~3")
    (none,) = together(*(measured(name, QueryOutcome.UNDETERMINED) for name in names)).queries
    assert (none.outcome, none.seconds) == (QueryOutcome.UNDETERMINED, ())


def test_what_servers_take_directly_is_the_mean_too():
    def direct(name: str, *seconds: float) -> DirectMeasurement:
        message = "" if seconds else "late"
        return DirectMeasurement(
            query=name, executions=2.0, store="pg", seconds=seconds, message=message
        )

    (found,) = direct_as_one(JOB, [direct("s1", 1.0), direct("s1~2", 2.0), direct("s1~3", 6.0)])
    assert (found.query, found.executions, found.seconds) == ("s1", 6.0, (3.0,))
    (late,) = direct_as_one(JOB, [direct("s1", 1.0), direct("s1~2"), direct("s1~3", 6.0)])
    assert (late.query, late.seconds, late.message) == ("s1", (), "late")


def test_what_is_told_has_no_literal():
    lacking = GivenLiterals(query="s3", reason="parameter $1: nothing tells what it is")
    found = told(replace(JOB, literals=(*JOB.literals, lacking)))
    assert found == (
        MeasuredLiterals(query="s1", source="statistics", sets=3),
        MeasuredLiterals(query="s3", source=None, sets=0, reason=lacking.reason),
    )


def test_a_job_in_a_file_has_its_literals(tmp_path):
    (tmp_path / "job.json").write_text(write_job(JOB))
    assert read_job(tmp_path / "job.json").literals == JOB.literals
