"""PostgreSQL's server log with the statements in it: csvlog, jsonlog and the plain one.

Statements are logged by ``log_min_duration_statement`` (with their duration) or ``log_statement``
(where ``log_duration`` adds a line with it). Executions of prepared statements count; parsing and
binding them does not. Parameters stay ``$1``.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from workloads.counting.facts import UNKNOWN, Facts, fact
from workloads.folding.lexis import Lexis
from workloads.folding.templates import Entry, Rejected
from workloads.sources.logs.delimited import header, records
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.postgresql_prefix import of_prefix
from workloads.sources.logs.query_log import first_object, lines, objects
from workloads.sources.longest import Length

_NS_PER_MS = 1_000_000
_LEVELS = "DEBUG[1-5]?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC"
_DETAILS = "DETAIL|HINT|QUERY|CONTEXT|LOCATION|STATEMENT|BACKTRACE"
_RECORD = re.compile(rf"(?P<prefix>[^\t].*?)?\b(?P<level>{_LEVELS}|{_DETAILS}):  (?P<message>.*)")
_PROCESS = re.compile(r"\[(\d+)[\]-]")
_MESSAGE = re.compile(
    r"(?s)(?:duration: (?P<ms>[0-9]{1,15}(?:\.[0-9]{1,15})?) ms)?(?:  )?"
    r"(?:(?P<kind>statement|execute|parse|bind|execute fetch from)(?: [^\n:]+)?: (?P<sql>.*))?"
)
# PostgreSQL's csvlog has no header; these of its columns, counted from 0, are read.
_CSV_COLUMNS = range(23, 30)
_CSV_TIME, _CSV_USER, _CSV_DATABASE, _CSV_SESSION = 0, 1, 2, 5
_CSV_LEVEL, _CSV_MESSAGE, _CSV_APPLICATION = 11, 13, 22
# So many statements at most wait for the line with their duration.
_WAITING = 10_000


class _Record(NamedTuple):
    """A record of the log. A plain log's facts are in its prefix, and read where they are used."""

    line: int
    session: str
    level: str
    message: str
    facts: Facts | str = UNKNOWN


class PostgresqlCsv:
    """PostgreSQL's csvlog."""

    name = "PostgreSQL csvlog"
    dialect = "postgres"
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first record has as many values, and a level where they have it."""
        first = header(head, ",")
        return len(first) in _CSV_COLUMNS and bool(re.fullmatch(_LEVELS, first[_CSV_LEVEL]))

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements that the log has."""
        return _statements(self._records(piece))

    def _records(self, piece: Piece) -> Iterator[_Record | Rejected]:
        for each in records(piece, ",", has_header=False):
            if isinstance(each, Rejected):
                yield each
            elif len(each[1]) in _CSV_COLUMNS:
                line, values = each
                facts = Facts(
                    user=fact(values[_CSV_USER]),
                    database=fact(values[_CSV_DATABASE]),
                    application=fact(values[_CSV_APPLICATION]),
                    moment=values[_CSV_TIME],
                )
                yield _Record(
                    line, values[_CSV_SESSION], values[_CSV_LEVEL], values[_CSV_MESSAGE], facts
                )


class PostgresqlJson:
    """PostgreSQL's jsonlog."""

    name = "PostgreSQL jsonlog"
    dialect = "postgres"
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first object has a level and a message."""
        first = first_object(head)
        return first is not None and {"error_severity", "message", "timestamp"} <= first.keys()

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements that the log has."""
        return _statements(self._records(piece))

    def _records(self, piece: Piece) -> Iterator[_Record | Rejected]:
        for each in objects(piece):
            if isinstance(each, Rejected):
                yield each
            else:
                line, found = each
                session, level, message = (
                    str(found.get(key) or "") for key in ("session_id", "error_severity", "message")
                )
                facts = Facts(
                    user=fact(found.get("user")),
                    database=fact(found.get("dbname")),
                    application=fact(found.get("application_name")),
                    moment=found.get("timestamp"),
                )
                yield _Record(line, session, level, message, facts)


class PostgresqlText:
    """PostgreSQL's plain log, with any `log_line_prefix` in front of the level."""

    name = "PostgreSQL log"
    dialect = "postgres"
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first lines has a level as PostgreSQL writes it."""
        return any(_RECORD.match(line) for line in head.split("\n")[:50])

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements that the log has."""
        return _statements(self._records(piece))

    def _records(self, piece: Piece) -> Iterator[_Record]:
        """Yield the records; the lines that go on with one start with a tab."""
        under_way: _Record | None = None
        more: list[str] = []
        length = Length(piece.path, "record")
        for number, raw in enumerate(lines(piece.path), start=1):
            text = raw.rstrip("\r\n")
            found = _RECORD.match(text)
            if found is None:
                length.add(raw)
                more.append(text.removeprefix("\t"))
                continue
            length.begin(number)
            length.add(raw)
            if under_way is not None:
                yield under_way._replace(message="\n".join([under_way.message, *more]))
            prefix = found["prefix"] or ""
            process = _PROCESS.search(prefix)
            session = process[1] if process else ""
            under_way = _Record(number, session, found["level"], found["message"], prefix)
            more = []
        if under_way is not None:
            yield under_way._replace(message="\n".join([under_way.message, *more]))


def _statements(found: Iterable[_Record | Rejected]) -> Iterator[Entry | Rejected]:
    """Yield the statements, each with the duration that its own or a later record has."""
    waiting: dict[str, Entry] = {}
    for record in found:
        if isinstance(record, Rejected):
            yield record
            continue
        message = _MESSAGE.fullmatch(record.message) if record.level == "LOG" else None
        if message is None:
            continue
        took_ns = round(float(message["ms"]) * _NS_PER_MS) if message["ms"] else None
        if message["sql"] is None:
            entry = waiting.pop(record.session, None)
            if entry is not None:
                yield entry._replace(total_ns=took_ns)
        elif message["kind"] in ("statement", "execute"):
            facts = record.facts if isinstance(record.facts, Facts) else of_prefix(record.facts)
            entry = Entry(record.line, message["sql"], 1, took_ns, facts=facts)
            yield from [entry] if took_ns is not None else _queued(waiting, record.session, entry)
    yield from waiting.values()


def _queued(waiting: dict[str, Entry], session: str, entry: Entry) -> Iterator[Entry]:
    """Let a statement wait for its duration, and yield those that have waited long enough."""
    if session in waiting:
        yield waiting.pop(session)
    waiting[session] = entry
    if len(waiting) > _WAITING:
        yield waiting.pop(next(iter(waiting)))
