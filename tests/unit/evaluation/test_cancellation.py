"""A store is called silent only where it has answered nothing since the query was cancelled."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from evaluation.running import cancellation
from evaluation.running.cancellation import Cancellation, Remains
from evaluation.store_protocol.connection import Connection
from workloads.errors import StoreError


@dataclass
class Server:
    """A backend whose looks for sessions end as `answers` say, and as the last of these then."""

    answers: Sequence[int | None]
    taking_s: Sequence[float] = (0.0,)
    looks: int = 0

    def end_sessions(self, _: Connection, run: str) -> int:
        number, self.looks = self.looks, self.looks + 1
        time.sleep(self.taking_s[min(number, len(self.taking_s) - 1)])
        answer = self.answers[min(number, len(self.answers) - 1)]
        if answer is None:
            raise StoreError("one", "no answer")
        return answer


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> Callable[[Server], Cancellation]:
    def made(server: Server) -> Cancellation:
        monkeypatch.setattr(cancellation, "BACKENDS", {"postgresql": server})
        monkeypatch.setattr(cancellation, "GRACE_S", 0.6)
        return Cancellation(None, {"one": Connection(store="one", kind="postgresql")}, "r")

    return made


def test_a_store_that_answers_late_in_the_time_of_grace_is_not_silent(
    stopping: Callable[[Server], Cancellation], monkeypatch: pytest.MonkeyPatch
):
    # A task goes on all the time; the last look has less time than the store needs.
    stopped = stopping(Server(answers=(0,), taking_s=(0.17,)))
    monkeypatch.setattr(stopped, "_tasks", lambda: 1)
    assert stopped.stop() == Remains(silent_stores=(), tasks=1)


def test_a_store_that_was_there_a_moment_before_is_asked_again(
    stopping: Callable[[Server], Cancellation],
):
    server = Server(answers=(1, None, 0))
    stopped = stopping(server)
    stopped._once(1.0)
    assert stopped.stop() == Remains()
    assert server.looks == 3


def test_a_store_that_was_never_there_is_silent_at_once(
    stopping: Callable[[Server], Cancellation],
):
    server = Server(answers=(None,))
    assert stopping(server).stop() == Remains(silent_stores=("one",))
    assert server.looks == 1


def test_a_store_that_is_there_no_more_is_silent(stopping: Callable[[Server], Cancellation]):
    stopped = stopping(Server(answers=(1, None)))
    stopped._once(1.0)
    assert stopped.stop() == Remains(silent_stores=("one",))
