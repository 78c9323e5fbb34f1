"""Statements measured in one PostgreSQL with several selections of indexes in turn.

All indexes are made once. Those of a selection are valid while it is measured and the others are
not, so that the planner passes them over: nothing is made or dropped between two executions.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks.index_advisors.what_if import Indexes, Session, index_statement
from workloads.indexes import NamedIndex
from workloads.progress import Progress

_VALID = (
    "UPDATE pg_catalog.pg_index SET indisvalid = indexrelid = ANY(%s) WHERE indexrelid = ANY(%s)"
)
_NANOSECONDS = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Indexes that are there, by the server's number; `bytes` are what they take."""

    session: Session
    numbers: Mapping[NamedIndex, int]
    bytes: Mapping[NamedIndex, int]

    def show(self, indexes: Indexes) -> None:
        """Let the planner see these, and none of the others."""
        shown = [self.numbers[each] for each in indexes]
        self.session.execute(_VALID, (shown, list(self.numbers.values())))


@contextmanager
def made(session: Session, indexes: Collection[NamedIndex]) -> Iterator[Made]:
    """Make indexes, and drop them at the end."""
    numbers: dict[NamedIndex, int] = {}
    sizes: dict[NamedIndex, int] = {}
    try:
        for each in sorted(indexes):
            name = f"advised_{len(numbers)}"
            statement = index_statement(each).replace("INDEX ON", f"INDEX {name} ON")
            session.execute(statement.encode())
            (row,) = session.execute(
                "SELECT %s::regclass::oid::int8, pg_relation_size(%s::regclass)", (name, name)
            ).fetchall()
            numbers[each], sizes[each] = row
        yield Made(session=session, numbers=numbers, bytes=sizes)
    finally:
        for number in range(len(numbers)):
            session.execute(f"DROP INDEX advised_{number}".encode())


@dataclass(slots=True, kw_only=True)
class Times:
    """The executions of a query with a selection: seconds, and the server's CPU seconds."""

    seconds: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    rows: int = 0
    failed: str = ""


def executed(
    there: Made,
    selections: Mapping[str, Indexes],
    statements: Mapping[str, str],
    *,
    repeats: int,
    progress: Progress,
) -> Mapping[str, Mapping[str, Times]]:
    """Return query → selection → its executions, interleaved; the first of each is not counted.

    A query that fails with a selection, as by the session's time limit, is not asked again there.
    """
    found = {query: {name: Times() for name in selections} for query in statements}
    with progress.task("Measuring the selections", len(statements)) as task:
        for query, sql in statements.items():
            for turn in range(repeats + 1):
                for name in _in_turn(list(selections), turn):
                    times = found[query][name]
                    if not times.failed:
                        there.show(selections[name])
                        _execute(there.session, sql, times, counts=turn > 0)
            task.advance()
    return found


def _in_turn(names: Sequence[str], turn: int) -> Sequence[str]:
    """Return the names with another one first in each turn."""
    first = turn % len(names)
    return [*names[first:], *names[:first]]


def _execute(session: Session, sql: str, times: Times, *, counts: bool) -> None:
    started, before = time.perf_counter(), _cpu_s(session.info.backend_pid)
    try:
        rows = session.execute(sql.encode()).fetchall()
    except psycopg.Error as error:
        times.failed = type(error).__name__
        return
    if counts:
        times.seconds.append(time.perf_counter() - started)
        times.cpu_s.append(_cpu_s(session.info.backend_pid) - before)
    times.rows = len(rows)


def _cpu_s(pid: int) -> float:
    """Return the CPU seconds of a server's process, as the scheduler counts them."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / _NANOSECONDS
