"""Spark's event logs: JSON lines of one application, in one file or a rolling folder.

A SQL execution's event has no field for its text. Its `description` is the statement where it
came through the SQL shell or the Thrift server, or where the program set the job's description to
it; it is a place in the program (``collect at job.py:15``) where a program ran ``spark.sql(…)``.
Executions without the statement, failed ones and those that never ended are counted and left out.
Lines of a rolling folder are counted through its files.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workloads.counting.facts import UNKNOWN, Facts, fact
from workloads.folding.entries import Entry, Rejected
from workloads.folding.lexis import Lexis
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.query_log import first_object, lines, loaded

_NS_PER_MS = 1_000_000
_START, _END = "SparkListenerSQLExecutionStart", "SparkListenerSQLExecutionEnd"
_APPLICATION = "SparkListenerApplicationStart"
_STATEMENT = re.compile(
    r"(?is)(?:\s|--[^\n]*\n|/\*.*?\*/|\()*+"
    r"(?:select|with|insert|update|delete|merge|create|drop|alter|from|values|table|replace|truncate"
    r"|show|describe|desc|explain|set|use|cache|uncache|refresh|analyze|msck|load|grant|call)\b"
)
_READ = (_START, _END, _APPLICATION)
# A description that Spark makes itself ends like this.
_CALL_SITE = re.compile(r" at \S+:\d+$")
_PART = re.compile(r"events_(\d+)_")


class SparkEvents:
    """An event log, or a folder ``eventlog_v2_…`` of one that rolled."""

    name = "Spark event log"
    dialect = "spark"
    tells_sessions = True
    is_rotated = False
    cut = None

    def recognises(self, path: Path, head: str) -> bool:
        """Whether it is a rolling folder, or its first line is a listener's event."""
        if path.is_dir():
            return bool(parts(path))
        first = first_object(head)
        event = first.get("Event") if first is not None else None
        return isinstance(event, str) and "SparkListener" in event

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements that succeeded, with what was left out."""
        # None for an execution inside another, which counts with that one.
        started: dict[int, _Started | None] = {}
        ended: dict[int, tuple[int, bool]] = {}
        facts = UNKNOWN
        for line, event in _events(piece.path):
            if str(event["Event"]).endswith(_APPLICATION):
                name = event.get("App Name")
                facts = Facts(user=fact(event.get("User")), application=fact(name))
                continue
            number, root = event.get("executionId"), event.get("rootExecutionId")
            if not isinstance(number, int):
                continue
            if str(event["Event"]).endswith(_START):
                is_root = root is None or root == number
                started[number] = _Started.of(line, event, facts) if is_root else None
            else:
                ended[number] = (_time_ms(event), bool(event.get("errorMessage")))
            # Either may come first.
            if number in started and number in ended:
                start, end = started.pop(number), ended.pop(number)
                if start is not None:
                    yield start.finished(*end)
        for each in started.values():
            if each is not None:
                yield Rejected(each.line, "the execution did not end", kind="unrecorded")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Started:
    """An execution under way."""

    line: int
    description: str
    time_ms: int
    facts: Facts

    @staticmethod
    def of(line: int, event: dict[str, object], facts: Facts) -> "_Started":
        description = str(event.get("description") or "")
        time_ms = _time_ms(event)
        return _Started(
            line=line,
            description=description,
            time_ms=time_ms,
            facts=facts._replace(moment=time_ms or None),
        )

    def finished(self, time_ms: int, failed: bool) -> Entry | Rejected:
        if failed:
            return Rejected(self.line, "the execution failed", kind="unrecorded")
        text = self.description
        if _CALL_SITE.search(text) or not _STATEMENT.match(text):
            return Rejected(
                self.line,
                "the event has a place in the program instead of the SQL",
                text[:80],
                kind="unrecorded",
            )
        took_ns = max(0, time_ms - self.time_ms) * _NS_PER_MS
        return Entry(self.line, text, 1, took_ns, facts=self.facts)


def parts(folder: Path) -> list[Path]:
    """Return the files of a rolling event log in the order of their numbers."""
    found = [
        (int(number[1]), path)
        for path in folder.iterdir()
        if (number := _PART.match(path.name)) is not None
    ]
    return [path for _, path in sorted(found)]


def _events(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield line and event of executions' starts and ends, and of the application's start."""
    line = 0
    for file in parts(path) if path.is_dir() else [path]:
        for text in lines(file):
            line += 1
            # Task and stage events are most of a log: parse none of them.
            if _START not in text and _END not in text and _APPLICATION not in text:
                continue
            try:
                event = loaded(text)
            except (ValueError, RecursionError):
                # The last line of a killed application is cut off.
                continue
            if isinstance(event, dict) and str(event.get("Event")).endswith(_READ):
                yield line, event


def _time_ms(event: dict[str, object]) -> int:
    time = event.get("time")
    return time if isinstance(time, int) else 0
