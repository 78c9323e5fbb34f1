"""An answer: its columns with their types, and its rows."""

from collections.abc import Sequence
from dataclasses import dataclass

Row = Sequence[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerColumn:
    """A column of an answer. `type` is DuckDB's name of it, such as ``DECIMAL(7,2)``.

    `is_named` is false for an expression without an alias. DuckDB then makes a name of its own
    writing of the expression, ``count_star()``, which is no part of what the statement says.
    """

    name: str
    type: str
    is_named: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Columns and rows, in the order in which they arrived."""

    columns: tuple[AnswerColumn, ...]
    rows: Sequence[Row]
