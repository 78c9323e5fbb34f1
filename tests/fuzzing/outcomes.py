"""How the run of a statement ended."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """Kinds of ends, the worst first."""

    WRONG = "wrong"
    FAILED = "failed"
    CRASHED = "crashed"
    RIGHT = "right"
    ORDER = "order of evaluation"
    REFUSED = "refused"
    UNDETERMINED = "undetermined"
    NOT_ASKED = "DuckDB refuses"


BAD = frozenset({Kind.WRONG, Kind.FAILED, Kind.CRASHED})
"""What there must be none of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One end: its kind, what was said, and how the statement was routed (in words).

    `second_try` is the error for which DuckDB in the driver answered over whole tables.
    """

    kind: Kind
    said: str = ""
    how: str = ""
    second_try: str = ""

    @property
    def signature(self) -> str:
        """Return what outcomes of the same cause have in common, as far as can be told."""
        if self.kind is Kind.WRONG:
            return str(self.kind)
        return f"{self.kind}: {alike(self.said.removeprefix('fuzz.sql:'))}"


def alike(said: str) -> str:
    """Return the beginning of a message without the names, texts and numbers in it."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|[0-9:.]+", "", said)[:60]


def refusal(error: Exception) -> Outcome:
    """Return how a statement ended that `analyze` does not take."""
    said = reason(error)
    if "reads no table" in said or "reads or writes a table" in said:
        return Outcome(kind=Kind.NOT_ASKED, said=said)
    return Outcome(kind=Kind.REFUSED, said=said)


def reason(error: Exception) -> str:
    """Return what an error of ours says, in a line."""
    details = getattr(error, "details", ())
    return "; ".join(details)[:400] if details else str(error).splitlines()[0][:400]


def raised(error: Exception) -> str:
    """Return what was raised and where, of what is no error of ours."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = (
        "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    )
    return f"{type(error).__name__}: {str(error)[:200]} at {where}"
