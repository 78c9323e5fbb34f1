"""Runs compiled queries: fragments in their stores through Spark JDBC, the rest in Spark."""

import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from evaluation.cancellation import GRACE_S, Cancellation, Remains, await_rest
from evaluation.connection import Connection
from evaluation.engine_errors import Cause, cause
from evaluation.federation.compile import CompiledFragment, CompiledQuery
from evaluation.fragment_measurement import FragmentMeasurement, engine_s, fragment_measurements
from evaluation.joins import JoinStrategy
from evaluation.measurement import Moved
from evaluation.plan_metrics import plan_metrics
from evaluation.reading import Reading
from evaluation.relations import Relations
from evaluation.stores import BACKENDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARKS_OWN = frozenset(
    {"url", "driver", "fetchsize", "queryTimeout", "sessionInitStatement", "preferTimestampNTZ"}
)
"""Options that Spark keeps for itself and does not hand to a driver."""

KEY_BYTES = 8
# By how much the store's own time limit comes before the one on its silence.
_SILENCE_BEYOND_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One finished execution: its rows, its seconds and what was counted."""

    rows: Sequence[Sequence[object]]
    seconds: float
    moved: Mapping[str, Moved]
    exchanges: int
    shuffle_bytes: int
    peak_memory_bytes: int
    shuffle_records: int = 0
    spilled_bytes: int = 0
    fragments: tuple[FragmentMeasurement, ...] = ()

    @property
    def engine_s(self) -> float:
        """Seconds beyond the longest fragment (see `fragment_measurement.engine_s`)."""
        return engine_s(self.seconds, self.fragments)


class QueryFailedError(Exception):
    """A query that did not end well. `timeout` tells whether time ran out.

    `lost` names the stores that it may have failed for: those whose connection broke or could not
    be made, or that gave no answer when the query was cancelled.
    """

    def __init__(self, message: str, *, timeout: bool, lost: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.timeout = timeout
        self.lost = tuple(lost)


class _TooLargeError(Exception):
    """A result was larger than what is held of one that is expected to be small."""


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
    ) -> None:
        self._spark = spark
        self._join_strategy = join_strategy
        self._connections = connections
        self._timeout_s = timeout_s
        self._run = secrets.token_hex(8)
        self._options = {
            name: self._jdbc(connection, fetch_size) for name, connection in connections.items()
        }
        few_rows = {name: BACKENDS[each.kind].few_rows for name, each in connections.items()}
        self._relations = Relations(spark, self._options, few_rows)
        # Statements whose results were larger than predicted: they are fetched in portions.
        self._large: set[tuple[str, ...]] = set()
        self._open = ExitStack()
        self._restless = False

    def _jdbc(self, connection: Connection, fetch_size: int) -> dict[str, str]:
        """Return the options of sessions that are ours to end, and that never wait for ever."""
        backend = BACKENDS[connection.kind]
        return {
            **backend.jdbc(connection, timeout_s=self._timeout_s, fetch_size=fetch_size),
            **backend.session_options(self._run, silence_s=self._timeout_s + _SILENCE_BEYOND_S),
        }

    def __enter__(self) -> Self:
        """Open the connections that stay open."""
        self._pool = self._open.enter_context(ThreadPoolExecutor(max_workers=8))
        for name, connection in self._connections.items():
            if connection.path is not None and connection.path.exists():
                self._open.callback(connect_in_process(self._spark, self._options[name]).close)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close them."""
        self._open.close()

    def run(self, query: CompiledQuery) -> Execution:
        """Run one query once.

        A result that is much larger than it was predicted to be is asked for again, in portions;
        the seconds are those of both.

        Raises:
            QueryFailedError: A store or the engine failed, or the time ran out; everything that
                was still running has been cancelled.
        """
        statements = tuple(each.sql for each in query.fragments)
        if statements not in self._large:
            started = perf_counter()
            try:
                return self._once(query, fetch_at_once=True)
            except _TooLargeError:
                self._large.add(statements)
                lost_s = perf_counter() - started
                again = self._once(query, fetch_at_once=False)
                return replace(again, seconds=again.seconds + lost_s)
        return self._once(query, fetch_at_once=False)

    def _once(self, query: CompiledQuery, *, fetch_at_once: bool) -> Execution:
        """Run one query; with `fetch_at_once` small results are not fetched in portions."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self._await_rest()
        stores = {name: self._connections[name] for name in _stores(query)}
        cancellation = Cancellation(self._spark, stores, self._run)
        with ExitStack() as left, cancellation.after(self._timeout_s) as late:
            started = perf_counter()
            try:
                reading = Reading(
                    spark=self._spark,
                    relations=self._relations,
                    fetch_at_once=fetch_at_once,
                    join_strategy=self._join_strategy,
                    pool=self._pool,
                    patience_s=self._timeout_s + GRACE_S,
                    left=left,
                )
                frame = reading.frame(query)
                rows = frame.collect()
                seconds = perf_counter() - started
                counted = plan_metrics(frame)
            except (PySparkException, Py4JError, TimeoutError) as error:
                took_s = perf_counter() - started
                remains = self._stop(cancellation)
                if late.is_set() or took_s >= self._timeout_s:
                    raise self._timeout(remains) from error
                if fetch_at_once and cause(error).too_large:
                    raise _TooLargeError from error
                raise self._failure(error, query) from error
            except BaseException:
                self._stop(cancellation)
                raise
        if late.is_set():
            raise self._timeout(self._stop(cancellation))
        return Execution(
            rows=rows,
            seconds=seconds,
            moved=self._moved(query.fragments, counted.rows, reading.key_rows),
            exchanges=counted.exchanges,
            shuffle_bytes=counted.shuffle_bytes,
            peak_memory_bytes=counted.peak_memory_bytes,
            shuffle_records=counted.shuffle_records,
            spilled_bytes=counted.spilled_bytes,
            fragments=fragment_measurements(query.fragments, counted.scans),
        )

    def _stop(self, cancellation: Cancellation) -> Remains:
        remains = cancellation.stop()
        self._restless = remains.tasks > 0
        return remains

    def _await_rest(self) -> None:
        """Wait for the tasks of an earlier query that could not be ended: they would cost time."""
        if not self._restless:
            return
        if tasks := await_rest(self._spark, self._timeout_s + _SILENCE_BEYOND_S):
            raise QueryFailedError(
                f"not started: {tasks} tasks of an earlier query still run in the engine and "
                "cannot be cancelled.",
                timeout=False,
            )
        self._restless = False

    def _timeout(self, remains: Remains) -> QueryFailedError:
        message = f"not done after {self._timeout_s:g} s: raise [evaluate].query_timeout_s."
        if remains.silent_stores:
            names = " and ".join(map(repr, remains.silent_stores))
            message = f"not done after {self._timeout_s:g} s; store {names} does not answer."
        return QueryFailedError(message, timeout=True, lost=remains.silent_stores)

    def _moved(
        self,
        fragments: Sequence[CompiledFragment],
        rows: Mapping[str, int],
        key_rows: Mapping[str, int],
    ) -> Mapping[str, Moved]:
        moved = {s: Moved(rows=n, bytes=n * KEY_BYTES) for s, n in key_rows.items()}
        for fragment in fragments:
            count = rows.get(fragment.view, 0)
            size = round(count * fragment.fragment.row_bytes_out)
            before = moved.get(fragment.store, Moved(rows=0, bytes=0))
            moved[fragment.store] = Moved(rows=before.rows + count, bytes=before.bytes + size)
        return moved

    def _failure(self, error: Exception, query: CompiledQuery) -> QueryFailedError:
        """Tell the innermost cause in one line: its store, what it says, and no password."""
        found = cause(error)
        text = found.text
        for connection in self._connections.values():
            if connection.password:
                text = text.replace(connection.password, "***")
        named = [name for name in _stores(query) if self._may_have_said(name, found)]
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        said = " ".join(lines[:3])[:500]
        return QueryFailedError(
            f"Store {' or '.join(map(repr, named))}: {said}" if named else said,
            timeout=False,
            lost=named if found.lost else (),
        )

    def _may_have_said(self, store: str, found: Cause) -> bool:
        """Whether one of the causes is an exception of the store's driver."""
        vendor = ".".join(self._options[store]["driver"].split(".")[:2])
        return vendor in found.text or any(each.startswith(vendor) for each in found.origins)


def _stores(query: CompiledQuery) -> list[str]:
    """Return the stores that its fragments are in, or the keys that are sent along with them."""
    of_keys = {key.source.store for each in query.fragments for key in each.keys}
    return sorted({each.store for each in query.fragments} | of_keys)


def connect_in_process(spark: "SparkSession", options: Mapping[str, str]) -> Any:  # noqa: ANN401 - a Java object
    """Open a JDBC connection in the engine's process, by the driver that the options name."""
    jvm: Any = spark._jvm
    properties = jvm.java.util.Properties()
    for key, value in options.items():
        if key not in SPARKS_OWN:
            properties.setProperty(key, value)
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    driver = jvm.java.lang.Class.forName(options["driver"], True, loader)
    instance = driver.getDeclaredConstructors()[0].newInstance(None)
    return instance.connect(options["url"], properties)
