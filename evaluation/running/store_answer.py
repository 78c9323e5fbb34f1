"""Queries that one store answers alone, fetched by its own driver.

Spark would make a frame of the statement, plan it, run a job of one task, and hand over its rows:
a tenth of a second in which the store has answered many a query. Whatever goes wrong on this way,
but for time that runs out, Spark is asked instead. So errors are told in one place.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.kinds import JDBC
from evaluation.measuring.plan_metrics import PlanMetrics, ScanMetrics
from evaluation.running.exact_columns import arrow_rows, sorted_rows
from evaluation.running.relations import JdbcSource
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.whole_answers import AnsweringSession, AnswersAlone, FetchedRows
from placement.fetching import FEW_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

MOST_VALUES = 2_000_000
"""Values of an answer beyond which it is left to Spark: Python takes some 50 bytes for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSessions:
    """The sessions of one run that answer queries, one a store and working memory.

    `sources` say how a store is asked. Sessions are opened when they are needed.
    """

    connections: Mapping[str, Connection]
    sources: Mapping[str, JdbcSource]
    opened: dict[tuple[str, int | None], AnsweringSession] = field(default_factory=dict)

    def answers(self, store: str) -> bool:
        """Whether the store's own driver can fetch an answer."""
        kind = self.connections[store].kind
        return store in self.sources and isinstance(JDBC[kind], AnswersAlone)

    def fetched(self, store: str, sql: str, memory_bytes: int | None) -> FetchedRows:
        """Return all rows of `sql`; the session is ended by whatever is raised."""
        key = (store, memory_bytes)
        session = self.opened.pop(key, None) or self._login(store, memory_bytes)
        try:
            found = session.fetched(sql, MOST_VALUES)
        except BaseException:
            session.close()
            raise
        self.opened[key] = session
        return found

    def _login(self, store: str, memory_bytes: int | None) -> AnsweringSession:
        connection, source = self.connections[store], self.sources[store]
        options = source.options
        if memory_bytes is not None:
            options = {**options, **source.memory_options(memory_bytes)}
        backend = JDBC[connection.kind]
        if not isinstance(backend, AnswersAlone):
            raise TypeError(f"'{connection.kind}' has no driver of its own that answers")
        return backend.answering(connection, options)

    def close(self) -> None:
        """End all sessions."""
        while self.opened:
            with suppress(Exception):  # It is of no use any longer, whatever its state is.
                self.opened.popitem()[1].close()


@dataclass(slots=True, kw_only=True, eq=False)
class StoreAnswer:
    """The answer of a `query` that is one fragment, by a session of its store."""

    query: CompiledQuery
    sessions: StoreSessions
    fetched: FetchedRows | None = None

    def collect(self) -> "pa.Table":
        """Return the rows in the query's order, with its names and types.

        Raises:
            UnlikeTypeError: Of what arrived a column's type cannot be made exactly.
            Exception: Whatever the driver raises.
        """
        (fragment,) = self.query.fragments
        source = self.sessions.sources[fragment.store]
        types = dict(zip(fragment.columns, fragment.types, strict=True))
        sql = source.sent(fragment.sql, types)
        self.fetched = self.sessions.fetched(fragment.store, sql, fragment.memory_bytes)
        columns = list(fragment.columns)
        found = arrow_rows(self.fetched, columns, fragment.types, source.carried.arrives)
        width = len(self.query.names)
        shown = sorted_rows(found, self.query.order).select(range(width))
        return shown.rename_columns(list(self.query.names))

    def counted(self) -> PlanMetrics:
        """Return the rows and seconds of the store; Spark had no part in it."""
        (fragment,) = self.query.fragments
        fetched = self.fetched
        if fetched is None:
            return PlanMetrics()
        scan = ScanMetrics(
            rows=len(fetched.rows),
            execute_s=fetched.execute_s,
            fetch_s=fetched.fetch_s,
            partitions=1,
        )
        return PlanMetrics(scans={fragment.view: scan})


def is_answered_alone(query: CompiledQuery, answers: Callable[[str], bool]) -> bool:
    """Whether a query is one small fragment with known types, of a store that `answers`."""
    if query.combine_sql is not None or not query.types or len(query.fragments) != 1:
        return False
    fragment = query.fragments[0]
    return (
        _is_plain(fragment)
        and fragment.types[: len(query.types)] == query.types
        and len(query.names) == len(query.types)
        and answers(fragment.store)
    )


def _is_plain(fragment: CompiledFragment) -> bool:
    """Whether a fragment is one statement of known text, whose result is expected to be small."""
    return (
        fragment.fragment.work.bytes_out <= FEW_BYTES
        and fragment.transfer is None
        and fragment.ranged is None
        and fragment.one_scan is None
        and not fragment.keys
        and not fragment.common
    )
