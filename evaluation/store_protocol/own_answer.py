"""A server's own answer to a statement: by its own driver, with no engine in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evaluation.store_protocol.connection import Connection


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
class AnswersItself(Protocol):
    """A back end whose server takes statements as users wrote them."""

    def own_answer(self, connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
        """Run `sql` in a session that may write nothing.

        Raises:
            StoreError: The server refuses it, or needs longer than `timeout_s`.
        """
        ...
