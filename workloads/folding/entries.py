"""The records of a log: statements, what does not count, and what else tells of sessions."""

import math
from fractions import Fraction
from typing import Literal, NamedTuple

from workloads.counting.facts import UNKNOWN, Facts
from workloads.search_path import SearchPath
from workloads.workload import SkippedKind

NS_PER_S = 1_000_000_000


class Session(NamedTuple):
    """The session that ran a statement, as a record tells it.

    `transaction` is the number of its transaction, "" where the log has none, and `detail` has the
    values of parameters. `is_older` tells that the session said something before the log began.
    """

    id: str
    transaction: str = ""
    detail: str = ""
    is_older: bool = False


class SessionEvent(NamedTuple):
    """An event of a session in a record: `text` failed, or the session begins or ends here.

    `text` is "" where the record does not say what failed.
    """

    line: int
    session: Session
    kind: Literal["failed", "over"]
    text: str = ""


class Entry(NamedTuple):
    """One recorded statement: its 1-based line, and what all its executions took in sum, if known.

    One with a `name` of its own is no template's. `column` orders the statements of a line.
    `schema` is the one that its tables without a schema are in, "" where nothing tells it, and
    `path` where its session looks for them, if that is told. `facts` are of who ran it, and when.
    `temporary` are the session's temporary tables that it may name, and None where it neither names
    nor makes any, or nothing tells.
    """

    line: int
    sql: str
    executions: int | Fraction = 1
    total_ns: int | Fraction | None = None
    name: str | None = None
    column: int = 1
    schema: str = ""
    facts: Facts = UNKNOWN
    path: SearchPath | None = None
    session: Session | None = None
    temporary: tuple[str, ...] | None = None

    @property
    def seconds(self) -> float | None:
        """The mean of its executions, None where the record does not say."""
        return None if self.total_ns is None else float(self.total_ns / self.executions) / NS_PER_S


class Rejected(NamedTuple):
    """A record that does not count. `reason` has no value of the record in it, `value` is it."""

    line: int
    reason: str
    value: str = ""
    kind: SkippedKind = "invalid"
    executions: int | Fraction = 1


def executions(text: str) -> int | Fraction | None:
    """Return a positive finite number that is exact in sums; None for any other text."""
    try:
        value = float(text.replace("_", ""))
    except ValueError:
        return None
    if not math.isfinite(value) or value <= 0:
        return None
    return int(value) if value.is_integer() else Fraction(value)
