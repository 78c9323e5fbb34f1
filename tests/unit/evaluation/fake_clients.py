"""Engines of several clients that share what their stores do."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar

from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.judging.types import TypeRule
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.failover import SecondTry
from placement.plan import PlacementPlan

SQL = {"sum": "SELECT sum(i)::BIGINT AS s FROM t", "count": "SELECT count(*) AS n FROM t"}
RIGHT = {
    "sum": Answer(columns=(AnswerColumn(name="s", type="BIGINT"),), rows=[(45,)]),
    "count": Answer(columns=(AnswerColumn(name="n", type="BIGINT"),), rows=[(10,)]),
}
CANCELLED = "[SPARK_JOB_CANCELLED] Job 7 cancelled as part of cancellation of all jobs"


@dataclass
class Stores:
    """The state that all clients of a test share: the end of each query, and who is at work."""

    answers: dict[str, Callable[[], Answer]]
    asked: Counter[str] = field(default_factory=Counter)
    busy: int = 0
    most: int = 0
    lock: Lock = field(default_factory=Lock)

    def run(self, query: str) -> Execution:
        with self.lock:
            self.asked[query] += 1
            self.busy += 1
            self.most = max(self.most, self.busy)
        try:
            time.sleep(0.002)
            answer = self.answers[query]()
        finally:
            with self.lock:
                self.busy -= 1
        return Execution(columns=answer.columns, rows=answer.rows, seconds=0.002, moved={})


@dataclass(frozen=True)
class FakePrepared:
    stores: Stores
    query: str

    def run(self, *, counted: bool = True) -> Execution:
        assert not counted
        return self.stores.run(self.query)

    def again(self, error: QueryFailedError) -> SecondTry | None:
        raise AssertionError(error)


@dataclass
class FakeEngine:
    types: ClassVar[TypeRule] = TypeRule.EXACT
    stores: Stores
    learnt: list["FakeEngine"] = field(default_factory=list)

    def prepare(self, query: str, plan: PlacementPlan) -> FakePrepared:
        return FakePrepared(self.stores, f"{plan.strategy} {query}")

    def learn(self, other: Any) -> None:
        self.learnt.append(other)


def right(*strategies: str) -> Stores:
    return Stores(
        answers={
            f"{name} {query}": lambda answer=answer: answer
            for name in strategies
            for query, answer in RIGHT.items()
        }
    )


def raising(error: Exception) -> Callable[[], Answer]:
    def raised() -> Answer:
        raise error

    return raised
