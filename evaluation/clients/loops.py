"""Loops of several clients, after the rounds: each verified candidate with each number of them.

Loops have rounds of their own, as queries have (see `evaluation.measuring.rounds`): in each all
loops that are still asked for are run once, in seeded random order.
"""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluation.clients.closed_loop import Looped, closed_loop
from evaluation.clients.draws import draws
from evaluation.clients.engines import Engines
from evaluation.clients.prediction import predicted_per_s
from evaluation.engines.engine import Engine
from evaluation.judging.judge import Judge
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import Verdict
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    ClosedLoop,
    LoopRound,
    QueryOutcome,
)
from evaluation.measuring.rounds import unsettled
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.cancellation import await_rest
from evaluation.running.job import Job
from evaluation.running.unforeseen import unforeseen
from evaluation.spark.java import KILLED, has_ended
from placement.plan import PlacementPlan
from workloads.errors import AdvisorError
from workloads.progress import Progress, Task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASK = "Running several clients at once"
# What tasks that could not be ended are waited for, beyond the time limit of their store.
_REST_S = 2.0
_Loop = tuple[str, int]
"""(strategy, clients)."""
Loops = Mapping[_Loop, ClosedLoop]
Alike = Mapping[tuple[str, str], str]
"""(strategy, query) → the first strategy that has its fragments in the same stores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mix:
    """The queries that are asked, the quickest first, and those that `drawn` has for each number.

    `names` maps a candidate to the first that answers all of them by the same fragments.
    """

    queries: tuple[str, ...]
    drawn: Mapping[int, tuple[str, ...]]
    names: Mapping[str, str]

    @property
    def loops(self) -> list[_Loop]:
        """Return the loops of a round as (candidate, clients)."""
        return [(name, each) for name in dict.fromkeys(self.names.values()) for each in self.drawn]

    def queries_of(self, loops: Iterable[_Loop]) -> int:
        """Return how many queries are asked in these loops."""
        return sum(len(self.drawn[clients]) for _, clients in loops)


class Clients:
    """Several clients of a run, whose rounds `engine` answered."""

    def __init__(
        self, spark: "SparkSession", job: Job, oracle: Oracle, engine: Engine, judge: Judge
    ) -> None:
        self._spark = spark
        self._job = job
        self._oracle = oracle
        self._engine = engine
        self._judge = judge

    def with_loops(
        self, candidates: Sequence[CandidateMeasurement], alike: Alike, progress: Progress
    ) -> tuple[CandidateMeasurement, ...]:
        """Return the candidates, those that are verified with a loop for each number of clients.

        Those that answer all queries by the same fragments in the same stores share their loops.
        """
        verified = [each for each in candidates if each.measured_s is not None]
        mix = self._mix(verified, alike)
        if not mix.queries:
            return tuple(candidates)
        found = self._rounds({each.plan.strategy: each.plan for each in verified}, mix, progress)
        return tuple(
            replace(each, loops=tuple(found[first, number] for number in sorted(mix.drawn)))
            if (first := mix.names.get(each.plan.strategy)) is not None
            else each
            for each in candidates
        )

    def _rounds(self, plans: Mapping[str, PlacementPlan], mix: _Mix, progress: Progress) -> Loops:
        """Run the rounds of all loops, each as often as its place needs to be settled.

        Candidates that break a limit have further rounds too: the best single store often does.
        """
        order = random.Random(self._job.seed)  # noqa: S311 - an order of runs, not a secret
        loops = {
            (name, clients): self._unmeasured(plans[name], mix, clients)
            for name, clients in mix.loops
        }
        asked = list(loops)
        with (
            Engines(self._spark, self._job, self._oracle, self._engine) as engines,
            progress.task(TASK, self._job.repeats * mix.queries_of(loops)) as task,
        ):
            for number in range(1, self._job.repeats + 1):
                order.shuffle(asked)
                for name, clients in asked:
                    loop = loops[name, clients]
                    loops[name, clients] = self._once(engines, plans[name], mix, loop, task)
                task.advance(mix.queries_of(loops.keys() - set(asked)))
                had = {each: loop for each, loop in loops.items() if len(loop.rounds) == number}
                again = had if self._job.all_repeats else _unsettled(had, _within(plans, mix))
                # In an order that does not depend on hashes: the next one follows from the seed.
                asked = [each for each in loops if each in again]
        return loops

    def _mix(self, verified: Sequence[CandidateMeasurement], alike: Alike) -> _Mix:
        """Return what all clients ask: the same queries were verified for all candidates."""
        if not verified:
            return _Mix(queries=(), drawn={}, names={})
        determined = verified[0].determined
        executions = {each.query: each.executions for each in determined}
        quickest = sorted(determined, key=lambda each: each.measured_s or 0.0)
        queries = tuple(each.query for each in quickest if each.executions > 0)
        return _Mix(
            queries=queries,
            drawn={each: draws(executions, each, self._job.seed) for each in self._job.clients},
            names=_names([each.plan.strategy for each in verified], queries, alike),
        )

    def _unmeasured(self, plan: PlacementPlan, mix: _Mix, clients: int) -> ClosedLoop:
        predicted = predicted_per_s(self._job, plan, mix.drawn[clients], clients)
        return ClosedLoop(clients=clients, outcome=QueryOutcome.VERIFIED, predicted_per_s=predicted)

    def _once(
        self, engines: Engines, plan: PlacementPlan, mix: _Mix, loop: ClosedLoop, task: Task
    ) -> ClosedLoop:
        """Return the loop with a round more; with none at all where this one fails.

        Where it cannot begin, for reasons that are not its own, the rounds before stay.
        """
        drawn = mix.drawn[loop.clients]
        if reason := self._not_started():
            task.advance(len(drawn))
            return loop if loop.rounds else _ended(loop, QueryOutcome.FAILED, reason)
        try:
            prepared = engines.prepared(plan, mix.queries, loop.clients)
        except Exception as error:  # noqa: BLE001 - one loop's fault must not end the command
            task.advance(len(drawn))
            engines.close()
            return self._failed(loop, mix.queries[0], error)
        looped = closed_loop(self._spark, prepared, drawn, task.advance)
        task.advance(len(drawn) - len(looped.seconds))
        if looped.failure is not None:
            # Of theirs some may wait for tasks that others run now.
            engines.close()
            return self._failed(loop, *looped.failure)
        return self._judged(loop, looped)

    def _not_started(self) -> str:
        """Return why no loop can begin; empty where one can."""
        if has_ended(self._spark):
            return KILLED
        if tasks := await_rest(self._spark, self._job.query_timeout_s + _REST_S):
            return f"not started: {tasks} tasks of an earlier query cannot be cancelled"
        return ""

    def _failed(self, loop: ClosedLoop, query: str, error: Exception) -> ClosedLoop:
        late = isinstance(error, QueryFailedError) and error.timeout
        known = isinstance(error, QueryFailedError | AdvisorError)
        message = str(error) if known else unforeseen(self._job, error)
        if has_ended(self._spark):
            if loop.rounds:
                return loop
            message = KILLED
        return _ended(loop, QueryOutcome.TIMEOUT if late else QueryOutcome.FAILED, message, query)

    def _judged(self, loop: ClosedLoop, looped: Looped) -> ClosedLoop:
        """Judge the answers now that the loop has ended: that takes nothing from its clients."""
        for query, verdict in self._verdicts(looped):
            if verdict.outcome is not QueryOutcome.VERIFIED:
                return _ended(loop, verdict.outcome, verdict.message, query)
        last = LoopRound(seconds=tuple(looped.seconds), elapsed_s=looped.elapsed_s)
        return replace(loop, rounds=(*loop.rounds, last))

    def _verdicts(self, looped: Looped) -> Iterable[tuple[str, Verdict]]:
        for query, answers in looped.answers.items():
            asked = self._job.workload.query(query)
            for answer in answers:
                yield query, self._judge.verdict(asked, answer, self._engine.types)


def _within(plans: Mapping[str, PlacementPlan], mix: _Mix) -> Collection[str]:
    """Return the candidates whose loops are those of one that keeps all limits."""
    return {mix.names[name] for name, plan in plans.items() if plan.feasible}


def _unsettled(loops: Loops, within: Collection[str]) -> Collection[_Loop]:
    """Return the loops that need another round, of those that had all rounds until now.

    The fastest of all needs one, and so does the fastest that keeps all limits.
    """
    found = set[_Loop]()
    for number in {clients for _, clients in loops}:
        totals = {
            name: loop.totals_s for (name, clients), loop in loops.items() if clients == number
        }
        kept = {name: each for name, each in totals.items() if name in within}
        found |= {(name, number) for name in unsettled(totals) | unsettled(kept)}
    return found


def _ended(loop: ClosedLoop, outcome: QueryOutcome, message: str, query: str = "") -> ClosedLoop:
    """Return the loop without a figure, as a query that once failed has no seconds."""
    return replace(loop, outcome=outcome, rounds=(), query=query, message=message)


def _names(strategies: Sequence[str], queries: Sequence[str], alike: Alike) -> Mapping[str, str]:
    """Return strategy → the first one that answers all queries as it does."""
    first: dict[tuple[str, ...], str] = {}
    by_query = {
        name: tuple(alike.get((name, query), name) for query in queries) for name in strategies
    }
    return {name: first.setdefault(each, name) for name, each in by_query.items()}
