"""Queries that one store answers alone, fetched by its own driver.

Spark would make a frame of the statement, plan it, run a job of one task, and hand over its rows:
a tenth of a second in which the store has answered many a query. Whatever goes wrong on this way,
but for time that runs out, Spark is asked instead. So errors are told in one place.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Event, Lock
from time import monotonic
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.kinds import JDBC
from evaluation.measuring.plan_metrics import PlanMetrics, ScanMetrics
from evaluation.running.exact_columns import arrow_rows, sorted_rows
from evaluation.running.relations import JdbcSource
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import interrupted_by
from evaluation.store_protocol.whole_answers import (
    AnsweringSession,
    AnswersAlone,
    FetchedRows,
    TooLargeError,
)
from placement.fetching import FEW_BYTES, FEW_ROWS
from workloads.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BYTES = 64 << 20
"""Memory for the values of an answer, beyond which it is left to Spark."""
MOST_SESSIONS = 2
"""Of a store at the same time, beside Spark's: an account may have only so many."""
IDLE_S = 3.0
"""Seconds after which an idle session is asked whether its server is still there."""


class LoginFailedError(StoreError):
    """No session could be opened, and no statement was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSessions:
    """The sessions of one run that answer queries, for each store and working memory.

    `sources` say how a store is asked. Sessions are opened when they are needed, at most
    MOST_SESSIONS of a store at the same time; `opened` has those that are idle, and since when.
    """

    connections: Mapping[str, Connection]
    sources: Mapping[str, JdbcSource]
    opened: dict[tuple[str, int | None], list[tuple[AnsweringSession, float]]] = field(
        default_factory=dict
    )
    _used: dict[str, BoundedSemaphore] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def answers(self, store: str) -> bool:
        """Whether the store's own driver can fetch an answer."""
        kind = self.connections[store].kind
        return store in self.sources and isinstance(JDBC[kind], AnswersAlone)

    def rows(self, fragment: CompiledFragment, most_bytes: int) -> tuple["pa.Table", FetchedRows]:
        """Return all rows of a fragment, with its columns and types, and as they were fetched.

        Raises:
            UnlikeTypeError: Of what arrived a column's type cannot be made exactly.
            TooLargeError: The rows take more memory than `most_bytes`.
            LoginFailedError: No session could be opened; nothing was sent.
            StoreError: The statement failed.
        """
        source = self.sources[fragment.store]
        types = dict(zip(fragment.columns, fragment.types, strict=True))
        with self._lock:
            used = self._used.setdefault(fragment.store, BoundedSemaphore(MOST_SESSIONS))
        with used:
            fetched = self._fetched(fragment, source.sent(fragment.sql, types), most_bytes)
        carried = source.carried.arrives
        return arrow_rows(fetched, list(fragment.columns), fragment.types, carried), fetched

    def _fetched(self, fragment: CompiledFragment, sql: str, most_bytes: int) -> FetchedRows:
        """Return all rows of `sql`, which is sent for `fragment`.

        A session is ended by whatever is raised. One that the server has ended meanwhile, or that
        has been idle for long and does not answer, is opened again: before anything is sent.
        """
        store, key = fragment.store, (fragment.store, fragment.memory_bytes)
        session, since = self._idle(key)
        while session is not None and not session.is_open(asked=monotonic() - since > IDLE_S):
            _ended(session)
            session, since = self._idle(key)
        if session is None:
            self.close([store])
            session = self._login(store, fragment.memory_bytes)
        try:
            found = session.fetched(sql, most_bytes, fragment.fragment.work.row_bytes_out)
        except BaseException as error:
            _ended(session)
            if isinstance(error, Exception) and not isinstance(error, TooLargeError):
                raise _told(store, error) from error
            raise
        with self._lock:
            self.opened.setdefault(key, []).append((session, monotonic()))
        return found

    def _idle(self, key: tuple[str, int | None]) -> tuple[AnsweringSession | None, float]:
        """Return an idle session, which is then in use, and since when it has been idle."""
        with self._lock:
            idle = self.opened.get(key)
            return idle.pop() if idle else (None, 0.0)

    def _login(self, store: str, memory_bytes: int | None) -> AnsweringSession:
        connection, source = self.connections[store], self.sources[store]
        options = source.options
        if memory_bytes is not None:
            options = {**options, **source.memory_options(memory_bytes)}
        backend = JDBC[connection.kind]
        if not isinstance(backend, AnswersAlone):
            raise TypeError(f"'{connection.kind}' has no driver of its own that answers")
        try:
            return backend.answering(connection, options)
        except Exception as error:
            raise LoginFailedError(store, _line(error)) from error

    def close(self, stores: Collection[str] | None = None) -> None:
        """End the idle sessions with these `stores`, with all unless it is said."""
        with self._lock:
            keys = [key for key in self.opened if stores is None or key[0] in stores]
            idle = [each for key in keys for each in self.opened.pop(key)]
        for session, _ in idle:
            _ended(session)


