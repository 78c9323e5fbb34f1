"""Runs every candidate's queries, round by round, and checks every answer."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from evaluation.clients.loops import Clients
from evaluation.engines import ENGINES
from evaluation.engines.engine import Engine, Prepared
from evaluation.judging.judge import Judge, in_place, judge_of
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.measuring.busy_cores import counted
from evaluation.measuring.fragment_measurement import medians
from evaluation.measuring.left_out import left_out_alike
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Moved,
    QueryMeasurement,
    QueryOutcome,
)
from evaluation.measuring.rounds import unsettled
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.job import Job
from evaluation.running.unforeseen import unforeseen
from evaluation.spark.java import KILLED, has_ended
from evaluation.spark.joins import joining
from placement.plan import PlacementPlan, RoutedFragment
from workloads.errors import AdvisorError
from workloads.progress import Progress
from workloads.sql.unanswered import unanswered
from workloads.workload import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


Figure = TypeVar("Figure", int, float)


@dataclass(slots=True)
class _Series:
    """The runs so far of one query of one candidate."""

    query: Query
    prepared: Prepared | None = None
    outcome: QueryOutcome = QueryOutcome.VERIFIED
    message: str = ""
    runs: list[Execution] = field(default_factory=list)

    def fail(self, outcome: QueryOutcome, message: str) -> None:
        self.outcome = outcome
        self.message = message
        self.runs.clear()

    def back_to(self, before: "_Series") -> None:
        """Forget what came after `before`."""
        self.outcome, self.message, self.runs = before.outcome, before.message, before.runs

    def cut_off(self, rounds: int) -> None:
        """Keep the rounds that were whole when Java was killed; without one the query failed."""
        if self.outcome is QueryOutcome.VERIFIED:
            del self.runs[rounds:]
            if not self.runs:
                self.fail(QueryOutcome.FAILED, KILLED)

    def measurement(self) -> QueryMeasurement:
        last = self.runs[-1] if self.runs else None
        moved: Mapping[str, Moved] = last.moved if last else {}
        engine_s = _told(run.engine_s for run in self.runs)
        busy_cores = _told(run.busy_cores for run in self.runs)
        return QueryMeasurement(
            query=self.query.name,
            executions=self.query.executions,
            outcome=self.outcome,
            seconds=tuple(run.seconds for run in self.runs),
            moved=moved,
            exchanges=last.exchanges if last else None,
            shuffle_bytes=last.shuffle_bytes if last else None,
            peak_memory_bytes=max(_told(run.peak_memory_bytes for run in self.runs), default=None),
            operators_memory_bytes=max(
                _told(run.operators_memory_bytes for run in self.runs), default=None
            ),
            shuffle_records=last.shuffle_records if last else None,
            exchanged_rows=last.exchanged_rows if last else None,
            exchanged_bytes=last.exchanged_bytes if last else None,
            spilled_bytes=max(_told(run.spilled_bytes for run in self.runs), default=None),
            fragments=medians([run.fragments for run in self.runs]),
            engine_s=median(engine_s) if engine_s else None,
            busy_cores=median(busy_cores) if busy_cores else None,
            message=self.message or (last.otherwise if last else ""),
        )


def _told(figures: Iterable[Figure | None]) -> list[Figure]:
    """Return what the engine told of each execution; it is silent on the others."""
    return [each for each in figures if each is not None]


def run_candidates(
    spark: "SparkSession",
    job: Job,
    plans: Sequence[PlacementPlan],
    load_s: Mapping[str, float],
    progress: Progress,
) -> tuple[CandidateMeasurement, ...]:
    """Measure every plan: one warm-up, then at most `job.repeats` rounds in seeded random order.

    Every round runs every candidate once that is still in it, so that whatever disturbs the machine
    for longer than a round disturbs all alike. A candidate's queries follow one another, as they do
    once it is the placement: a store then has in memory what they have read, and not what another
    candidate did. A candidate that breaks a limit has one round. The
    others have further ones until their places among themselves are settled (see `rounds`),
    and the fastest of them has all. With `job.all_repeats` all have all rounds. Candidates whose
    plans answer a query by the same fragments in the same stores share its runs: statements and
    copies are the same.

    Every answer, the warm-up's too, is compared with the oracle's (see `Judge`). A query that once
    failed, was late, wrong or undetermined is not run again and has no seconds, but where it lost a
    store: then it has a second try at once (see `Failover`), which is told in its message alone. A
    query that is undetermined for one candidate has no seconds for any. Where Spark's Java is
    killed, the rounds before stay; without one all that was not verified has failed.
    `load_s` maps a plan's strategy to what loading its copies took when they were loaded. Where
    `job.clients` are asked for, what is verified has loops of several clients after the rounds.
    """
    oracle = Oracle(job.catalog, job.workload.dialect)
    judge = judge_of(oracle, job.catalog, plans)
    order = random.Random(job.seed)  # noqa: S311 - an order of runs, not a secret
    rounds = 1 + job.repeats
    queries = len(job.workload.queries)
    with (
        joining(spark, job.join_strategy),
        ENGINES[job.engine](spark, job, oracle) as engine,
        progress.task("Running the workload", rounds * len(plans) * queries) as task,
    ):
        series = {plan.strategy: _prepare(engine, job, plan) for plan in plans}
        alike = _alike(plans)
        asked = frozenset(series)
        there = {plan.strategy for plan in plans if in_place(job.catalog, plan)}
        for repeat in range(rounds):
            names = [name for name in series if name in asked]
            task.advance((len(series) - len(names)) * queries)
            order.shuffle(names)
            if repeat == 0 and judge.beyond:
                # Their first answers are those that the others are compared with.
                names.sort(key=lambda name: name not in there)
            for turn in (turns := _turns(job, series, names, alike)):
                before = [replace(each, runs=list(each.runs)) for each in turn]
                _run_once(judge, job, turn, engine.types, warm_up=repeat == 0)
                if has_ended(spark):
                    for each, was in zip(turn, before, strict=True):
                        each.back_to(was)
                    break
                task.advance(len(turn))
            if has_ended(spark):
                for each in (each for turn in turns for each in turn):
                    each.cut_off(max(0, repeat - 1))
                break
            if repeat > 0 and not job.all_repeats:
                asked &= _unsettled(_measured(plans, series, load_s))
        measured = _measured(plans, series, load_s)
        if job.clients:
            clients = Clients(spark, job, oracle, engine, judge)
            measured = clients.with_loops(measured, alike, progress)
    oracle.close()
    return measured


def _alike(plans: Sequence[PlacementPlan]) -> Mapping[tuple[str, str], str]:
    """Return (strategy, query) → the first strategy that runs its fragments in the same way."""
    found: dict[tuple[str, str], str] = {}
    for plan in plans:
        for query, routed in plan.routing.items():
            ways = list(map(_way, routed))
            first = next(
                other.strategy
                for other in plans
                if query in other.routing and list(map(_way, other.routing[query])) == ways
            )
            found[plan.strategy, query] = first
    return found


def _way(routed: RoutedFragment) -> tuple[object, ...]:
    """Return how a fragment is run: where, how it is fetched, by which memory and indexes.

    The statement itself tells MariaDB and MySQL which indexes its plan has no price of.
    """
    return routed.fragment, routed.store, routed.transfer, routed.memory_bytes, routed.read_by


def _turns(
    job: Job,
    series: Mapping[str, Sequence[_Series]],
    names: Sequence[str],
    alike: Mapping[tuple[str, str], str],
) -> list[list[_Series]]:
    """Return what a round runs, candidate by candidate: series that are alike are run as one."""
    found: dict[tuple[str, str], list[_Series]] = {}
    for name in names:
        for number, query in enumerate(job.workload.queries):
            first = alike.get((name, query.name), name)
            found.setdefault((query.name, first), []).append(series[name][number])
    return list(found.values())


def _measured(
    plans: Sequence[PlacementPlan],
    series: Mapping[str, Sequence[_Series]],
    load_s: Mapping[str, float],
) -> tuple[CandidateMeasurement, ...]:
    return left_out_alike(
        [
            CandidateMeasurement(
                plan=plan,
                load_s=load_s[plan.strategy],
                queries=tuple(each.measurement() for each in series[plan.strategy]),
            )
            for plan in plans
        ]
    )


def _unsettled(candidates: Sequence[CandidateMeasurement]) -> frozenset[str]:
    """Return the candidates that need another round: none of those that break a limit."""
    return unsettled({c.plan.strategy: c.totals_s for c in candidates if c.plan.feasible})


def _prepare(engine: Engine, job: Job, plan: PlacementPlan) -> list[_Series]:
    found = []
    unfilled = {each.query: f" ({each.reason})" for each in job.literals if each.reason}
    for query in job.workload.queries:
        one = _Series(query)
        found.append(one)
        if reason := unanswered(query, job.catalog, job.workload.dialect):
            why = unfilled.get(query.name, "")
            one.fail(QueryOutcome.UNDETERMINED, f"not determined: {reason}{why}")
            continue
        try:
            one.prepared = engine.prepare(query.name, plan)
        except AdvisorError as error:
            one.fail(QueryOutcome.FAILED, str(error))
        except Exception as error:  # noqa: BLE001 - one query's fault must not end the command
            one.fail(QueryOutcome.FAILED, unforeseen(job, error))
    return found


def _run_once(
    judge: Judge, job: Job, turn: Sequence[_Series], types: TypeRule, *, warm_up: bool
) -> None:
    """Run the query of series that are alike once, for all of them."""
    waiting = [
        (each, each.prepared)
        for each in turn
        if each.prepared is not None and each.outcome is QueryOutcome.VERIFIED
    ]
    if not waiting:
        return
    busy_cores = counted()
    try:
        execution = waiting[0][1].run()
    except QueryFailedError as error:
        # The copies that are left differ from plan to plan.
        for each, prepared in waiting:
            each.fail(*_second_try(job, prepared, error))
        return
    except Exception as error:  # noqa: BLE001 - one query's fault must not end the command
        for each, _ in waiting:
            each.fail(QueryOutcome.FAILED, unforeseen(job, error))
        return
    execution = replace(execution, busy_cores=busy_cores())
    found = judge.verdict(turn[0].query, execution.answer, types)
    for each, _ in waiting:
        if found.outcome is not QueryOutcome.VERIFIED:
            each.fail(found.outcome, found.message)
        elif not warm_up:
            each.runs.append(execution)


def _second_try(job: Job, prepared: Prepared, error: QueryFailedError) -> tuple[QueryOutcome, str]:
    """Return the outcome of a query that failed, and what is told of it and of a second try."""
    outcome = QueryOutcome.TIMEOUT if error.timeout else QueryOutcome.FAILED
    try:
        second = prepared.again(error)
    except Exception as again:  # noqa: BLE001 - one query's fault must not end the command
        return outcome, f"{error} The second try failed: {unforeseen(job, again)}"
    return (second.outcome, f"{error} {second.message}") if second else (outcome, str(error))
