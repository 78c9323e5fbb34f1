"""The rows of a query's fragments on their way to the driver, where DuckDB combines them.

A small result is fetched by its store's own driver: Spark would make a frame, plan it and run a
task, a tenth of a second for each. Spark reads all others, and those that such a driver refuses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from threading import BoundedSemaphore, Event
from typing import TYPE_CHECKING, TypeVar

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeySource
from evaluation.measuring.plan_metrics import PlanMetrics, ScanMetrics, plan_metrics
from evaluation.running.cancellation import GRACE_S
from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.driver_parts import in_parts, most_rows, number_of_parts
from evaluation.running.federated_query import Reading
from evaluation.running.found_keys import distinct
from evaluation.running.key_order import sources_of, waves
from evaluation.running.restricting import with_keys
from evaluation.running.store_answer import is_small_statement, scan_metrics
from evaluation.running.store_sessions import StoreSessions
from evaluation.spark.arrow import arrow_table
from evaluation.store_protocol.patience import TICK_S, go_on, interrupted_by, is_interrupted
from evaluation.store_protocol.whole_answers import TooLargeError
from workloads.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

MOST_FETCHED_BYTES = 32 << 20
"""Memory for the values of a fragment, beyond which Spark reads it."""
Made = TypeVar("Made")


@dataclass(slots=True, kw_only=True, eq=False)
class Arrived:
    """The rows of a fragment in the driver: Spark read its `frame`, or a driver made the `scan`.

    `refused` is why the store's own driver could not, and Spark was asked instead. Of one that
    `is_cut` more rows arrive than a query may have that was predicted to be small.
    """

    table: "pa.Table | None"
    frame: "DataFrame | None" = None
    scan: ScanMetrics | None = None
    refused: str = ""
    is_cut: bool = False

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


@dataclass(frozen=True, slots=True, eq=False)
class DriverRows:
    """Brings the rows of a `query` to the driver, each fragment's as soon as its keys are there.

    `reading` asks the stores by Spark, `sessions` are those of their own drivers. `by_spark` has
    the statements that these refuse, by store, with the reasons. `rows` are those of each view,
    `keys` those of each source: to come, or there; threads of `pool` wait for them. None of it goes
    on once it has `ended`. Each store has as many `slots` as Spark has cores.
    """

    query: CompiledQuery
    reading: Reading
    sessions: StoreSessions
    by_spark: dict[tuple[str, str], str]
    pool: Executor
    rows: dict[str, Future[Arrived]] = field(default_factory=dict)
    keys: dict[KeySource, Future["pa.Array"]] = field(default_factory=dict)
    slots: Mapping[str, BoundedSemaphore] = field(init=False)
    ended: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        """Make the slots."""
        most = max(2, self.reading.parallelism)
        stores = {each.store for each in self.query.fragments}
        stores |= {key.store for each in self.query.fragments for key in sources_of(each.keys)}
        slots = {store: BoundedSemaphore(most) for store in stores}
        object.__setattr__(self, "slots", slots)

    def begin(self) -> Mapping[str, Future[Arrived]]:
        """Begin to read; return view → the rows to come, of fragments with rows of their own.

        Threads take tasks in the order in which they were given, and none waits for a later one.
        """
        fragments = [each for each in self.query.fragments if each.same_as is None]
        left = self.reading.left
        left.callback(self.reading.key_tables.drop)
        left.callback(self._await_rest)
        parts = self.reading.parts_of_scans(self.query.fragments)
        most = self._most_rows(fragments)
        # Others wait for small ones, which do not wait for large ones.
        fragments.sort(key=lambda each: each.fragment.work.bytes_out)
        for fragment in chain.from_iterable(waves(fragments)):
            for source in sources_of(fragment.keys):
                if source not in self.keys:
                    self.keys[source] = self._begun(partial(self._found_keys, source))
            view = fragment.view
            of_spark = partial(
                self._by_spark,
                part=parts.get(view),
                most=most.get(view),
                parts=self._parts(fragment),
            )
            self.rows[view] = self._begun(partial(self._arrived, fragment, of_spark))
        return self.rows

    def end(self) -> None:
        """Begin nothing more, and wait for no store."""
        self.ended.set()
        for each in (*self.rows.values(), *self.keys.values()):
            each.cancel()

    def _await_rest(self) -> None:
        """Wait for tasks that have begun, which may still ask their store."""
        self.end()
        wait([*self.rows.values(), *self.keys.values()], GRACE_S)

    def _begun(self, task: Callable[[], Made]) -> Future[Made]:
        return self.pool.submit(interrupted_by(self.ended).run, task)

    def _most_rows(self, fragments: Sequence[CompiledFragment]) -> Mapping[str, int]:
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
        self, fragment: CompiledFragment, of_spark: Callable[[CompiledFragment], Arrived]
    ) -> Arrived:
        """Return the rows of one fragment, with its keys, by the way that takes less time."""
        keyed = fragment
        if fragment.keys:
            values = {key.source: _awaited(self.keys[key.source]) for key in fragment.keys}
            keyed = with_keys(fragment, values, self.reading.key_tables)
        if not self._is_for_own_driver(keyed):
            return of_spark(keyed)
        # With other keys it is another statement, which is refused for the same reason.
        statement = (fragment.store, fragment.sql)
        refused = self.sessions.refusal(fragment.store) or self.by_spark.get(statement, "")
        if not refused:
            try:
                with self._slot(fragment.store):
                    table, fetched = self.sessions.rows(keyed, MOST_FETCHED_BYTES)
                return Arrived(table=table, scan=scan_metrics(fetched))
            except (StoreError, TooLargeError, UnlikeTypeError) as error:
                if is_interrupted():
                    raise
                refused = self.sessions.connections[fragment.store].masked(str(error))
                if not isinstance(error, StoreError):
                    refused = f"Store '{fragment.store}': {refused}."
                    self.by_spark[statement] = refused
        return replace(of_spark(keyed), refused=refused)

    def _is_for_own_driver(self, fragment: CompiledFragment) -> bool:
        """Whether the store's own driver fetches a fragment: a small one of known types.

        One that Spark reads by several statements takes its store long enough.
        """
        return (
            self.reading.as_predicted
            and bool(fragment.types)
            and is_small_statement(fragment, self.sessions.most_rows(fragment.store))
            and not self.reading.portions(fragment)
        )

    def _by_spark(
        self, fragment: CompiledFragment, *, part: "DataFrame | None", most: int | None, parts: int
    ) -> Arrived:
        """Return the rows of a fragment that Spark reads, in so many `parts`.

        Its frame is `part` where that is a part of a scan. It has no more rows than `most`.
        """
        with self._slot_of_spark(fragment.store):
            frame = self.reading.read(fragment) if part is None else part
            frame = in_parts(frame, parts)
            frame = frame if most is None else frame.limit(most)
            go_on()
            table = arrow_table(frame)
        is_cut = most is not None and table.num_rows >= most
        return Arrived(table=table, frame=frame, is_cut=is_cut)

    @contextmanager
    def _slot(self, store: str) -> Iterator[None]:
        """Read a store within the block, once few enough others do.

        Raises:
            SilentError: The wait was interrupted.
        """
        while not self.slots[store].acquire(timeout=TICK_S):
            go_on()
        try:
            go_on()
            yield
        finally:
            self.slots[store].release()

    @contextmanager
    def _slot_of_spark(self, store: str) -> Iterator[None]:
        """Let Spark read the store within the block, whose idle sessions are ended before.

        An account may be allowed no more connections than Spark's reads have.
        """
        with self._slot(store):
            self.sessions.close([store])
            yield

    def _found_keys(self, source: KeySource) -> "pa.Array":
        """Return the distinct keys of a source, without NULL."""
        if source.sql is None:
            return distinct(_awaited(self.rows[source.view]).rows.select([source.column]))
        values = {key.source: _awaited(self.keys[key.source]) for key in source.keys}
        with self._slot_of_spark(source.store):
            return self.reading.fetched_keys(source, source.sql, values)


def _awaited(task: Future[Made]) -> Made:
    """Return what another task makes, unless the wait for it is interrupted."""
    while not wait([task], TICK_S).done:
        go_on()
    return task.result()
