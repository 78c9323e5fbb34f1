"""How the run of a statement ended."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of ends, the worst first."""

    WRONG = "wrong"
    FAILED = "failed"
    CRASHED = "crashed"
    RIGHT = "right"
    REFUSED = "refused"
    UNDETERMINED = "undetermined"
    NOT_ASKED = "DuckDB refuses"


BAD = frozenset({Kind.WRONG, Kind.FAILED, Kind.CRASHED})
"""What there must be none of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One end: its kind, what was said, and how the statement was routed (in words)."""

    kind: Kind
    said: str = ""
    how: str = ""

    @property
    def signature(self) -> str:
        """Return what outcomes of the same cause have in common, as far as can be told."""
        if self.kind is Kind.WRONG:
            return str(self.kind)
        said = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9:.]+", "", self.said.removeprefix("fuzz.sql:"))
        return f"{self.kind}: {said[:60]}"
