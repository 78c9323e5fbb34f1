"""A session of Spark for several jobs: opened once, ended by its last user, new if killed."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from evaluation import bench
from evaluation.bench import Bench, KeptBench
from workloads.progress import Silent

JOB: Any = None


class Session:
    killed = False


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    @contextmanager
    def opened(*_: object) -> Iterator[Bench]:
        found.append("up")
        session: Any = Session()
        try:
            yield Bench(spark=session)
        finally:
            found.append("down")

    monkeypatch.setattr(bench, "open_bench", opened)
    monkeypatch.setattr(bench, "has_ended", lambda session: session.killed)
    return found


def test_it_is_opened_once_and_ended_by_its_last_user(log: list[str]) -> None:
    with ExitStack() as stack:
        kept = KeptBench(Silent(), stack)
        assert log == []
        first = kept.opened(JOB)
        with kept.last(JOB) as session:
            assert session is first.spark
            assert log == ["up"]
        assert log == ["up", "down"]
    assert log == ["up", "down"]


def test_a_killed_one_is_replaced_and_the_block_ends_what_nobody_did(log: list[str]) -> None:
    with ExitStack() as stack:
        kept = KeptBench(Silent(), stack)
        first: Any = kept.opened(JOB).spark
        first.killed = True
        assert kept.opened(JOB).spark is not first
        assert log == ["up", "down", "up"]
    assert log == ["up", "down", "up", "down"]


def test_it_ends_where_its_last_user_fails(log: list[str]) -> None:
    with ExitStack() as stack:
        kept = KeptBench(Silent(), stack)
        with pytest.raises(ValueError, match="x"), kept.last(JOB):
            raise ValueError("x")
        assert log == ["up", "down"]
