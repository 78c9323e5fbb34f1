"""Runs compiled queries: fragments in their stores or over scans, the rest in Spark or DuckDB."""

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evaluation.federation.compiled import Combiner, CompiledQuery
from evaluation.kinds import JDBC
from evaluation.processes.temporary_folder import temporary_folder
from evaluation.running.bounded_frames import BoundedFrames, Collected, QueryFailedError
from evaluation.running.cancellation import GRACE_S
from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.driver_duckdb import MEMORY_SHARE, DriverFrame
from evaluation.running.driver_rows import DriverRows
from evaluation.running.executed import Execution, executed
from evaluation.running.federated_query import Reading
from evaluation.running.jdbc_options import jdbc_options
from evaluation.running.learnt import Learnt
from evaluation.running.relations import JdbcSource, Relations
from evaluation.running.restricting import LoadedKeys
from evaluation.running.sources import origin_of, source_of
from evaluation.running.store_answer import StoreAnswer, is_answered_alone
from evaluation.running.store_sessions import StoreSessions
from evaluation.spark.combining import Combine, combined, combiner_of_small
from evaluation.spark.in_process import connected_in_process
from evaluation.spark.joins import JoinStrategy
from evaluation.spark.planned_once import planned_once
from evaluation.spark.pool import pool_of
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import is_interrupted
from workloads.errors import SqlError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Federation:
    """An engine with its stores, open for queries.

    While it is open it holds a connection to every store within the engine's own process
    (DuckDB): it would otherwise be closed, and its cache lost, after every query.
    """

    def __init__(
        self,
        spark: "SparkSession",
        connections: Mapping[str, Connection],
        *,
        timeout_s: float,
        fetch_size: int = 10_000,
        join_strategy: JoinStrategy = "automatic",
        combine: Combine = "automatic",
        sharing: int = 1,
    ) -> None:
        """So many federations are `sharing` the memory that DuckDB may take of the machine."""
        self._spark = spark
        self._combine = combine
        self._share = MEMORY_SHARE / sharing
        self._join_strategy = join_strategy
        self._connections = connections
        self._timeout_s = timeout_s
        self._run = secrets.token_hex(8)
        self._options = {
            name: jdbc_options(
                connection, run=self._run, timeout_s=timeout_s, fetch_size=fetch_size
            )
            for name, connection in connections.items()
            if connection.kind in JDBC
        }
        views: dict[int, str] = {}
        sources = {
            name: source_of(
                connection,
                self._options.get(name, {}),
                views,
                run=self._run,
                timeout_s=timeout_s,
                fetch_size=fetch_size,
            )
            for name, connection in connections.items()
        }
        self._relations = Relations(spark, sources)
        asked = {name: each for name, each in sources.items() if isinstance(each, JdbcSource)}
        self._sessions = StoreSessions(connections=connections, sources=asked)
        self._key_tables = LoadedKeys(connections=connections, run=self._run)
        self._learnt = Learnt()
        self._frames = BoundedFrames(
            spark,
            connections,
            run=self._run,
            origins={
                name: origin_of(connection, self._options.get(name, {}))
                for name, connection in connections.items()
            },
            timeout_s=timeout_s,
            views=views,
        )
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Open the connections that stay open."""
        # Most of the second wait for keys, or for others that read the same store.
        self._pool, self._waiting = ThreadPoolExecutor(8), ThreadPoolExecutor(32)
        # Whoever is interrupted while frames are made waits for neither.
        for pool in (self._pool, self._waiting):
            self._open.callback(pool.shutdown, wait=False, cancel_futures=True)
        self._folder = self._open.enter_context(temporary_folder())
        self._open.enter_context(pool_of(self._spark, self._run))
        self._open.callback(self._sessions.close)
        self._open.callback(self._key_tables.drop)
        for name, connection in self._connections.items():
            in_process = name in self._options and connection.path is not None
            if in_process and connection.path is not None and connection.path.exists():
                self._open.enter_context(connected_in_process(self._spark, self._options[name]))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close them."""
        self._open.close()

    def learn(self, other: "Federation") -> None:
        """Share what both find out of statements: which are too large, fail, or need Spark."""
        self._learnt = other._learnt

    def run(self, query: CompiledQuery, *, counted: bool = True) -> Execution:
        """Run one query once. Unless `counted` the execution has its answer and seconds alone.

        A query that fails by an error in the data has a second try over whole tables, from then
        on at once; the seconds are those of both, within one time limit.

        Raises:
            QueryFailedError: A store or the engine failed, or the time ran out; everything that
                was still running has been cancelled.
        """
        asked = (query.query, query.combine_sql, *(each.sql for each in query.fragments))
        if (known := self._learnt.second.get(asked)) is not None:
            return replace(self._whole(known[0], counted=counted), second_try=known[1])
        started = perf_counter()
        try:
            return self._whole(query, counted=counted)
        except QueryFailedError as error:
            # Another way to the answer must not hide what somebody has to mend: a full disk, a
            # lost permission, a table that is gone.
            if not error.of_query or error.timeout or error.lost or query.second_try is None:
                raise
            lost_s = perf_counter() - started
            again = _second_try(query.second_try, error)
            said = str(error)
            try:
                done = self._whole(again, started + self._timeout_s, counted=counted)
            except QueryFailedError as second:
                if not second.of_query:
                    raise
                raise error from second
        self._learnt.second[asked] = (again, said)
        return replace(done, seconds=done.seconds + lost_s, second_try=said)

    def _whole(
        self, query: CompiledQuery, ends: float | None = None, *, counted: bool
    ) -> Execution:
        """Run one query once; its time limit is up at `ends` where it had a try before.

        A result that is much larger than it was predicted to be is asked for again, a fetch size
        at a time, and joined by sorting. Spark combines what DuckDB was to combine and could not.
        The seconds are those of all tries.
        """
        statements = tuple(each.sql for each in query.fragments)
        choice = (query.driver_sql, *statements)
        began, tried = perf_counter(), False
        while True:
            said, is_large = self._learnt.left.get(choice, ""), statements in self._learnt.large
            asked = replace(query, driver_sql="") if said or is_large else query
            lost_s = perf_counter() - began
            try:
                found = self._once(asked, ends, as_predicted=not is_large, counted=counted)
            except QueryFailedError as error:
                by_choice = error.of_driver and self._is_by_choice(asked)
                if is_large or not (error.too_large or by_choice):
                    raise
                if by_choice:
                    self._learnt.left[choice] = str(error)
                if error.too_large:
                    self._learnt.large.add(statements)
                ends = began + self._timeout_s if ends is None else ends
                tried = True
                continue
            lost_s = lost_s if tried else 0.0
            return replace(found, seconds=found.seconds + lost_s, by_spark=said or found.by_spark)

    def _once(
        self, query: CompiledQuery, ends: float | None, *, as_predicted: bool, counted: bool
    ) -> Execution:
        """Run one query; where sizes are `as_predicted` small results are fetched at once.

        Spark reads what its store cannot answer alone; the seconds are those of both tries.
        """
        refused, lost_s = "", 0.0
        if as_predicted and is_answered_alone(query, self._sessions.most_rows):
            started = perf_counter()
            alone = self._alone(query, ends, counted=counted)
            if isinstance(alone, Collected):
                return executed(query, alone)
            refused, lost_s = alone, perf_counter() - started
            ends = started + self._timeout_s if ends is None else ends
        patience_s = self._timeout_s if ends is None else max(0.0, ends - perf_counter())
        if as_predicted and query.driver_sql:
            query = combined(query, self._combiner)
        if query.combiner == "spark":
            # Together with Spark's they could be more than an account may have.
            self._sessions.close(query.stores)
        with ExitStack() as left:
            reading = Reading(
                spark=self._spark,
                relations=self._relations,
                as_predicted=as_predicted,
                join_strategy=self._join_strategy,
                pool=self._pool,
                patience_s=patience_s + GRACE_S,
                left=left,
                key_tables=self._key_tables,
            )

            def by_spark() -> "DataFrame":
                if self._join_strategy == "automatic":
                    left.enter_context(planned_once(self._spark, query.fragments))
                return reading.frame(query)

            def in_driver() -> DriverFrame:
                refused = self._learnt.by_spark
                rows = DriverRows(query, reading, self._sessions, refused, self._waiting)
                return DriverFrame(
                    query=query,
                    source=rows,
                    folder=self._folder,
                    share=self._share,
                    patience_s=reading.patience_s,
                )

            done: Collected[DataFrame] | Collected[DriverFrame] = (
                self._frames.collect(in_driver, query.stores, ends=ends, counted=counted)
                if query.combiner == "duckdb"
                else self._frames.collect(
                    by_spark, query.stores, query.types, ends=ends, counted=counted
                )
            )
        found = executed(query, done, reading.key_rows)
        return replace(found, seconds=found.seconds + lost_s, by_spark=refused or found.by_spark)

    def _is_by_choice(self, query: CompiledQuery) -> bool:
        """Whether DuckDB combines what Spark can combine too."""
        return bool(query.driver_sql) and combined(query, self._combiner) is not query

    @property
    def _combiner(self) -> Combiner:
        """Who combines the fragments of small queries."""
        master = str(self._spark.sparkContext.master)
        return combiner_of_small(self._combine, self._join_strategy, master)

    def _alone(
        self, query: CompiledQuery, ends: float | None, *, counted: bool
    ) -> Collected[StoreAnswer] | str:
        """Return the answer by the store's own driver, or the error for which Spark is to read it.

        What is of other types than Spark may read is remembered.

        Raises:
            QueryFailedError: The time ran out, the wait for it was interrupted, or the answer is
                larger than predicted.
        """
        asked = StoreAnswer(query=query, sessions=self._sessions)
        statement = (asked.store, query.fragments[0].sql)
        if refused := self._sessions.refusal(asked.store):
            return refused
        if statement in self._learnt.by_spark:
            return self._learnt.by_spark[statement]
        try:
            return self._frames.of_store(asked, ends=ends, counted=counted)
        except QueryFailedError as error:
            if error.timeout or error.too_large or is_interrupted():
                raise
            if isinstance(error.__cause__, UnlikeTypeError):
                self._learnt.by_spark[statement] = str(error)
            return str(error)


def _second_try(made: Callable[[], CompiledQuery], error: QueryFailedError) -> CompiledQuery:
    try:
        return made()
    except SqlError:
        raise error from None