def _ended(session: AnsweringSession) -> None:
    with suppress(Exception):  # Whatever its state is, it is not used again.
        session.close()


def _told(store: str, error: Exception) -> StoreError:
    return error if isinstance(error, StoreError) else StoreError(store, _line(error))


def _line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:3])[:500] or type(error).__name__


@dataclass(slots=True, kw_only=True, eq=False)
class StoreAnswer:
    """The answer of a `query` that is one fragment, by a session of its store."""

    query: CompiledQuery
    sessions: StoreSessions
    fetched: FetchedRows | None = None
    ended: Event = field(default_factory=Event)

    @property
    def store(self) -> str:
        """The store that answers."""
        return self.query.fragments[0].store

    def interrupt(self) -> None:
        """End the wait for the store, within half a second."""
        self.ended.set()

    def collect(self) -> "pa.Table":
        """Return the rows in the query's order, with its names and types.

        Raises:
            UnlikeTypeError: Of what arrived a column's type cannot be made exactly.
            TooLargeError: The rows take too much memory.
            StoreError: The login or the statement failed, or was interrupted.
        """
        (fragment,) = self.query.fragments
        found, fetched = interrupted_by(self.ended).run(self.sessions.rows, fragment, MOST_BYTES)
        self.fetched = fetched
        width = len(self.query.names)
        shown = sorted_rows(found, self.query.order).select(range(width))
        return shown.rename_columns(list(self.query.names))

    def counted(self) -> PlanMetrics:
        """Return the rows and seconds of the store; Spark had no part in it."""
        (fragment,) = self.query.fragments
        fetched = self.fetched
        if fetched is None:
            return PlanMetrics()
        return PlanMetrics(scans={fragment.view: scan_metrics(fetched)})


def scan_metrics(fetched: FetchedRows) -> ScanMetrics:
    """Return rows and seconds of what a session fetched, as those of a scan are told."""
    return ScanMetrics(
        rows=len(fetched.rows),
        execute_s=fetched.execute_s,
        fetch_s=fetched.fetch_s,
        partitions=1,
    )


def is_answered_alone(query: CompiledQuery, answers: Callable[[str], bool]) -> bool:
    """Whether a query is one small fragment with known types, of a store that `answers`."""
    if query.combine_sql is not None or not query.types or len(query.fragments) != 1:
        return False
    fragment = query.fragments[0]
    return (
        is_small_statement(fragment)
        and not fragment.keys
        and fragment.ranged is None
        and fragment.types[: len(query.types)] == query.types
        and len(query.names) == len(query.types)
        and answers(fragment.store)
    )


def is_small_statement(fragment: CompiledFragment) -> bool:
    """Whether a fragment is a statement by itself, whose result is expected to be small."""
    return (
        fragment.fragment.work.bytes_out <= FEW_BYTES
        and fragment.fragment.work.rows_out <= FEW_ROWS
        and fragment.transfer is None
        and fragment.one_scan is None
        and not fragment.common
    )
