"""Answers within a time limit, by frames of Spark or a store alone; what is late is ended there."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from evaluation.judging.answer import Answer
from evaluation.measuring.plan_metrics import PlanMetrics, plan_metrics
from evaluation.running.arrived import Arrivals
from evaluation.running.cancellation import Cancellation, Remains, await_rest
from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.driver_duckdb import DriverFrame
from evaluation.running.engine_errors import Cause, cause
from evaluation.running.store_answer import StoreAnswer
from evaluation.running.store_sessions import LoginFailedError
from evaluation.spark.arrow import arrow_table
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.whole_answers import TooLargeError
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Frame = TypeVar("Frame", "DataFrame", DriverFrame)
Kind = TypeVar("Kind", "DataFrame", DriverFrame, StoreAnswer)

_OVER = (TooLargeError, UnlikeTypeError, LoginFailedError)
"""Errors of a store's own driver after which nothing of it runs in the store."""
# What tasks that could not be ended are waited for, beyond the time limit of their store.
_REST_S = 2.0


class QueryFailedError(Exception):
    """A query that did not end well. `timeout` tells whether time ran out.

    `lost` names the stores that it may have failed for: those whose connection broke or could not
    be made, or that gave no answer when the query was cancelled. `too_large` tells that a driver
    refused to hold a result as a whole, or a task what it hashes. `of_query` tells that a value
    failed, or that a system does not understand its SQL: another way to the answer may do.
    `of_driver` tells that the driver could not collect rows, or DuckDB could not combine them
    there: Spark may.
    """

    def __init__(
        self,
        message: str,
        *,
        timeout: bool,
        lost: Sequence[str] = (),
        too_large: bool = False,
        of_query: bool = False,
        of_driver: bool = False,
    ) -> None:
        super().__init__(message)
        self.timeout = timeout
        self.lost = tuple(lost)
        self.too_large = too_large
        self.of_query = of_query
        self.of_driver = of_driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected(Generic[Kind]):
    """A frame with its answer, the seconds from its making to the last row, and its counters.

    These are None where nobody asked for them.
    """

    frame: Kind
    answer: Answer
    seconds: float
    counted: PlanMetrics | None


