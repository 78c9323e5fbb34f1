"""The values that a statement's parameters want: plain facts without a value.

A parameter stands for a literal that nobody recorded, as in the statistics of servers.
"""

from dataclasses import dataclass
from typing import Literal

Role = Literal["equal", "unequal", "low", "high", "prefix", "part", "among"]
"""The comparison of the column with a parameter.

- equal, unequal: it is the value, or not; so is each of an IN list of several parameters.
- low, high: it is at least, or at most, the value.
- prefix, part: it is LIKE a pattern, or LIKE one that the value is a part of.
- among: it is one of several values, which the parameter alone stands for.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The operand that a parameter is compared with: `sql`, DuckDB's, over one table's columns.

    `occurrence` tells the places apart where a statement reads `table`, and `row` the rows of it
    that are meant: equalities of one row hold at once. `sqls` are those of a comparison of rows
    with a list of rows, else `sql` alone.
    """

    role: Role
    table: str
    occurrence: str
    sqls: tuple[str, ...]
    row: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The parameter at a place of a statement, counted from 0.

    `compared` is None where it is compared with no column. Then `default` is the literal that its
    place suggests, as text of the statement's SQL, or "" where nothing does, which `lacks` says.
    `is_quoted` tells that its type is written beside it, so that a text is enough, and
    `is_computed` that a moment is computed from it, so that its type has to be told.
    """

    place: int
    compared: Compared | None = None
    default: str = ""
    lacks: str = ""
    is_quoted: bool = False
    is_computed: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """A value of a column: DuckDB's text of it, and DuckDB's type."""

    text: str
    type: str
