"""When a query has a second try over whole tables, and within which time; without an engine."""

from dataclasses import replace
from time import perf_counter
from typing import Any

import pytest

from evaluation.federation.compiled import CompiledQuery
from evaluation.judging.answer import Answer
from evaluation.running import execution
from evaluation.running.bounded_frames import Collected, QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from tests.spark.runtime_queries import QUICK, compiled

TIMEOUT_S = 100.0
OF_DATA = QueryFailedError("'a' is no number", timeout=False, of_query=True)
DONE = Execution(columns=(), rows=(), seconds=1.0, moved={})
SECOND = compiled({"pg": "SELECT * FROM t"}, "SELECT 1")
FIRST = replace(compiled({"pg": QUICK}), second_try=lambda: SECOND)


class Tries:
    """A federation whose executions end as they are told to; remembers when each has to end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ways: QueryFailedError | None) -> None:
        self.made: list[tuple[CompiledQuery, float | None]] = []
        self.federation = Federation(None, {}, timeout_s=TIMEOUT_S)  # type: ignore[arg-type]
        left = list(ways)

        def once(_: Any, query: CompiledQuery, ends: float | None, **__: bool) -> Execution:
            self.made.append((query, ends))
            if (error := left.pop(0)) is not None:
                raise error
            return DONE

        monkeypatch.setattr(Federation, "_once", once)

    @property
    def queries(self) -> list[CompiledQuery]:
        return [query for query, _ in self.made]


@pytest.mark.parametrize(
    "error",
    [
        QueryFailedError("No space left on device", timeout=False),
        QueryFailedError("permission denied for table t", timeout=False),
        QueryFailedError("not done after 5 s", timeout=True),
        QueryFailedError("connection refused", timeout=False, lost=("pg",)),
    ],
)
def test_what_is_no_error_of_the_data_is_told_as_it_is(
    monkeypatch: pytest.MonkeyPatch, error: QueryFailedError
):
    tries = Tries(monkeypatch, error, None)
    with pytest.raises(QueryFailedError) as raised:
        tries.federation.run(FIRST)
    assert raised.value is error
    # Nor is it remembered: the next execution is the query's own.
    assert tries.federation.run(FIRST).second_try == ""
    assert tries.queries == [FIRST, FIRST]


def test_an_error_of_the_data_is_remembered_with_what_answered_instead(
    monkeypatch: pytest.MonkeyPatch,
):
    tries = Tries(monkeypatch, OF_DATA, None, None)
    assert [tries.federation.run(FIRST).second_try for _ in range(2)] == [str(OF_DATA)] * 2
    assert tries.queries == [FIRST, SECOND, SECOND]


def test_a_full_disk_at_the_second_try_is_told(monkeypatch: pytest.MonkeyPatch):
    full = QueryFailedError("No space left on device", timeout=False)
    tries = Tries(monkeypatch, OF_DATA, full, None)
    with pytest.raises(QueryFailedError, match="No space left"):
        tries.federation.run(FIRST)
    assert tries.federation.run(FIRST).second_try == ""


def test_of_two_errors_of_the_data_the_first_is_told(monkeypatch: pytest.MonkeyPatch):
    tries = Tries(monkeypatch, OF_DATA, QueryFailedError("b", timeout=False, of_query=True))
    with pytest.raises(QueryFailedError, match="'a' is no number"):
        tries.federation.run(FIRST)


@pytest.mark.parametrize(
    "error", [OF_DATA, QueryFailedError("maxResultBuffer", timeout=False, too_large=True)]
)
def test_a_second_try_has_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, error: QueryFailedError
):
    tries = Tries(monkeypatch, error, None)
    before = perf_counter()
    tries.federation.run(FIRST)
    after = perf_counter()
    (_, first), (_, second) = tries.made
    assert first is None
    assert second is not None
    assert before + TIMEOUT_S <= second <= after + TIMEOUT_S


@pytest.mark.parametrize("alone", [False, True])
def test_spark_has_all_of_the_time_unless_a_store_was_asked_before(
    monkeypatch: pytest.MonkeyPatch, alone: bool
):
    """A wait for an earlier query, before one begins, is no time of its own."""
    federation = Federation(None, {}, timeout_s=TIMEOUT_S)  # type: ignore[arg-type]
    federation._pool = None  # type: ignore[assignment]
    given: list[float | None] = []

    def collect(*_: Any, ends: float | None, **__: bool) -> Collected[Any]:
        given.append(ends)
        answer = Answer(columns=(), rows=())
        return Collected(frame=None, answer=answer, seconds=1.0, counted=None)

    monkeypatch.setattr(federation._frames, "collect", collect)
    monkeypatch.setattr(federation, "_alone", lambda *_, **__: "refused")
    monkeypatch.setattr(execution, "is_answered_alone", lambda *_: alone)
    before = perf_counter()
    assert federation.run(FIRST).by_spark == ("refused" if alone else "")
    if not alone:
        assert given == [None]
        return
    (ends,) = given
    assert ends is not None
    assert before < ends - TIMEOUT_S < perf_counter()
