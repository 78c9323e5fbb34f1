"""Queries that one store answers alone, fetched by its own driver.

Spark would make a frame of the statement, plan it, run a job of one task, and hand over its rows:
a tenth of a second in which the store has answered many a query. Whatever goes wrong on this way,
but for time that runs out, Spark is asked instead. So errors are told in one place.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.measuring.plan_metrics import PlanMetrics, ScanMetrics
from evaluation.running.exact_columns import sorted_rows
from evaluation.running.store_sessions import StoreSessions
from evaluation.store_protocol.patience import interrupted_by
from evaluation.store_protocol.whole_answers import FetchedRows
from placement.fetching import FEW_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BYTES = 64 << 20
"""Memory for the values of an answer, beyond which it is left to Spark."""


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


def is_answered_alone(query: CompiledQuery, most_rows: Callable[[str], int]) -> bool:
    """Whether a query is one small fragment with known types.

    `most_rows` are those that a store's own driver fetches.
    """
    if query.combine_sql is not None or not query.types or len(query.fragments) != 1:
        return False
    fragment = query.fragments[0]
    return (
        is_small_statement(fragment, most_rows(fragment.store))
        and not fragment.keys
        and fragment.ranged is None
        and fragment.types[: len(query.types)] == query.types
        and len(query.names) == len(query.types)
    )


def is_small_statement(fragment: CompiledFragment, most_rows: int) -> bool:
    """Whether a fragment is a statement by itself, with at most so many rows as predicted."""
    return (
        fragment.fragment.work.bytes_out <= FEW_BYTES
        and 0 < most_rows >= fragment.fragment.work.rows_out
        and fragment.transfer is None
        and fragment.one_scan is None
        and not fragment.common
    )