class BoundedFrames:
    """Collects frames that read stores by themselves, in sessions marked as those of `run`.

    `origins` maps a store to how the names of the classes begin by which its errors are known.
    `views` are the tables of scanned stores (`plan_metrics.scanned_tables`) with the views that
    read them; it may grow.
    """

    def __init__(
        self,
        spark: "SparkSession",
        connections: Mapping[str, Connection],
        *,
        run: str,
        origins: Mapping[str, str],
        timeout_s: float,
        views: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self.spark = spark
        self._connections = connections
        self._run = run
        self._origins = origins
        self._timeout_s = timeout_s
        self._views = views
        # How long what is left of an earlier query is waited for; 0 where nothing is.
        self._rest_s = 0.0
        self._arrivals = Arrivals()

    def collect(
        self,
        made: Callable[[], Frame],
        stores: Collection[str],
        types: Sequence[str] = (),
        *,
        ends: float | None = None,
        counted: bool = True,
    ) -> Collected[Frame]:
        """Make a frame that reads `stores`, and collect it; in DuckDB's `types` where given.

        Unless it is to be `counted` its plan is not walked: that takes longer than a small query.

        The time limit is up at `ends` (of `perf_counter`), where the query had a try before.
        Whatever is raised meanwhile is the outcome of this query, and others can go on.

        Raises:
            QueryFailedError: A store, Spark or a value failed, or the time ran out; everything
                that was still running has been cancelled.
        """
        self._await_rest()
        used = {name: self._connections[name] for name in stores}
        cancellation = Cancellation(self.spark, used, self._run)
        started = perf_counter()
        limit_s = self._timeout_s if ends is None else max(0.0, ends - started)
        frame: Frame | None = None
        with cancellation.after(limit_s) as late:
            try:
                frame = made()
                if isinstance(frame, DriverFrame):
                    cancellation.interrupts = frame.interrupt
                    answer = frame.collect()
                    seconds = perf_counter() - started
                    found = frame.counted(self._views) if counted else None
                else:
                    table = arrow_table(frame)
                    seconds = perf_counter() - started
                    found = plan_metrics(frame, self._views) if counted else None
                    answer = self._arrivals.answer(table, types)
            except Exception as error:
                took_s = perf_counter() - started
                is_late = late.is_set() or took_s >= limit_s
                if _have_arrived(frame) and not is_late and _interruption(error) is None:
                    # Other clients' jobs would be cancelled with nothing of this query's.
                    raise self._failure(error, stores) from error
                remains = self._stop(cancellation)
                if (signal := _interruption(error)) is not None:
                    raise signal from None
                if is_late:
                    raise self._timeout(remains) from error
                raise self._failure(error, stores) from error
            except BaseException:
                self._stop(cancellation)
                raise
        if late.is_set():
            raise self._timeout(self._stop(cancellation))
        return Collected(frame=frame, answer=answer, seconds=seconds, counted=found)

    def of_store(
        self, asked: StoreAnswer, *, ends: float | None = None, counted: bool = True
    ) -> Collected[StoreAnswer]:
        """Collect the answer of a store's own driver, in which Spark has no part.

        Nothing of Spark is cancelled: other clients may use it.

        Raises:
            QueryFailedError: The store or a value failed, or the time ran out; then nothing of the
                query runs in the store any more.
        """
        self._await_rest()
        used = {asked.store: self._connections[asked.store]}
        cancellation = Cancellation(None, used, self._run)
        cancellation.interrupts = asked.interrupt
        started = perf_counter()
        limit_s = self._timeout_s if ends is None else max(0.0, ends - started)
        with cancellation.after(limit_s) as late:
            try:
                table = asked.collect()
                seconds = perf_counter() - started
                answer = self._arrivals.answer(table, asked.query.types)
            except Exception as error:
                took_s = perf_counter() - started
                is_late = late.is_set() or took_s >= limit_s
                if isinstance(error, _OVER) and not is_late:
                    raise self._failure(error, ()) from error
                remains = cancellation.stop()
                if (signal := _interruption(error)) is not None:
                    raise signal from None
                if is_late:
                    raise self._timeout(remains) from error
                raise self._failure(error, ()) from error
            except BaseException:
                cancellation.stop()
                raise
        if late.is_set():
            raise self._timeout(cancellation.stop())
        found = asked.counted() if counted else None
        return Collected(frame=asked, answer=answer, seconds=seconds, counted=found)

    def _stop(self, cancellation: Cancellation) -> Remains:
        remains = cancellation.stop()
        self._rest_s = self._timeout_s + _REST_S if remains.tasks else 0.0
        return remains

    def _await_rest(self) -> None:
        """Wait for the tasks of an earlier query that could not be ended: they would cost time.

        Those that a whole query's time did not end are not waited for as long again.
        """
        if not self._rest_s:
            return
        if tasks := await_rest(self.spark, self._rest_s):
            self._rest_s = _REST_S
            raise QueryFailedError(
                f"not started: {tasks} tasks of an earlier query still run in the engine and "
                "cannot be cancelled.",
                timeout=False,
            )
        self._rest_s = 0.0

    def _timeout(self, remains: Remains) -> QueryFailedError:
        message = f"not done after {self._timeout_s:g} s: raise [evaluate].query_timeout_s."
        if remains.silent_stores:
            names = " and ".join(map(repr, remains.silent_stores))
            message = f"not done after {self._timeout_s:g} s; store {names} does not answer."
        return QueryFailedError(message, timeout=True, lost=remains.silent_stores)

    def _failure(self, error: Exception, stores: Collection[str]) -> QueryFailedError:
        """Tell the innermost cause in one line: its store, what it says, and no password."""
        found = _told(error)
        text = found.text
        for connection in self._connections.values():
            text = connection.masked(text)
        named = [name for name in sorted(stores) if self._may_have_said(name, found)]
        if isinstance(error, StoreError):
            # It begins with its store.
            return QueryFailedError(text, timeout=False, lost=(error.store,) if found.lost else ())
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        said = " ".join(lines[:3])[:500] or type(error).__name__
        return QueryFailedError(
            f"Store {' or '.join(map(repr, named))}: {said}" if named else said,
            timeout=False,
            lost=named if found.lost else (),
            too_large=found.too_large,
            of_query=found.of_query,
            of_driver=found.of_driver,
        )

    def _may_have_said(self, store: str, found: Cause) -> bool:
        """Whether one of the causes is an exception of what reads the store."""
        origin = self._origins[store]
        return origin in found.text or any(each.startswith(origin) for each in found.origins)


def _have_arrived(frame: object) -> bool:
    """Whether all rows of a query are in the driver: then nothing of it runs elsewhere."""
    return isinstance(frame, DriverFrame) and frame.have_arrived


def _interruption(error: BaseException) -> BaseException | None:
    """Return the interruption that was on its way up when `error` was raised; None without one.

    Collecting as Arrow waits for the cancelled job on the way, and raises that it was cancelled.
    """
    context: BaseException | None = error
    while context is not None and isinstance(context, Exception):
        context = context.__context__
    return context


def _told(error: Exception) -> Cause:
    """Return the cause of `error`; what it says itself where Java, which knows more, has ended."""
    try:
        return cause(error)
    except Exception:  # noqa: BLE001 - the first error is told
        return Cause(origins=(), text=str(error), lost=False)


def vendor(driver: str) -> str:
    """Return how the names of all classes of a JDBC driver begin."""
    return ".".join(driver.split(".")[:2])
