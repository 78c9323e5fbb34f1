"""Clients take queries from one queue, and the first that fails ends the loop."""

import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from threading import Event, Lock, get_ident
from typing import Any

import pytest

from evaluation.clients import closed_loop as module
from evaluation.clients.closed_loop import closed_loop
from evaluation.judging.answer import Answer
from evaluation.running.bounded_frames import QueryFailedError
from tests.unit.evaluation.fake_clients import (
    CANCELLED,
    RIGHT,
    FakePrepared,
    Stores,
    raising,
    right,
)


def loop_of(stores: Stores, clients: int, drawn: Sequence[str]) -> module.Looped:
    prepared = {query: FakePrepared(stores, query) for query in stores.answers}
    return closed_loop(Any, [prepared] * clients, drawn, lambda: None)  # type: ignore[arg-type]


@pytest.mark.parametrize("clients", [1, 3])
def test_clients_ask_every_query_once_and_no_more_at_a_time_than_they_are(clients: int):
    stores = right("one")
    drawn = ["one sum"] * 20 + ["one count"] * 10
    found = loop_of(stores, clients, drawn)
    assert stores.asked == Counter(drawn)
    assert stores.most <= clients
    assert (len(found.seconds), found.failure) == (30, None)
    assert found.elapsed_s >= 30 * 0.002 / clients
    assert {query: len(each) for query, each in found.answers.items()} == {
        "one sum": 1, "one count": 1,
    }  # fmt: skip


def test_each_distinct_answer_is_kept_once():
    stores = right("one")
    answers = iter(range(100))
    base = RIGHT["sum"]
    stores.answers["one sum"] = lambda: replace(base, rows=[(next(answers) % 3,)])
    found = loop_of(stores, 2, ["one sum"] * 30)
    assert sorted(each.rows[0][0] for each in found.answers["one sum"]) == [0, 1, 2]


def test_a_query_that_fails_ends_the_loop():
    stores = right("one")
    stores.answers["one count"] = raising(QueryFailedError("lost", timeout=False))
    found = loop_of(stores, 1, ["one sum", "one count", "one sum", "one sum"])
    assert stores.asked == {"one sum": 1, "one count": 1}
    assert found.failure is not None
    query, error = found.failure
    assert (query, str(error)) == ("one count", "lost")


def test_what_others_lost_by_its_cancellation_is_not_the_reason():
    stores = right("one")
    late, cancelled = Event(), Event()

    def first() -> Answer:
        late.wait(60)
        cancelled.set()
        raise QueryFailedError(CANCELLED, timeout=False)

    def last() -> Answer:
        late.set()
        cancelled.wait(60)
        time.sleep(0.05)
        raise QueryFailedError("not done after 1 s", timeout=True)

    stores.answers |= {"one sum": first, "one count": last}
    found = loop_of(stores, 2, ["one sum", "one count"])
    assert [str(error) for _, error in found.errors] == [CANCELLED, "not done after 1 s"]
    assert found.failure is not None
    assert found.failure[0] == "one count"


def test_an_interruption_cancels_what_clients_wait_for(monkeypatch: pytest.MonkeyPatch):
    stores, ended = right("one"), Event()
    first, main = Lock(), get_ident()

    def interrupted() -> Answer:
        if first.acquire(blocking=False):
            signal.pthread_kill(main, signal.SIGINT)
        ended.wait(60)
        raise QueryFailedError(CANCELLED, timeout=False)

    stores.answers["one sum"] = interrupted
    monkeypatch.setattr(module, "cancel_jobs", lambda _: ended.set())
    # A shell in the background has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            loop_of(stores, 2, ["one sum"] * 50)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.is_set()
    assert stores.asked["one sum"] <= 2
