"""A server's own answer to a statement: by its own driver, with no engine in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evaluation.store_protocol.connection import Connection
from workloads.catalog import Table
from workloads.errors import StoreError


class UnlikeCopyError(StoreError):
    """A statement needs types of the server's own where copies have text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnswer:
    """The rows of a statement, and the form in which the engine asks for the same ones.

    In `sql` each column has a name of its own, and what no engine has a type for is text. `types`
    are DuckDB's of the columns; none where the driver does not tell them.
    """

    sql: str
    types: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]]


@runtime_checkable
class IndexesText(Protocol):
    """A back end whose server searches texts only where columns have an index for it."""

    def index_text(self, connection: Connection, table: str, columns: Sequence[str]) -> None:
        """Give our copy of `table` such an index on `columns`, unless it has it; StoreError."""
        ...


@runtime_checkable
class AnswersItself(Protocol):
    """A back end whose server takes statements as users wrote them."""

    def as_users_have_it(self, connection: Connection, table: Table) -> str:
        """Return how a FROM clause reads our copy of `table`, with types as in the users' own.

        What a copy carries as text has there the server's type of its values.
        """
        ...

    def own_answer(self, connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
        """Run `sql` in a session that may write nothing.

        Raises:
            StoreError: The server refuses it, or needs longer than `timeout_s`.
        """
        ...

    def own_seconds(
        self, connection: Connection, sql: str, *, rounds: int, timeout_s: float
    ) -> Sequence[float]:
        """Run `sql` so often in one session that may write nothing; return what each took.

        That is until all rows had come.

        Raises:
            StoreError: The server refuses it, or needs longer than `timeout_s`.
        """
        ...
