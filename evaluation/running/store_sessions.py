"""Sessions of the stores' own drivers, which fetch small results sooner than Spark."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment
from evaluation.kinds import JDBC
from evaluation.running.exact_columns import arrow_rows
from evaluation.running.relations import JdbcSource
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import go_on, is_interrupted
from evaluation.store_protocol.whole_answers import (
    AnsweringSession,
    AnswersAlone,
    FetchedRows,
    TooLargeError,
)
from workloads.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

IDLE_S = 3.0
"""Seconds after which an idle session is asked whether its server is still there."""
REFUSED_S = 60.0
"""Seconds for which no session is asked for after a login has failed: Spark reads meanwhile."""


class LoginFailedError(StoreError):
    """No session could be opened, and no statement was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSessions:
    """The sessions of one run that fetch results, for each store and working memory.

    `sources` say how a store is asked. Sessions are opened when they are needed; `opened` has those
    that are idle, and since when. `refused` says of stores why a login failed, and when to try
    again.
    """

    connections: Mapping[str, Connection]
    sources: Mapping[str, JdbcSource]
    opened: dict[tuple[str, int | None], list[tuple[AnsweringSession, float]]] = field(
        default_factory=dict
    )
    refused: dict[str, tuple[str, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def most_rows(self, store: str) -> int:
        """Return the rows that the store's own driver fetches at most; 0 where it fetches none."""
        if store not in self.sources:  # No SQL is asked of others.
            return 0
        backend = JDBC[self.connections[store].kind]
        return backend.strength.most_driver_rows if isinstance(backend, AnswersAlone) else 0

    def refusal(self, store: str) -> str:
        """Return why no session with the store is tried now; nothing where one may be."""
        said, until = self.refused.get(store, ("", 0.0))
        return said if monotonic() < until else ""

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
        if is_interrupted():
            # Whoever has ended the query may end the idle sessions before this one is.
            _ended(session)
            go_on()
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
            failed = LoginFailedError(store, connection.masked(_line(error)))
            if not is_interrupted():
                self.refused[store] = str(failed), monotonic() + REFUSED_S
            raise failed from error

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
