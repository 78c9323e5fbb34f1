"""Behaviour of stores beyond their rates: parallel reads, concurrent statements, an index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from evaluation.calibration.behaviour_statements import (
    ALL_OF_LARGE,
    KEYS,
    LARGE,
    LARGE_KEY,
    LARGE_TABLE,
    WITH_INDEX,
    WITHOUT_INDEX,
    behaviour_workload,
    table_of,
    working,
)
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.portions import ROWS_EACH, Ranged
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.stores import SCANNED
from placement.fragment import Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.errors import SqlError
from workloads.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AT_ONCE = (1, 2, 4)
"""So many statements of equal work are put to a store at the same time."""
# Where so large a part of the best rate is read, more streams are not worth having.
_WORTH = 0.9
_ROW_BYTES = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The behaviour of one store; medians in seconds.

    `stream_rows_per_s`: streams that one result is read by → rows a second in all. `at_once_s`:
    statements of equal work that are put to it at the same time → until all are answered.
    `with_index_s` finds `KEYS` rows by their primary key, `without_index_s` the same rows where
    the statement leaves no use of it.
    """

    stream_rows_per_s: Mapping[int, float]
    at_once_s: Mapping[int, float]
    with_index_s: float
    without_index_s: float

    @property
    def streams_worth_having(self) -> int:
        """Return the fewest streams that read nearly as fast as any number of them."""
        best = max(self.stream_rows_per_s.values())
        return min(n for n, rate in self.stream_rows_per_s.items() if rate >= _WORTH * best)


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
        progress.task("Measuring streams and indexes", len(job.connections) + 1) as task,
    ):
        probe = _Probe(job, federation, spark.sparkContext.defaultParallelism)
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


class _Probe:
    """Puts statements to stores through the engine that answers queries."""

    def __init__(self, job: Job, federation: Federation, parallelism: int) -> None:
        self._job = job
        self._federation = federation
        most = max(*AT_ONCE, len(job.connections))
        self._compiler = Compiler(behaviour_workload(job.catalog, most), job.catalog, dialects(job))
        self._streams = [n for n in (1, 2, 4, 8, 16) if n <= parallelism]

    def behaviour(self, store: str) -> Behaviour:
        """Measure one store.

        Raises:
            QueryFailedError: It does not answer in time, or not rightly.
        """
        streams = [self._read(store, number) for number in self._streams]
        at_once = [self._at_once([store] * number) for number in AT_ONCE]
        indexed = [self._whole(store, name) for name in (WITH_INDEX, WITHOUT_INDEX)]
        medians = self._medians([*streams, *at_once, *indexed])
        rows = self._job.catalog.table(LARGE_TABLE).rows
        read_s, answered_s = medians[: len(streams)], medians[len(streams) : -len(indexed)]
        rates = [rows / seconds for seconds in read_s]
        return Behaviour(
            stream_rows_per_s=dict(zip(self._streams, rates, strict=True)),
            at_once_s=dict(zip(AT_ONCE, answered_s, strict=True)),
            with_index_s=medians[-2],
            without_index_s=medians[-1],
        )

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
        rounds = [[self._seconds(query) for query in queries] for _ in range(1 + self._job.repeats)]
        return [median(each) for each in zip(*rounds[1:], strict=True)]

    def _seconds(self, query: CompiledQuery) -> float:
        done = self._federation.run(query)
        if query.query in (WITH_INDEX, WITHOUT_INDEX) and int(str(done.rows[0][0])) != KEYS:
            raise QueryFailedError(
                f"{query.query}: {done.rows[0][0]} of {KEYS} rows found.", timeout=False
            )
        return done.seconds

    def _at_once(self, stores: Sequence[str]) -> CompiledQuery:
        """Return a query of as many fragments as stores, a statement of equal work in each."""
        fragments = [
            self._fragment(store, working(number), view=f"fragment_{number}")
            for number, store in enumerate(stores)
        ]
        return CompiledQuery(
            query="at_once",
            fragments=tuple(fragments),
            combine_sql=" UNION ALL ".join(f"TABLE {each.view}" for each in fragments),
        )

    def _read(self, store: str, streams: int) -> CompiledQuery:
        """Return a query that reads all rows of the large result by `streams` tasks."""
        fragment = self._fragment(store, LARGE, view="fragment_0")
        if self._job.connections[store].kind in SCANNED:
            # What the engine scans has as many tasks as parts, unless they are put together.
            sql = fragment.sql.replace("SELECT", f"SELECT /*+ COALESCE({streams}) */", 1)
            fragment = replace(fragment, sql=sql)
        else:
            fragment = replace(fragment, ranged=self._range(streams))
        return CompiledQuery(query=LARGE, fragments=(fragment,), combine_sql=ALL_OF_LARGE)

    def _range(self, streams: int) -> Ranged:
        keys = 4 * self._job.catalog.table("orders").rows
        return Ranged(column=LARGE_KEY, low=1, high=keys, rows=float(streams * ROWS_EACH))

    def _whole(self, store: str, statement: str) -> CompiledQuery:
        fragment = self._fragment(store, statement, view="fragment_0")
        return CompiledQuery(query=statement, fragments=(fragment,), combine_sql=None)

    def _fragment(self, store: str, statement: str, *, view: str) -> CompiledFragment:
        """Return a statement as one store runs it whole."""
        rows = float(self._job.catalog.table(LARGE_TABLE).rows) if statement == LARGE else 1.0
        fragment = Fragment(
            query=statement,
            kind=Capability.QUERY,
            block="b0",
            sources=(table_of(statement),),
            tables=frozenset({table_of(statement)}),
            scan_bytes=0.0,
            column_bytes=0.0,
            join_rows=0.0,
            aggregate_rows=0.0,
            rows_out=rows,
            row_bytes_out=_ROW_BYTES,
        )
        routed = RoutedFragment(fragment=fragment, store=store, predicted_s=0.0)
        compiled = self._compiler.compile(statement, [routed]).fragments[0]
        return replace(compiled, view=view)
