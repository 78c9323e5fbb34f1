"""The literals that statements were measured with whose parameters nobody recorded."""

from dataclasses import dataclass
from typing import Literal

LiteralSource = Literal["log", "statistics"]
"""Logged executions of the same template, or what the compared columns hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLiterals:
    """A statement with parameters, measured with so many `sets` of literals, not one of them told.

    Its seconds are means over the sets. It was not measured where there are none: `reason` says
    why.
    """

    query: str
    source: LiteralSource | None
    sets: int
    reason: str = ""
