"""Several clients at once: each answer is judged, and what fails has no throughput."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.clients.loops import Clients
from evaluation.judging.answer import Answer
from evaluation.judging.judge import Judge
from evaluation.judging.oracle import Oracle
from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement, QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import Job
from placement.plan import Outcome, PlacementPlan
from tests.data_fixtures import statement
from tests.unit.evaluation.fake_clients import (
    RIGHT,
    SQL,
    FakeEngine,
    Stores,
    raising,
    right,
    slowly,
)
from tests.unit.evaluation.judged import catalog_of
from workloads.progress import Silent
from workloads.workload import Workload


def candidate(name: str, *, outcome: QueryOutcome = QueryOutcome.VERIFIED) -> CandidateMeasurement:
    plan = PlacementPlan(
        strategy=name,
        outcome=Outcome.FEASIBLE,
        placement={},
        routing=dict.fromkeys(SQL, ()),
        predicted_s=1.0,
    )
    verified = outcome is QueryOutcome.VERIFIED
    return CandidateMeasurement(
        plan=plan,
        load_s=0.0,
        queries=tuple(
            QueryMeasurement(
                query=query,
                executions=executions,
                outcome=outcome,
                seconds=(1.0 / executions,) if verified else (),
                moved={},
            )
            for query, executions in (("sum", 3.0), ("count", 1.0))
        ),
    )


class Run:
    """A run whose rounds are over, with candidates that are to have loops."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, stores: Stores) -> None:
        self.opened = list[FakeEngine]()
        self.first = FakeEngine(stores)
        self.stores = stores
        self.ended = False

        @contextmanager
        def opened(spark: Any, job: Job, oracle: Oracle) -> Iterator[FakeEngine]:
            self.opened.append(FakeEngine(stores))
            yield self.opened[-1]

        monkeypatch.setattr("evaluation.clients.engines.ENGINES", {"fragments": opened})
        monkeypatch.setattr("evaluation.clients.engines.joining", lambda *_: nullcontext())
        monkeypatch.setattr("evaluation.clients.loops.has_ended", lambda _: self.ended)
        monkeypatch.setattr("evaluation.clients.loops.await_rest", lambda *_: 0)
        queries = tuple(statement(sql, name) for name, sql in SQL.items())
        self.job = Job(
            workload=Workload(name="w", dialect="duckdb", queries=queries),
            catalog=catalog_of(folder, {"t": "SELECT i FROM range(10) t(i)"}),
            connections={},
            clients=(1, 2),
            repeats=1,
        )

    def with_loops(
        self,
        *candidates: CandidateMeasurement,
        alike: Mapping[tuple[str, str], str] | None = None,
    ) -> Mapping[str, CandidateMeasurement]:
        oracle = Oracle(self.job.catalog)
        spark: Any = SimpleNamespace(newSession=lambda: None)
        clients = Clients(spark, self.job, oracle, self.first, Judge(oracle=oracle))
        found = clients.with_loops(candidates, alike or {}, Silent())
        oracle.close()
        return {each.plan.strategy: each for each in found}


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


def test_loops_have_rounds_until_they_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    stores = right("one", "two")
    for query, answer in RIGHT.items():
        stores.answers[f"two {query}"] = slowly(answer)
    run = Run(monkeypatch, tmp_path, stores)
    run.job = replace(run.job, repeats=3)
    found = run.with_loops(candidate("one"), candidate("two"))
    # The fastest has all rounds; the other takes ten times as long.
    assert [len(loop.rounds) for loop in found["one"].loops] == [3, 3]
    assert [len(loop.rounds) for loop in found["two"].loops] == [1, 1]
    assert all(loop.spread_per_s is not None for loop in found["one"].loops)
    assert {loop.spread_per_s for loop in found["two"].loops} == {None}
    run.job = replace(run.job, all_repeats=True)
    found = run.with_loops(candidate("one"), candidate("two"))
    assert {len(loop.rounds) for each in found.values() for loop in each.loops} == {3}


def test_a_loop_that_fails_in_a_later_round_has_no_figure_and_no_other_round(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    stores = right("one")
    answers = iter(range(1000))

    def lost() -> Answer:
        # Of one client there are 8 in a round.
        if next(answers) >= 10:
            raise QueryFailedError("lost", timeout=False)
        return RIGHT["sum"]

    stores.answers["one sum"] = lost
    run = Run(monkeypatch, tmp_path, stores)
    run.job = replace(run.job, clients=(1,), repeats=5)
    (loop,) = run.with_loops(candidate("one"))["one"].loops
    assert (loop.outcome, loop.query, loop.message) == (QueryOutcome.FAILED, "sum", "lost")
    assert (loop.rounds, loop.queries_per_s) == ((), None)
    assert stores.asked["one sum"] == 11


def test_where_java_is_killed_the_rounds_before_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    stores = right("one")
    run = Run(monkeypatch, tmp_path, stores)
    run.job = replace(run.job, clients=(1,), repeats=5)
    answers = iter(range(1000))

    def killed() -> Answer:
        if next(answers) >= 20:
            run.ended = True
            raise QueryFailedError("Connection refused", timeout=False)
        return RIGHT["sum"]

    stores.answers["one sum"] = killed
    (loop,) = run.with_loops(candidate("one"))["one"].loops
    # 8 in a round, and one before the first.
    assert (loop.outcome, loop.message, len(loop.rounds)) == (QueryOutcome.VERIFIED, "", 2)


def test_without_executions_nobody_asks_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    run = Run(monkeypatch, tmp_path, right("one"))
    one = candidate("one")
    never = replace(one, queries=tuple(replace(each, executions=0.0) for each in one.queries))
    assert run.with_loops(never)["one"].loops == ()
