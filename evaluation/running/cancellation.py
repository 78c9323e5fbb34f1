"""Ends what a query started: tasks in the engine, sessions with their statements in its stores."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING, Any

from evaluation.kinds import BACKENDS
from evaluation.spark.java import gone
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import TICK_S, is_interrupted
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRACE_S = 5.0
"""Seconds that a cancellation is given: a store that is stopped or gone must hold nobody up."""

_POLL_S = 0.1
_AGAIN_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """Work that could not be ended in time: silent stores, and the engine's tasks."""

    silent_stores: tuple[str, ...] = ()
    tasks: int = 0


class Cancellation:
    """Cancels one query: `connections` are those of its stores, whose sessions `run` marks.

    Without `spark` the engine has no part in it.

    `interrupts` ends what is computed in the driver's own process; it may be set at any time.
    """

    interrupts: Callable[[], None] | None = None

    def __init__(
        self, spark: "SparkSession | None", connections: Mapping[str, Connection], run: str
    ) -> None:
        self._spark = spark
        self._connections = connections
        self._run = run
        # The stores that have answered since the query was first cancelled.
        self._heard: set[str] = set()

    @contextmanager
    def after(self, timeout_s: float) -> Iterator[Event]:
        """Cancel when the block takes longer than `timeout_s`; the event is set then.

        So does a signal whose handler raises, and without an event: PySpark lets no exception
        through before the job has ended whose rows it collects. Until the block ends cancelling is
        done again and again: the engine may start another job.
        """
        late, ended, asked = Event(), Event(), Event()

        def watch() -> None:
            ends = time.monotonic() + timeout_s
            while not asked.wait(max(0.0, min(TICK_S, ends - time.monotonic()))):
                if time.monotonic() >= ends:
                    late.set()
                    break
                if is_interrupted():
                    break
            while not ended.is_set():
                self._once(GRACE_S)
                ended.wait(_AGAIN_S)

        # A client's interruption is known in its context.
        watcher = Thread(target=copy_context().run, args=(watch,), daemon=True)
        watcher.start()
        try:
            with _heard(asked):
                yield late
        finally:
            ended.set()
            asked.set()
            watcher.join()

    def stop(self) -> Remains:
        """Cancel until nothing of the query runs, for `GRACE_S` at most.

        A store is silent that has answered nothing since. One that was there a moment before is
        asked again, as a busy one may miss a login's time limit.
        """
        ends = time.monotonic() + GRACE_S
        silent = set(self._connections)
        while True:
            tasks = self._tasks()
            sessions = self._once(ends - time.monotonic())
            unanswered = {store for store, count in sessions.items() if count is None}
            silent &= unanswered
            # A task that has begun before may open a session after they were ended.
            is_over = not tasks and not any(sessions.values()) and not unanswered & self._heard
            if is_over or time.monotonic() + _POLL_S > ends:
                left = 0 if is_over else self._tasks()
                return Remains(silent_stores=tuple(sorted(silent)), tasks=left)
            time.sleep(_POLL_S)

    def _tasks(self) -> int:
        return 0 if self._spark is None else running_tasks(self._spark)

    def _once(self, wait_s: float) -> Mapping[str, int | None]:
        """Cancel everything once; return store → sessions it ended, None if it did not answer.

        The stores are asked by threads of their own: nothing bounds the time that one takes that
        accepts a login and then does no more.
        """
        if self._spark is not None:
            cancel_jobs(self._spark)
        if self.interrupts is not None:
            self.interrupts()
        ended: dict[str, int] = {}

        def end(store: str, connection: Connection) -> None:
            try:
                ended[store] = BACKENDS[connection.kind].end_sessions(connection, self._run)
            except StoreError:
                return
            self._heard.add(store)

        threads = [Thread(target=end, args=each, daemon=True) for each in self._connections.items()]
        for thread in threads:
            thread.start()
        ends = time.monotonic() + wait_s
        for thread in threads:
            thread.join(max(0.0, ends - time.monotonic()))
        return {store: ended.get(store) for store in self._connections}


@contextmanager
def _heard(asked: Event) -> Iterator[None]:
    """Set `asked` too when SIGINT or SIGTERM comes, which reach the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        asked.set()
        handler = handlers[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    try:
        for each, handler in handlers.items():
            # What is ignored or ends the process at once stays so.
            if callable(handler):
                signal.signal(each, handle)
        yield
    finally:
        for each, handler in handlers.items():
            if callable(handler):
                signal.signal(each, handler)


def cancel_jobs(spark: "SparkSession") -> None:
    """Cancel every job of the engine."""
    # Where it has stopped, so have its jobs.
    with suppress(*gone()):
        spark.sparkContext.cancelAllJobs()


def running_tasks(spark: "SparkSession") -> int:
    """Return how many tasks the engine runs, those of cancelled jobs that have not ended too."""
    try:
        java: Any = spark.sparkContext._jsc
        executors = java.sc().statusTracker().getExecutorInfos()
        return sum(int(each.numRunningTasks()) for each in executors)
    except gone():
        # So have its tasks.
        return 0


def await_rest(spark: "SparkSession", timeout_s: float) -> int:
    """Wait until no task runs, for `timeout_s` at most; return how many still do."""
    ends = time.monotonic() + timeout_s
    while (tasks := running_tasks(spark)) and time.monotonic() < ends:
        time.sleep(_POLL_S)
    return tasks
