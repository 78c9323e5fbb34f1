"""Several clients at once: each answer is judged, and what fails has no throughput."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from tests.unit.evaluation.client_runs import Run, candidate
from tests.unit.evaluation.fake_clients import (
    RIGHT,
    SQL,
    raising,
    right,
)


def test_every_verified_candidate_has_a_loop_for_each_number_of_clients(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = Run(monkeypatch, tmp_path, right("one", "two"))
    wrong = candidate("wrong", outcome=QueryOutcome.WRONG)
    found = run.with_loops(candidate("one"), candidate("two"), wrong)
    for name in ("one", "two"):
        loops = found[name].loops
        assert [(each.clients, str(each.outcome)) for each in loops] == [
            (1, "verified"),
            (2, "verified"),
        ]
        assert [{len(each.seconds) for each in loop.rounds} for loop in loops] == [{10}, {20}]
        assert all(each.queries_per_s for each in loops)
    assert found["wrong"] == wrong
    # Two clients have two engines, for all candidates; each has run the quickest query before.
    assert [each.learnt for each in run.opened] == [[run.first]] * 2
    assert run.stores.asked.total() == 2 * 30 + 2
    # Three of four executions are those of `sum`: 8 of 10 and 15 of 20.
    assert run.stores.asked["one sum"] + run.stores.asked["two sum"] == 2 * 23 + 2


def test_candidates_that_answer_alike_share_their_loops(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = Run(monkeypatch, tmp_path, right("one"))
    alike = {(name, query): "one" for name in ("one", "two") for query in SQL}
    found = run.with_loops(candidate("one"), candidate("two"), alike=alike)
    assert found["one"].loops == found["two"].loops != ()


def test_one_wrong_answer_and_there_is_no_throughput(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    stores = right("one")
    answers = iter(range(1000))
    base = RIGHT["sum"]
    stores.answers["one sum"] = lambda: replace(base, rows=[(44 if next(answers) == 5 else 45,)])
    loops = Run(monkeypatch, tmp_path, stores).with_loops(candidate("one"))["one"].loops
    wrong, right_again = sorted(loops, key=lambda each: each.outcome is QueryOutcome.VERIFIED)
    assert (wrong.outcome, wrong.query) == (QueryOutcome.WRONG, "sum")
    assert (wrong.rounds, wrong.queries_per_s, wrong.spread_per_s) == ((), None, None)
    assert "44" in wrong.message
    assert right_again.queries_per_s is not None


@pytest.mark.parametrize(
    ("error", "outcome", "message"),
    [
        (QueryFailedError("not done", timeout=True), "timeout", "not done"),
        (QueryFailedError("Store 'pg': gone", timeout=False), "failed", "Store 'pg': gone"),
        (ValueError("year 10000"), "failed", "ValueError: year 10000"),
    ],
)
def test_a_query_that_fails_leaves_no_figure_and_new_engines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, outcome: str, message: str
):
    stores = right("one", "two")
    stores.answers["two count"] = raising(error)
    run = Run(monkeypatch, tmp_path, stores)
    found = run.with_loops(candidate("one"), candidate("two"))
    for each in found["two"].loops:
        assert (str(each.outcome), each.query, each.message) == (outcome, "count", message)
        assert (each.rounds, each.queries_per_s, each.spread_per_s) == ((), None, None)
    assert all(each.queries_per_s for each in found["one"].loops)
    assert len(run.opened) > 2


def test_after_java_has_ended_no_loop_has_a_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    run = Run(monkeypatch, tmp_path, right("one"))
    run.ended = True
    for each in run.with_loops(candidate("one"))["one"].loops:
        assert each.outcome is QueryOutcome.FAILED
        assert "driver_memory" in each.message
    assert run.stores.asked.total() == 0


def test_without_executions_nobody_asks_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    run = Run(monkeypatch, tmp_path, right("one"))
    one = candidate("one")
    never = replace(one, queries=tuple(replace(each, executions=0.0) for each in one.queries))
    assert run.with_loops(never)["one"].loops == ()
