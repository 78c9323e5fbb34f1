"""The rows of a query's fragments on their way to the driver, where DuckDB combines them.

A small result is fetched by its store's own driver: Spark would make a frame, plan it and run a
task, a tenth of a second for each. Spark reads all others, and those that such a driver refuses.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.measuring.plan_metrics import PlanMetrics, ScanMetrics, plan_metrics
from evaluation.running.cancellation import GRACE_S
from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.driver_parts import in_parts, most_rows, number_of_parts
from evaluation.running.federated_query import Reading, views_of_keys
from evaluation.running.found_keys import distinct
from evaluation.running.restricting import with_keys
from evaluation.running.store_answer import StoreSessions, is_small_statement, scan_metrics
from evaluation.spark.arrow import arrow_table
from evaluation.store_protocol.patience import interrupted_by, is_interrupted
from evaluation.store_protocol.whole_answers import TooLargeError
from workloads.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

MOST_FETCHED_BYTES = 16 << 20
"""Memory for the values of a fragment, beyond which Spark reads it."""


class LargerThanPredictedError(Exception):
    """More rows arrive than a query may have that was predicted to be small."""


@dataclass(slots=True, kw_only=True, eq=False)
class Arrived:
    """The rows of a fragment in the driver: Spark read its `frame`, or a driver made the `scan`.

    `refused` is why the store's own driver could not, and Spark was asked instead.
    """

    table: "pa.Table | None"
    frame: "DataFrame | None" = None
    scan: ScanMetrics | None = None
    refused: str = ""

    @property
    def rows(self) -> "pa.Table":
        """The rows, unless they were taken."""
        if self.table is None:
            raise RuntimeError("the rows were taken")
        return self.table

    def taken(self) -> "pa.Table":
        """Return the rows, which are not held here any longer."""
        found, self.table = self.rows, None
        return found

    def counted(self, view: str, views: Mapping[int, str]) -> PlanMetrics:
        """Return what was counted while they were read; `views` are those of scanned tables."""
        if self.scan is not None:
            return PlanMetrics(scans={view: self.scan})
        return PlanMetrics() if self.frame is None else plan_metrics(self.frame, views)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriverRows:
    """Brings the rows of a `query` to the driver, each fragment's as soon as its keys are there.

    `reading` asks the stores by Spark, `sessions` are those of their own drivers. `by_spark` has
    the statements that these refuse, by store, with the reasons. Waits for a store's own driver end
    once they are `ended`.
    """

    query: CompiledQuery
    reading: Reading
    sessions: StoreSessions
    by_spark: dict[tuple[str, str], str]
    ended: Event = field(default_factory=Event)

    def begun(self) -> dict[str, Future[Arrived]]:
        """Begin to read; return view → the rows to come, of fragments with rows of their own.

        Threads take tasks in the order in which they were given, and none waits for a later one.
        """
        waiting = [each for each in self.query.fragments if each.same_as is None]
        left, parts = self.reading.left, self.reading.parts_of_scans(self.query.fragments)
        left.callback(self.reading.key_tables.drop)
        most = self._most_rows(waiting)
        rows: dict[str, Future[Arrived]] = {}
        keys: dict[KeySource, Future[pa.Array]] = {}
        pool = self.reading.pool

        def begin(fragment: CompiledFragment) -> Future[Arrived]:
            for source in _sources(fragment.keys):
                if source not in keys:
                    keys[source] = pool.submit(self._keys, source, rows, keys)
            task = partial(
                self._arrived,
                fragment,
                keys,
                part=parts.get(fragment.view),
                most=most.get(fragment.view),
            )
            return pool.submit(interrupted_by(self.ended).run, task)

        while waiting:
            ready = [each for each in waiting if views_of_keys([each]) <= rows.keys()]
            if not ready:
                views = ", ".join(each.view for each in waiting)
                raise RuntimeError(f"the keys of {views} are in one another")
            rows |= {each.view: begin(each) for each in ready}
            waiting = [each for each in waiting if each.view not in rows]
        left.callback(_left, rows.values(), keys.values())
        return rows

    def _most_rows(self, fragments: Sequence[CompiledFragment]) -> dict[str, int]:
        """Return view → rows that its frame may not have, of frames that are one task.

        All of it has to fit in Java's memory. A larger query's frames come in parts.
        """
        if self.query.lacked:
            return {}
        limited = [
            each for each in fragments if self._parts(each) == 1 and self.reading.is_one_task(each)
        ]
        return most_rows(limited, self.query.bytes_in)

    def _parts(self, fragment: CompiledFragment) -> int:
        return number_of_parts(
            fragment,
            as_predicted=self.reading.as_predicted,
            is_small=not self.query.lacked,
        )

    def _arrived(
        self,
        fragment: CompiledFragment,
        keys: Mapping[KeySource, Future["pa.Array"]],
        *,
        part: "DataFrame | None",
        most: int | None,
    ) -> Arrived:
        """Return the rows of one fragment, whose frame `part` is where it is part of a scan."""
        if fragment.keys:
            values = {key.source: keys[key.source].result() for key in fragment.keys}
            fragment = with_keys(fragment, values, self.reading.key_tables)
        refused = ""
        if part is None and self._is_for_driver(fragment):
            found = self._by_own_driver(fragment)
            if isinstance(found, Arrived):
                return found
            refused = found
        frame = self.reading.read(fragment) if part is None else part
        frame = in_parts(frame, self._parts(fragment))
        frame = frame if most is None else frame.limit(most)
        table = arrow_table(frame)
        if most is not None and table.num_rows >= most:
            raise LargerThanPredictedError(f"{most} rows arrive where little was predicted")
        return Arrived(table=table, frame=frame, refused=refused)

    def _is_for_driver(self, fragment: CompiledFragment) -> bool:
        """Whether the store's own driver fetches a fragment: a small one of known types."""
        return (
            self.reading.as_predicted
            and bool(fragment.types)
            and is_small_statement(fragment)
            and not self.reading.portions(fragment)
            and self.sessions.answers(fragment.store)
        )

    def _by_own_driver(self, fragment: CompiledFragment) -> Arrived | str:
        """Return the rows, or the error for which Spark is to read them.

        Raises:
            StoreError: The wait was interrupted.
        """
        statement = (fragment.store, fragment.sql)
        if statement in self.by_spark:
            return self.by_spark[statement]
        try:
            table, fetched = self.sessions.rows(fragment, MOST_FETCHED_BYTES)
        except (StoreError, TooLargeError, UnlikeTypeError) as error:
            if is_interrupted():
                raise
            said = str(error)
            if not isinstance(error, StoreError):
                said = f"Store '{fragment.store}': {said}."
                self.by_spark[statement] = said
            return said
        return Arrived(table=table, scan=scan_metrics(fetched))

    def _keys(
        self,
        source: KeySource,
        rows: Mapping[str, Future[Arrived]],
        keys: Mapping[KeySource, Future["pa.Array"]],
    ) -> "pa.Array":
        """Return the distinct keys of a source, without NULL."""
        if source.sql is not None:
            values = {key.source: keys[key.source].result() for key in source.keys}
            return self.reading.fetched_keys(source, source.sql, values)
        return distinct(rows[source.view].result().rows.select([source.column]))


def _sources(keys: Sequence[KeyFilter]) -> Iterator[KeySource]:
    """Yield the sources of keys, each after those that its own keys are of."""
    for key in keys:
        yield from _sources(key.source.keys)
        yield key.source


def _left(rows: Iterable[Future[Arrived]], keys: Iterable[Future["pa.Array"]]) -> None:
    """Wait for tasks that have begun, which may still ask their store."""
    tasks = [*rows, *keys]
    for each in tasks:
        each.cancel()
    wait(tasks, GRACE_S)
