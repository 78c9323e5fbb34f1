"""The usage of a limit by a plan, and limits' values as messages write them."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor, log10

from placement.programs.variables import Number
from placement.sizes import human_bytes, human_bytes_up

FULL = 0.99
"""The share of a limit from which it is called used up: tables come in lumps."""
DIGITS = 6
"""Significant digits of seconds, money and shares."""


class Unit(StrEnum):
    """The unit of a limit."""

    BYTES = "bytes"
    SECONDS = "s"
    COPIES = "copies"
    MOVES = "moves"
    MONEY = "a month"
    SHARE = "share"

    def written(self, value: Number, *, up: bool = False) -> str:
        """Return a value as messages write it; with `up` it is rounded up, so that it is enough."""
        if self is Unit.BYTES:
            return human_bytes_up(value) if up else human_bytes(value)
        if self in (Unit.COPIES, Unit.MOVES):
            return str(round(value))
        unit = " s" if self is Unit.SECONDS else ""
        return f"{_up(value) if up else f'{value:.{DIGITS}g}'}{unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A plan's use of a limit. `key` is the limit's in the project file.

    `subject` says of what, where the key does not: a query, or the number of tables.
    """

    key: str
    used: float
    most: float
    unit: Unit
    subject: str = ""

    @property
    def binds(self) -> bool:
        """Whether the limit is used up, or exceeded."""
        return self.used >= FULL * self.most


def _up(value: float) -> str:
    """Return a number with six significant digits, rounded up."""
    if value <= 0:
        return "0"
    step = 10.0 ** (floor(log10(value)) - DIGITS + 1)
    return f"{ceil(value / step) * step:.{DIGITS}g}"
