"""Tasks that could not be ended hold later queries up once, and not each of them as long."""

from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.running.bounded_frames import BoundedFrames, QueryFailedError
from evaluation.running.cancellation import Remains


def test_what_a_whole_limit_did_not_end_is_not_waited_for_as_long_again(
    monkeypatch: pytest.MonkeyPatch,
):
    spark: Any = None
    waited = []

    def never(_: object, timeout_s: float) -> int:
        waited.append(timeout_s)
        return 1

    monkeypatch.setattr("evaluation.running.bounded_frames.await_rest", never)
    frames = BoundedFrames(spark, {}, run="r", origins={}, timeout_s=30.0)
    left: Any = SimpleNamespace(stop=lambda: Remains(tasks=1, silent_stores=()))
    frames._stop(left)
    for _ in range(3):
        with pytest.raises(QueryFailedError, match="not started: 1 tasks"):
            frames.collect(lambda: pytest.fail("it was begun"), ())
    assert waited == [32.0, 2.0, 2.0]
