"""Behaviour of stores beyond their rates: statements that they answer at the same time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from evaluation.calibration.whole_statements import whole_statement
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from placement.transfer.streams import Points
from workloads.errors import SqlError
from workloads.progress import Progress
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AT_ONCE = (1, 2, 4)
"""So many statements of equal work are put to a store at the same time."""
_TABLE = "lineitem"
_WORK = "SELECT COUNT(*) AS n, SUM(l_quantity) AS s FROM lineitem WHERE l_extendedprice >"
_ROW_BYTES = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The behaviour of one store; medians in seconds.

    `at_once_s`: statements of equal work that are put to it at the same time → until all are
    answered.
    """

    at_once_s: Mapping[int, float]

    @property
    def multiples(self) -> Points:
        """Numbers of statements with how many times as long as one they take.

        There are none without seconds of one.
        """
        alone_s = self.at_once_s.get(1, 0.0)
        if alone_s <= 0:
            return ()
        return tuple((count, took_s / alone_s) for count, took_s in sorted(self.at_once_s.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """A statement of equal work in every store: all at the same time, and the sum of each alone."""

    all_at_once_s: float
    one_by_one_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviours:
    """Of each store, and of all together; `together` is None where fewer than two were measured.

    `failed` maps store, or those that were asked together → why nothing is known of it.
    """

    stores: Mapping[str, Behaviour]
    together: Together | None
    failed: Mapping[str, str]


def behaviours(spark: "SparkSession", job: Job, progress: Progress) -> Behaviours:
    """Measure the job's stores, each of which holds TPC-H whole; medians of the job's repeats."""
    found: dict[str, Behaviour] = {}
    failed: dict[str, str] = {}
    with (
        Federation(
            spark, job.connections, timeout_s=job.query_timeout_s, fetch_size=job.fetch_size
        ) as federation,
        progress.task("Measuring statements at once", len(job.connections) + 1) as task,
    ):
        probe = _Probe(job, federation)
        for store in job.connections:
            try:
                found[store] = probe.behaviour(store)
            except (QueryFailedError, SqlError) as error:
                failed[store] = str(error)
            task.advance()
        together = None
        if len(found) > 1:
            try:
                together = probe.together(list(found))
            except QueryFailedError as error:
                failed[" and ".join(found)] = str(error)
        task.advance()
    return Behaviours(stores=found, together=together, failed=failed)


def equal_work(number: int) -> Workload:
    """Return so many statements of equal work over TPC-H, named `work_0` and so on.

    They differ in a constant: no engine then takes one's rows for another's.
    """
    names = [_work(each) for each in range(number)]
    return Workload(
        name="behaviour",
        dialect="duckdb",
        queries=tuple(
            Query(name=name, sql=f"{_WORK} {1_000 + each}", origin=f"calibration {name}")
            for each, name in enumerate(names)
        ),
    )


class _Probe:
    """Puts statements to stores through the engine that answers queries."""

    def __init__(self, job: Job, federation: Federation) -> None:
        self._repeats = job.repeats
        self._federation = federation
        workload = equal_work(max(*AT_ONCE, len(job.connections)))
        self._compiler = Compiler(workload, job.catalog, dialects(job))

    def behaviour(self, store: str) -> Behaviour:
        """Measure one store.

        Raises:
            QueryFailedError: It does not answer in time.
        """
        answered_s = self._medians([self._at_once([store] * number) for number in AT_ONCE])
        return Behaviour(at_once_s=dict(zip(AT_ONCE, answered_s, strict=True)))

    def together(self, stores: Sequence[str]) -> Together:
        """Measure stores at the same time, and each alone.

        Raises:
            QueryFailedError: One does not answer in time.
        """
        alone = [self._at_once([store]) for store in stores]
        *alone_s, all_s = self._medians([*alone, self._at_once(stores)])
        return Together(all_at_once_s=all_s, one_by_one_s=sum(alone_s))

    def _medians(self, queries: Sequence[CompiledQuery]) -> list[float]:
        """Return each query's seconds, after one round that is not counted."""
        rounds = [
            [self._federation.run(query).seconds for query in queries]
            for _ in range(1 + self._repeats)
        ]
        return [median(each) for each in zip(*rounds[1:], strict=True)]

    def _at_once(self, stores: Sequence[str]) -> CompiledQuery:
        """Return a query of as many fragments as stores, a statement of equal work in each."""
        fragments = [self._fragment(store, number) for number, store in enumerate(stores)]
        return CompiledQuery(
            query="at_once",
            fragments=tuple(fragments),
            combine_sql=" UNION ALL ".join(f"TABLE {each.view}" for each in fragments),
        )

    def _fragment(self, store: str, number: int) -> CompiledFragment:
        """Return a statement as one store runs it whole."""
        query = _work(number)
        compiled = whole_statement(self._compiler, query, _TABLE, store, row_bytes=_ROW_BYTES)
        return replace(compiled, view=f"fragment_{number}")


def _work(number: int) -> str:
    return f"work_{number}"
