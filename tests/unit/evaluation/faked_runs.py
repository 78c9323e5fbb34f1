"""Runs of candidates by an engine that answers as DuckDB does, or as a test says."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

from evaluation.judging.answer import Answer
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.measuring.measurement import CandidateMeasurement
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.failover import SecondTry
from evaluation.running.job import Job
from evaluation.runs import run_candidates
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Workload

SQL = {
    "right": "SELECT sum(i) AS s FROM t",
    "first": "SELECT first(i) AS f FROM t",
    "spoilt": "SELECT count(*) AS n FROM t",
}
Answering = Callable[[Answer], Answer]


def as_duckdb(answer: Answer) -> Answer:
    return answer


def raising(error: Exception) -> Answering:
    def raised(_: Answer) -> Answer:
        raise error

    return raised


@dataclass(frozen=True)
class FakePrepared:
    oracle: Oracle
    name: str
    answering: Answering
    second: Exception | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 2.0

    def run(self, *, counted: bool = True) -> Execution:
        found = self.answering(self.oracle.answer(statement(SQL[self.name], self.name)))
        return Execution(
            columns=found.columns,
            rows=found.rows,
            seconds=self.seconds,
            moved={},
            **self.told,
        )

    def again(self, error: QueryFailedError) -> SecondTry | None:
        if self.second is not None:
            raise self.second
        return None


@dataclass(frozen=True)
class FakeEngine:
    """Answers as DuckDB does, but for what a plan's strategy says of a query."""

    types: ClassVar[TypeRule] = TypeRule.EXACT

    oracle: Oracle
    answering: Mapping[tuple[str, str], Answering]
    second: Exception | None
    told: Mapping[str, Any]
    seconds: Mapping[str, float]

    def prepare(self, query: str, plan: PlacementPlan) -> FakePrepared:
        answering = self.answering.get((plan.strategy, query), as_duckdb)
        if isinstance(answering, Exception):
            raise answering
        seconds = self.seconds.get(plan.strategy, 2.0)
        return FakePrepared(self.oracle, query, answering, self.second, self.told, seconds)


def plan(strategy: str, *, over: bool = False, alike: tuple[str, ...] = ()) -> PlacementPlan:
    return PlacementPlan(
        strategy=strategy,
        outcome=Outcome.FEASIBLE,
        placement={},
        routing=dict.fromkeys(alike, ()),
        predicted_s=7.0,
        violations=("It is over a capacity.",) if over else (),
    )


def run(
    monkeypatch: pytest.MonkeyPatch,
    catalog: Catalog,
    answering: Mapping[tuple[str, str], Any],
    *,
    second: Exception | None = None,
    strategies: tuple[str, ...] = ("one", "two"),
    told: Mapping[str, Any] = MappingProxyType({}),
    killed_after: float = math.inf,
    seconds: Mapping[str, float] = MappingProxyType({}),
    over: tuple[str, ...] = (),
    all_repeats: bool = False,
    alike: tuple[str, ...] = (),
) -> tuple[CandidateMeasurement, ...]:
    @contextmanager
    def opened(spark: Any, job: Job, oracle: Oracle) -> Iterator[FakeEngine]:
        yield FakeEngine(oracle, answering, second, told, seconds)

    monkeypatch.setattr("evaluation.runs.ENGINES", {"fragments": opened})
    asked = count(1)
    monkeypatch.setattr("evaluation.runs.joining", lambda *_: nullcontext())
    monkeypatch.setattr("evaluation.runs.has_ended", lambda _: next(asked) > killed_after)
    queries = tuple(statement(sql, name) for name, sql in SQL.items())
    pg = Connection(store="pg", kind="postgresql", host="h", port=1, user="u", password="s3cret")
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=queries),
        catalog=catalog,
        connections={"pg": pg},
        repeats=3,
        all_repeats=all_repeats,
    )
    plans = [plan(each, over=each in over, alike=alike) for each in strategies]
    return run_candidates(Any, job, plans, dict.fromkeys(strategies, 1.0), Silent())


def outcomes(found: CandidateMeasurement) -> dict[str, str]:
    return {each.query: str(each.outcome) for each in found.queries}
