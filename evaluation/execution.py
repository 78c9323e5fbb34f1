"""Runs compiled queries: fragments in their stores through Spark JDBC, the rest in Spark."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from evaluation.connection import Connection
from evaluation.federation.compile import CompiledFragment, CompiledQuery
from evaluation.measurement import Moved
from evaluation.plan_metrics import plan_metrics
from evaluation.stores import BACKENDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPARKS_OWN = frozenset(
    {"url", "driver", "fetchsize", "queryTimeout", "sessionInitStatement", "preferTimestampNTZ"}
)
"""Options that Spark keeps for itself and does not hand to a driver."""

_CANCEL_AGAIN_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One finished execution: its rows, its seconds and what was counted."""

    rows: Sequence[Sequence[object]]
    seconds: float
    moved: Mapping[str, Moved]
    exchanges: int
    shuffle_bytes: int
    peak_memory_bytes: int


class QueryFailedError(Exception):
    """A query that did not end well. `timeout` tells whether time ran out."""

    def __init__(self, message: str, *, timeout: bool) -> None:
        super().__init__(message)
        self.timeout = timeout


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
    ) -> None:
        self._spark = spark
        self._connections = connections
        self._timeout_s = timeout_s
        self._options = {
            name: dict(
                BACKENDS[connection.kind].jdbc(
                    connection, timeout_s=timeout_s, fetch_size=fetch_size
                )
            )
            for name, connection in connections.items()
        }
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Open the connections that stay open."""
        self._pool = self._open.enter_context(ThreadPoolExecutor(max_workers=8))
        for name, connection in self._connections.items():
            if connection.path is not None and connection.path.exists():
                self._open.callback(_connect(self._spark, self._options[name]).close)
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

        Raises:
            QueryFailedError: A store or the engine failed, or the time ran out; everything that
                was still running has been cancelled.
        """
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        with self._deadline() as late:
            started = perf_counter()
            try:
                frame, cached = self._frame(query)
                try:
                    rows = frame.collect()
                    seconds = perf_counter() - started
                    counted = plan_metrics(frame)
                finally:
                    for each in cached:
                        each.unpersist()
            except (PySparkException, Py4JError) as error:
                took = perf_counter() - started
                if late or took >= self._timeout_s:
                    raise self._timeout() from error
                raise QueryFailedError(self._reason(error, query), timeout=False) from error
        if late:
            raise self._timeout()
        return Execution(
            rows=rows,
            seconds=seconds,
            moved=self._moved(query.fragments, counted.rows),
            exchanges=counted.exchanges,
            shuffle_bytes=counted.shuffle_bytes,
            peak_memory_bytes=counted.peak_memory_bytes,
        )

    def _frame(self, query: CompiledQuery) -> tuple["DataFrame", list["DataFrame"]]:
        """Return the frame that computes the query, and the frames that were marked to be kept."""
        frames = list(self._pool.map(self._read, query.fragments))
        if query.combine_sql is None:
            return frames[0], []
        cached = []
        for fragment, frame in zip(query.fragments, frames, strict=True):
            if fragment.reads > 1:
                cached.append(frame.persist())
            frame.createOrReplaceTempView(fragment.view)
        return self._spark.sql(query.combine_sql), cached

    def _read(self, fragment: CompiledFragment) -> "DataFrame":
        reader = self._spark.read.format("jdbc").options(**self._options[fragment.store])
        return reader.option("dbtable", f"({fragment.sql}) {fragment.view}").load()

    def _timeout(self) -> QueryFailedError:
        return QueryFailedError(
            f"not done after {self._timeout_s:g} s: raise [evaluate].query_timeout_s.",
            timeout=True,
        )

    @contextmanager
    def _deadline(self) -> Iterator[list[bool]]:
        """Cancel the engine's jobs when the time is over; the list is not empty then.

        Until the block ends they are cancelled again and again: the engine may start another.
        """
        late: list[bool] = []
        ended = Event()

        def watch() -> None:
            wait_s = self._timeout_s
            while not ended.wait(wait_s):
                late.append(True)
                self._spark.sparkContext.cancelAllJobs()
                wait_s = _CANCEL_AGAIN_S

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield late
        finally:
            ended.set()
            watcher.join()

    def _moved(
        self, fragments: Sequence[CompiledFragment], rows: Mapping[str, int]
    ) -> Mapping[str, Moved]:
        moved: dict[str, Moved] = {}
        for fragment in fragments:
            count = rows.get(fragment.view, 0)
            size = round(count * fragment.fragment.row_bytes_out)
            before = moved.get(fragment.store, Moved(rows=0, bytes=0))
            moved[fragment.store] = Moved(rows=before.rows + count, bytes=before.bytes + size)
        return moved

    def _reason(self, error: Exception, query: CompiledQuery) -> str:
        """Return the innermost cause in one line: its store, what it says, and no password."""
        java = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
        text, origin = str(error), ""
        while java is not None:
            text = str(java.getMessage() or java.toString())
            origin = java.getClass().getName()
            java = java.getCause()
        for connection in self._connections.values():
            if connection.password:
                text = text.replace(connection.password, "***")
        stores = {each.store for each in query.fragments}
        named = [name for name in sorted(stores) if self._may_have_said(name, origin, text)]
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        said = " ".join(lines[:3])[:500]
        return f"Store {' or '.join(map(repr, named))}: {said}" if named else said

    def _may_have_said(self, store: str, origin: str, text: str) -> bool:
        """Whether an exception of class `origin` is one of the store's driver."""
        vendor = ".".join(self._options[store]["driver"].split(".")[:2])
        return origin.startswith(vendor) or vendor in text


def _connect(spark: "SparkSession", options: Mapping[str, str]) -> Any:  # noqa: ANN401 - a Java object
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
