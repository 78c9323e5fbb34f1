"""Whole answers by a store's own driver: without Spark's plan and task, which take longer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evaluation.store_protocol.connection import Connection


class TooManyValuesError(Exception):
    """A result is much larger than it was predicted to be."""

    def __init__(self, most_values: int) -> None:
        super().__init__(f"more than {most_values:,} values arrive where few were predicted")


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

    def fetched(self, sql: str, most_values: int) -> FetchedRows:
        """Return all rows of `sql`. After an error the session is of no more use.

        Raises:
            TooManyValuesError: There are more values than `most_values`; no more are fetched.
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
