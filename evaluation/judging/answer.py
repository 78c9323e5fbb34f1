"""An answer: its columns with their types, and its rows."""

from collections.abc import Sequence
from dataclasses import dataclass

Row = Sequence[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerColumn:
    """A column of an answer. `type` is DuckDB's name of it, such as ``DECIMAL(7,2)``."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Columns and rows, in the order in which they arrived."""

    columns: tuple[AnswerColumn, ...]
    rows: Sequence[Row]
