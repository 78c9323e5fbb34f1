"""Whole answers by a store's own driver: without Spark's plan and task, which take longer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Protocol, runtime_checkable

from evaluation.store_protocol.connection import Connection


class TooLargeError(Exception):
    """A result is much larger than it was predicted to be."""


@dataclass(slots=True)
class RowsWithin:
    """Rows that are gathered as long as they take no more than `most_bytes` of memory."""

    most_bytes: int
    rows: list[Sequence[object]] = field(default_factory=list)
    size_bytes: int = 0

    def add(self, row: Sequence[object]) -> None:
        """Take one row more; TooLargeError where that is too much."""
        self.size_bytes += sum(map(getsizeof, row))
        if self.size_bytes > self.most_bytes:
            raise TooLargeError(
                f"more than {self.most_bytes >> 20} MiB arrive where little was predicted"
            )
        self.rows.append(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedRows:
    """The rows of a statement, as the driver's values.

    `kinds` are those of the columns, as `conversions` calls them; "" of a type that has none here.
    They may be missing where there are no rows.
    `execute_s` are the seconds until the first rows came, `fetch_s` those until the last did.
    """

    kinds: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    execute_s: float
    fetch_s: float


class AnsweringSession(Protocol):
    """A session with a store that answers one statement after another."""

    def is_open(self, *, asked: bool) -> bool:
        """Whether the server has not ended the idle session, as far as it told.

        Where it is `asked`, whether it answers, too, within a few seconds.
        """
        ...

    def fetched(self, sql: str, most_bytes: int, row_bytes: float) -> FetchedRows:
        """Return all rows of `sql`, which are expected to have so many bytes each.

        After an error the session is of no more use.

        Raises:
            TooLargeError: The rows take more than `most_bytes`; no more are fetched.
            Exception: Whatever the driver raises.
        """
        ...

    def close(self) -> None:
        """End the session."""
        ...


@runtime_checkable
class AnswersAlone(Protocol):
    """A back end whose own driver in Python fetches small answers, and its types are known."""

    def answering(self, connection: Connection, options: Mapping[str, str]) -> AnsweringSession:
        """Log in with the settings and the mark of sessions with these JDBC `options`.

        Raises:
            Exception: Whatever the driver raises where that fails.
        """
        ...
