"""Statements run again and again until a time is up: the typical seconds of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from evaluation.calibration.warming import EngineRun, EngineRuns
from evaluation.engines import ENGINES
from evaluation.engines.engine import Engine, Prepared
from evaluation.judging.judge import Judge, judge_of
from evaluation.judging.oracle import Oracle
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    QueryMeasurement,
    QueryOutcome,
)
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import OURS, Job
from evaluation.spark.joins import joining
from placement.plan import PlacementPlan
from workloads.errors import AdvisorError
from workloads.progress import Progress, Task
from workloads.workload import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Turn = Callable[[PlacementPlan, str], int]
"""When a plan's statement has its turn, the least first."""
Typical = Callable[[Sequence[float]], float]
"""Which seconds a statement takes, by those of its runs after the first."""

MOST_RUNS = 6
"""Runs of a statement at most. The first does not count: the engine compiles then."""
_FIRST_RUNS = 2
_LATE = "The time of a quick calibration was up before it had run twice."


@dataclass(slots=True)
class _Trial:
    """A statement of a plan, and the seconds of its runs after the first."""

    plan: PlacementPlan
    query: Query
    prepared: Prepared | None = None
    outcome: QueryOutcome = QueryOutcome.VERIFIED
    message: str = ""
    is_warm: bool = False
    is_judged: bool = False
    seconds: list[float] = field(default_factory=list)

    def fail(self, outcome: QueryOutcome, message: str) -> None:
        self.outcome, self.message, self.prepared = outcome, message, None
        self.seconds.clear()

    def run(self, judge: Judge | None, engine: Engine, runs: EngineRuns) -> None:
        """Run it once more; the first answer is judged.

        A first run that is late is one that does not count: the engine compiles then. One that
        was not run as planned tells of no plan.
        """
        if self.prepared is None:
            return
        before = runs.count
        runs.count += 1
        try:
            execution = self.prepared.run()
            # What a store answers alone compiles nothing of the engine.
            runs.count -= execution.alone
        except QueryFailedError as error:
            if error.timeout and not self.is_warm:
                self.is_warm = True
                return
            late = QueryOutcome.TIMEOUT if error.timeout else QueryOutcome.FAILED
            self.fail(late, str(error))
            return
        except Exception as error:  # noqa: BLE001 - one statement's fault must not end the others
            self.fail(QueryOutcome.FAILED, type(error).__name__)
            return
        if execution.otherwise:
            self.fail(QueryOutcome.FAILED, execution.otherwise)
            return
        if self.is_warm:
            self.seconds.append(execution.seconds)
            runs.later.append(
                EngineRun(
                    candidate=self.plan.strategy,
                    query=self.query.name,
                    before=before,
                    seconds=execution.seconds,
                )
            )
        self.is_warm = True
        if judge is not None and not self.is_judged:
            self.is_judged = True
            found = judge.verdict(self.query, execution.answer, engine.types)
            if found.outcome is not QueryOutcome.VERIFIED:
                self.fail(found.outcome, found.message)

    def measurement(self, typical: Typical) -> QueryMeasurement:
        if self.outcome is QueryOutcome.VERIFIED and not self.seconds:
            self.fail(QueryOutcome.TIMEOUT, _LATE)
        return QueryMeasurement(
            query=self.query.name,
            executions=self.query.executions,
            outcome=self.outcome,
            seconds=(typical(self.seconds),) if self.seconds else (),
            moved={},
            message=self.message,
        )


def repeated(
    engine: Engine,
    queries: Mapping[str, Query],
    plans: Sequence[PlacementPlan],
    judge: Judge | None,
    *,
    turn: Turn,
    seconds: float,
    task: Task,
    runs: EngineRuns,
    typical: Typical = min,
    clock: Callable[[], float] = perf_counter,
) -> tuple[CandidateMeasurement, ...]:
    """Run the statements that plans route for so long, and return the `typical` seconds of each.

    Each runs twice, one statement after another in the order of their `turn`, then all in turns.
    None starts when `seconds` have gone since the very first one ended, in which Spark
    loads its classes. The least of several seconds is what a statement takes in an engine that is
    warm, on a machine that nothing else disturbs. Answers are judged once; without a `judge` they
    are taken as they are. `runs` takes note of them, and `clock` tells the time.
    """
    trials = [_Trial(plan=plan, query=queries[name]) for plan in plans for name in plan.routing]
    for each in trials:
        try:
            each.prepared = engine.prepare(each.query.name, each.plan)
        except AdvisorError as error:
            each.fail(QueryOutcome.FAILED, str(error))
    ends: float | None = None
    for each in _turns(trials, turn):
        if ends is not None and clock() >= ends:
            break
        each.run(judge, engine, runs)
        task.advance()
        ends = clock() + seconds if ends is None else ends
    return tuple(
        CandidateMeasurement(
            plan=plan,
            load_s=0.0,
            queries=tuple(each.measurement(typical) for each in trials if each.plan is plan),
        )
        for plan in plans
    )


def measured_for(
    spark: "SparkSession",
    job: Job,
    plans: Sequence[PlacementPlan],
    progress: Progress,
    *,
    judged: bool,
    turn: Turn,
    seconds: float,
    runs: EngineRuns,
    typical: Typical = min,
) -> tuple[CandidateMeasurement, ...]:
    """Run the statements of plans for so many `seconds`, as `repeated` does.

    Answers are compared with DuckDB's where they are `judged`, which needs the tables' rows here.
    """
    queries = {each.name: each for each in job.workload.queries}
    oracle = Oracle(job.catalog, job.workload.dialect)
    judge = judge_of(oracle, job.catalog, plans) if judged else None
    most = MOST_RUNS * sum(len(plan.routing) for plan in plans)
    with (
        closing(oracle),
        joining(spark, job.join_strategy),
        ENGINES[OURS](spark, job, oracle) as engine,
        progress.task("Measuring statements", most) as task,
    ):
        return repeated(
            engine,
            queries,
            plans,
            judge,
            turn=turn,
            seconds=seconds,
            task=task,
            runs=runs,
            typical=typical,
        )


def _turns(trials: Sequence[_Trial], turn: Turn) -> Iterator[_Trial]:
    # Statement by statement over all plans, so that each store has some whenever the time ends.
    names = list(dict.fromkeys(each.query.name for each in trials))
    ordered = sorted(trials, key=lambda each: names.index(each.query.name))
    for each in sorted(ordered, key=lambda each: turn(each.plan, each.query.name)):
        yield from [each] * _FIRST_RUNS
    for _ in range(MOST_RUNS - _FIRST_RUNS):
        yield from trials
