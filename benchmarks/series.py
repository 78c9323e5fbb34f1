"""One query with one engine on one placement: its rounds, and how they ended."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from evaluation.engines.engine import Engine, Prepared
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.judging.verdict import verdict
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from placement.plan import PlacementPlan
from workloads.errors import AdvisorError
from workloads.workload import Query


@dataclass(slots=True)
class Series:
    """One query with one engine on one placement."""

    placement: str
    engine: str
    query: Query
    prepared: Prepared | None = None
    outcome: QueryOutcome = QueryOutcome.VERIFIED
    message: str = ""
    runs: list[Execution] = field(default_factory=list)

    def prepare(self, engine: Engine, plan: PlacementPlan) -> None:
        """Write the query for its engine."""
        try:
            self.prepared = engine.prepare(self.query.name, plan)
        except AdvisorError as error:
            self.fail(QueryOutcome.FAILED, str(error))

    def run_once(self, oracle: Oracle, types: TypeRule, *, warm_up: bool) -> None:
        """Run it and compare its answer, unless it failed, was late or wrong before."""
        if self.prepared is None or self.outcome is not QueryOutcome.VERIFIED:
            return
        try:
            execution = self.prepared.run()
        except QueryFailedError as error:
            self.fail(QueryOutcome.TIMEOUT if error.timeout else QueryOutcome.FAILED, str(error))
            return
        found = verdict(oracle, self.query, execution.answer, types)
        if found.outcome is not QueryOutcome.VERIFIED:
            self.fail(found.outcome, found.message)
        elif not warm_up:
            self.runs.append(execution)

    def fail(self, outcome: QueryOutcome, message: str) -> None:
        self.outcome, self.message = outcome, message
        self.runs.clear()

    def record(self) -> dict[str, Any]:
        seconds = [run.seconds for run in self.runs]
        moved = self.runs[-1].moved.values() if self.runs else ()
        return {
            "placement": self.placement,
            "engine": self.engine,
            "query": self.query.name,
            "outcome": str(self.outcome),
            "seconds": [round(each, 4) for each in seconds],
            "median_s": round(median(seconds), 4) if seconds else None,
            "spread_s": round(max(seconds) - min(seconds), 4) if seconds else None,
            "rows_moved": sum(each.rows for each in moved),
            "bytes_moved": sum(each.bytes for each in moved),
            "message": self.message,
        }


def tell(record: Mapping[str, Any]) -> None:
    took = f"{record['median_s']:.2f} s" if record["median_s"] is not None else record["message"]
    print(
        f"{record['query']} {record['placement']} {record['engine']} {record['outcome']} "
        f"{took} {record['rows_moved']} rows",
        file=sys.stderr,
        flush=True,
    )
