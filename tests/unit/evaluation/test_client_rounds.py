"""Loops of several clients have rounds until they are told apart."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.clients.closed_loop import Looped
from evaluation.judging.answer import Answer
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from tests.unit.evaluation.client_runs import Run, candidate
from tests.unit.evaluation.fake_clients import (
    RIGHT,
    right,
)


class Clocked:
    """Loops that take the seconds that a test says, a figure for each of a candidate's rounds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **seconds: Sequence[float]) -> None:
        self.order = list[tuple[str, int]]()
        self._seconds = {name: iter(each) for name, each in seconds.items()}
        monkeypatch.setattr("evaluation.clients.loops.closed_loop", self.loop)

    def loop(self, spark: Any, prepared: Any, drawn: Sequence[str], done: Any) -> Looped:
        name = prepared[0]["sum"].query.split()[0]
        self.order.append((name, len(prepared)))
        return Looped(elapsed_s=next(self._seconds[name]), seconds=[0.1] * len(drawn))


def test_loops_have_rounds_until_they_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = Run(monkeypatch, tmp_path, right("fast", "near", "slow"))
    run.job = replace(run.job, clients=(2,), repeats=3)
    names = [candidate(name) for name in ("fast", "near", "slow")]
    # Another round of `slow` would have no seconds.
    Clocked(monkeypatch, fast=(1.0, 1.1, 1.0), near=(1.2, 1.1, 1.2), slow=(9.0,))
    found = {name: each.loops[0] for name, each in run.with_loops(*names).items()}
    assert {name: len(each.rounds) for name, each in found.items()} == {
        "fast": 3, "near": 3, "slow": 1,
    }  # fmt: skip
    assert found["fast"].queries_per_s == pytest.approx(20.0)
    assert found["fast"].spread_per_s == pytest.approx(20 / 1.0 - 20 / 1.1)
    assert found["slow"].spread_per_s is None
    run.job = replace(run.job, all_repeats=True)
    Clocked(monkeypatch, fast=(1.0, 1.1, 1.0), near=(5.0, 5.1, 5.2), slow=(9.0, 9.1, 9.0))
    assert {len(each.loops[0].rounds) for each in run.with_loops(*names).values()} == {3}


def test_what_was_told_apart_once_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """The noise of the second round would put `middle` among the others again."""
    run = Run(monkeypatch, tmp_path, right("fast", "middle", "one", "other"))
    run.job = replace(run.job, clients=(2,), repeats=3)
    Clocked(
        monkeypatch, fast=(5.0, 4.0, 5.0), middle=(8.0,), one=(20.0, 13.0, 20.0),
        other=(21.0, 14.0, 21.0),
    )  # fmt: skip
    found = run.with_loops(*(candidate(name) for name in ("fast", "middle", "one", "other")))
    assert {name: len(each.loops[0].rounds) for name, each in found.items()} == {
        "fast": 3, "middle": 1, "one": 3, "other": 3,
    }  # fmt: skip


def test_the_fastest_that_keeps_all_limits_has_all_rounds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = Run(monkeypatch, tmp_path, right("reference", "kept"))
    run.job = replace(run.job, clients=(2,), repeats=3)
    Clocked(monkeypatch, reference=(1.0, 1.0, 1.0), kept=(9.0, 9.0, 9.0), slow=(50.0,))
    reference = candidate("reference")
    beyond = replace(reference, plan=replace(reference.plan, violations=("pg is full",)))
    found = run.with_loops(beyond, candidate("kept"), candidate("slow"))
    assert [len(each.loops[0].rounds) for each in found.values()] == [3, 3, 1]


def test_the_order_of_the_loops_follows_from_the_seed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = Run(monkeypatch, tmp_path, right("one", "two"))
    loops = [(name, clients) for name in ("one", "two") for clients in (1, 2, 4, 8)]
    orders = []
    for seed in (1, 1, 2):
        run.job = replace(run.job, clients=(1, 2, 4, 8), repeats=2, all_repeats=True, seed=seed)
        clocked = Clocked(monkeypatch, one=[1.0] * 8, two=[1.0] * 8)
        run.with_loops(candidate("one"), candidate("two"))
        assert sorted(clocked.order[:8]) == sorted(clocked.order[8:]) == loops
        orders.append(clocked.order)
    assert orders[0] == orders[1] != orders[2]
    # The order of another round is another one.
    assert orders[0][:8] != orders[0][8:]


def test_what_cannot_be_cancelled_takes_no_round_from_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = Run(monkeypatch, tmp_path, right("one", "two"))
    run.job = replace(run.job, clients=(2,), repeats=3, all_repeats=True)
    clocked = Clocked(monkeypatch, one=[1.0] * 3, two=[1.0] * 3)
    monkeypatch.setattr("evaluation.clients.loops.await_rest", lambda *_: len(clocked.order) // 3)
    found = run.with_loops(candidate("one"), candidate("two"))
    assert {each.loops[0].outcome for each in found.values()} == {QueryOutcome.VERIFIED}
    assert sorted(len(each.loops[0].rounds) for each in found.values()) == [1, 2]


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
