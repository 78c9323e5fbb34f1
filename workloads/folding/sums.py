"""Sums over a log that is folded: of its templates, and of records that are left out."""

from dataclasses import dataclass, field
from fractions import Fraction

from workloads.search_path import SearchPath

LISTED = 100
"""Rows left out for one reason that are listed one by one; the others are counted."""


@dataclass(slots=True)
class Sum:
    """A template under way. `place` of the example is file (counted from 0), line and column.

    `base` is its key without its path, and `values` are those of the example's parameters. With
    `is_older` its sessions are older than their log, and may have temporary tables from before.
    """

    place: tuple[int, int, int]
    sql: str
    name: str | None
    schema: str = ""
    base: bytes = b""
    path: SearchPath | None = None
    values: tuple[str | None, ...] = ()
    temporary: tuple[str, ...] | None = None
    is_older: bool = False
    executions: int | Fraction = 0
    timed: int | Fraction = 0
    total_ns: int | Fraction = 0

    def absorb(self, other: "Sum") -> None:
        """Add executions of the same template; the example is the first of both."""
        if other.place < self.place:
            self.place, self.sql, self.values = other.place, other.sql, other.values
        self.executions += other.executions
        self.timed += other.timed
        self.total_ns += other.total_ns


@dataclass(slots=True)
class Left:
    """Records left out of one file for one reason: how many, and the first of them by line."""

    records: int = 0
    executions: int | Fraction = 0
    first: list[tuple[int, str, int | Fraction]] = field(default_factory=list)

    def absorb(self, other: "Left") -> None:
        """Add records that are left out for the same reason."""
        self.records += other.records
        self.executions += other.executions
        self.first = sorted(self.first + other.first, key=lambda each: each[:2])[:LISTED]
