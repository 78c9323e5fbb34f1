"""A run whose rounds are over, with candidates for loops of several clients."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.clients.loops import Clients
from evaluation.judging.judge import Judge
from evaluation.judging.oracle import Oracle
from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement, QueryOutcome
from evaluation.running.job import Job
from placement.plan import Outcome, PlacementPlan
from tests.data_fixtures import statement
from tests.unit.evaluation.fake_clients import (
    SQL,
    FakeEngine,
    Stores,
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
