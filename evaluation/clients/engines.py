"""The engines of several clients, each with a session of its own, and their prepared queries."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evaluation.engines import ENGINES
from evaluation.engines.engine import Engine, Prepared
from evaluation.judging.oracle import Oracle
from evaluation.running.job import Job
from evaluation.spark.joins import joining
from placement.plan import PlacementPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Engines:
    """Engines that are opened when a client first needs one, beside `first`, that of the rounds.

    Sessions have views, settings and marks in stores of their own: clients do not meet there.
    """

    def __init__(self, spark: "SparkSession", job: Job, oracle: Oracle, first: Engine) -> None:
        self._spark = spark
        self._job = replace(job, sharing=max(job.clients, default=1))
        self._oracle = oracle
        self._first = first
        self._open = ExitStack()
        self._engines: list[Engine] = []
        self._known: dict[tuple[int, str], Mapping[str, Prepared]] = {}

    def __enter__(self) -> Self:
        """Open nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all of them."""
        self.close()

    def close(self) -> None:
        """Close all of them; those that are asked for later are new."""
        self._open.close()
        self._engines.clear()
        self._known.clear()

    def prepared(
        self, plan: PlacementPlan, queries: Collection[str], clients: int
    ) -> Sequence[Mapping[str, Prepared]]:
        """Return the queries of a plan for each client, written by its own engine.

        An engine that is new runs the first of them once: its session's first query takes longer.

        Raises:
            QueryFailedError: That query failed.
            AdvisorError: A query cannot be said in the engine's SQL.
        """
        return [self._of(client, plan, queries) for client in range(clients)]

    def _of(
        self, client: int, plan: PlacementPlan, queries: Collection[str]
    ) -> Mapping[str, Prepared]:
        is_new = client == len(self._engines)
        if is_new:
            self._engines.append(self._opened())
        key = (client, plan.strategy)
        if key not in self._known:
            engine = self._engines[client]
            self._known[key] = {query: engine.prepare(query, plan) for query in queries}
        if is_new:
            next(iter(self._known[key].values())).run(counted=False)
        return self._known[key]

    def _opened(self) -> Engine:
        session = self._spark.newSession()
        self._open.enter_context(joining(session, self._job.join_strategy))
        opened = ENGINES[self._job.engine](session, self._job, self._oracle)
        engine = self._open.enter_context(opened)
        engine.learn(self._first)
        return engine
