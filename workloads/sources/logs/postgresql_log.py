"""PostgreSQL's server log with the statements in it: csvlog, jsonlog and the plain one.

Statements are logged by ``log_min_duration_statement`` (with their duration) or ``log_statement``
(where ``log_duration`` adds a line with it). Executions of prepared statements count. Parsing and
binding them, and fetching more rows of one, does not, nor does its time. Parameters stay ``$1``,
their values are in the DETAIL. What tells a session's search path comes with the statements.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from workloads.counting.facts import UNKNOWN, Facts, fact
from workloads.folding.entries import Entry, Rejected, Session, SessionEvent
from workloads.folding.lexis import Lexis
from workloads.sources.logs.delimited import header, records
from workloads.sources.logs.pieces import Earlier, Piece
from workloads.sources.logs.postgresql_prefix import of_prefix
from workloads.sources.logs.query_log import first_object, lines, objects
from workloads.sources.longest import Length

_NS_PER_MS = 1_000_000
_LEVELS = "DEBUG[1-5]?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC"
# They belong to the record before them.
_DETAILS = ("DETAIL", "HINT", "QUERY", "CONTEXT", "LOCATION", "STATEMENT", "BACKTRACE")
_RECORD = re.compile(
    rf"(?P<prefix>[^\t].*?)?\b(?P<level>{_LEVELS}|{'|'.join(_DETAILS)}):  (?P<message>.*)"
)
_PROCESS = re.compile(r"\[(\d+)[\]-]")
_MESSAGE = re.compile(
    r"(?s)(?:duration: (?P<ms>[0-9]{1,15}(?:\.[0-9]{1,15})?) ms)?(?:  )?"
    r"(?:(?P<kind>statement|execute fetch from|execute|parse|bind)(?: [^\n:]+)?: (?P<sql>.*))?"
)
# PostgreSQL's csvlog has no header; these of its columns, counted from 0, are read.
_CSV_COLUMNS = range(23, 30)
_CSV_TIME, _CSV_USER, _CSV_DATABASE, _CSV_SESSION = 0, 1, 2, 5
_CSV_NUMBER, _CSV_BEGINNING, _CSV_TRANSACTION, _CSV_DETAIL, _CSV_STATEMENT = 6, 8, 9, 14, 19
_CSV_LEVEL, _CSV_MESSAGE, _CSV_APPLICATION = 11, 13, 22
# A session's number in a prefix (%c): its beginning and its process.
_SESSION = re.compile(r"\b[0-9a-f]{8}\.[0-9a-f]+\b")
_BEGINS_OR_ENDS = ("connection received", "connection authorized", "disconnection: ")
_FAILURES = ("ERROR", "FATAL", "PANIC")
_SECOND = len("2025-01-01 08:00:00")
_JSON_KEYS = (
    *("session_id", "vxid", "detail", "error_severity", "message"),
    *("session_start", "timestamp", "line_num", "statement"),
)
_EXECUTES = re.compile(r"(?i)\s*execute\b")
_PREPARED = re.compile(
    r"(?is)prepare: PREPARE\s+(?:\"(?:[^\"]|\"\")+\"|[\w$]+)\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?"
    r"AS\s+(?P<sql>.*?)\s*;?\s*"
)
# So many statements at most wait for the line with their duration.
_WAITING = 10_000


class _Record(NamedTuple):
    """A record of the log. A plain log's facts are in its prefix, and read where they are used.

    `statement` is what the session ran when the record is of an error.
    """

    line: int
    session: Session
    level: str
    message: str
    facts: Facts | str = UNKNOWN
    statement: str = ""


class _PostgresqlLog:
    dialect = "postgres"
    tells_sessions = True
    is_rotated = True
    cut = None


class PostgresqlCsv(_PostgresqlLog):
    """PostgreSQL's csvlog."""

    name = "PostgreSQL csvlog"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first record has as many values, and a level where they have it."""
        first = header(head, ",")
        return len(first) in _CSV_COLUMNS and bool(re.fullmatch(_LEVELS, first[_CSV_LEVEL]))

    def entries(
        self,
        piece: Piece,
        lexis: Lexis,  # noqa: ARG002
    ) -> Iterator[Entry | Rejected | SessionEvent]:
        """Yield the statements that the log has."""
        return _statements(self._records(piece))

    def _records(self, piece: Piece) -> Iterator[_Record | Rejected]:
        older = _Older(piece.earlier)
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
                number = values[_CSV_SESSION]
                is_older = older.has(
                    number, values[_CSV_BEGINNING], values[_CSV_TIME], values[_CSV_NUMBER]
                )
                yield _Record(
                    line,
                    Session(number, values[_CSV_TRANSACTION], values[_CSV_DETAIL], is_older),
                    values[_CSV_LEVEL],
                    values[_CSV_MESSAGE],
                    facts,
                    values[_CSV_STATEMENT],
                )


class PostgresqlJson(_PostgresqlLog):
    """PostgreSQL's jsonlog."""

    name = "PostgreSQL jsonlog"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first object has a level and a message."""
        first = first_object(head)
        return first is not None and {"error_severity", "message", "timestamp"} <= first.keys()

    def entries(
        self,
        piece: Piece,
        lexis: Lexis,  # noqa: ARG002
    ) -> Iterator[Entry | Rejected | SessionEvent]:
        """Yield the statements that the log has."""
        return _statements(self._records(piece))

    def _records(self, piece: Piece) -> Iterator[_Record | Rejected]:
        older = _Older(piece.earlier)
        for each in objects(piece):
            if isinstance(each, Rejected):
                yield each
            else:
                line, found = each
                number, transaction, detail, level, message, *others = (
                    str(found.get(key) or "") for key in _JSON_KEYS
                )
                beginning, time, line_number, statement = others
                is_older = older.has(number, beginning, time, line_number)
                session = Session(number, transaction, detail, is_older)
                facts = Facts(
                    user=fact(found.get("user")),
                    database=fact(found.get("dbname")),
                    application=fact(found.get("application_name")),
                    moment=found.get("timestamp"),
                )
                yield _Record(line, session, level, message, facts, statement)


class PostgresqlText(_PostgresqlLog):
    """PostgreSQL's plain log, with any `log_line_prefix` in front of the level."""

    name = "PostgreSQL log"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first lines has a level as PostgreSQL writes it."""
        return any(_RECORD.match(line) for line in head.split("\n")[:50])

    def entries(
        self,
        piece: Piece,
        lexis: Lexis,  # noqa: ARG002
    ) -> Iterator[Entry | Rejected | SessionEvent]:
        """Yield the statements that the log has."""
        return _statements(self._records(piece))

    def _records(self, piece: Piece) -> Iterator[_Record]:
        """Yield the records; the lines that go on with one start with a tab."""
        under_way: _Record | None = None
        parts: dict[str, list[str]] = {}
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
            level = found["level"]
            if level in _DETAILS:
                more = parts.setdefault(level, [])
                more.append(found["message"])
                continue
            if under_way is not None:
                yield _whole(under_way, parts)
            prefix = found["prefix"] or ""
            told = _SESSION.search(prefix) or _PROCESS.search(prefix)
            session = Session(told[0] if told else "")
            under_way = _Record(number, session, level, found["message"], prefix)
            more = [found["message"]]
            parts = {"": more}
        if under_way is not None:
            yield _whole(under_way, parts)


def _whole(record: _Record, parts: Mapping[str, Sequence[str]]) -> _Record:
    """Return a record with the lines of its message, and of what belongs to it, by their level."""
    message, detail, statement = (
        "\n".join(parts.get(level, ())) for level in ("", "DETAIL", "STATEMENT")
    )
    session = record.session._replace(detail=detail)
    return record._replace(message=message, session=session, statement=statement)


class _Older:
    """Which sessions of a log said something before it began."""

    def __init__(self, earlier: Earlier) -> None:
        self._earlier = earlier

    def has(self, session: str, beginning: str, time: str, number: str) -> bool:
        """Whether a record's session is one; `number` counts its records, from 1.

        Times are the log's own, and compared up to the second.
        """
        self._earlier.time = self._earlier.time or time[:_SECOND]
        if beginning[:_SECOND] >= self._earlier.time:
            return False
        return self._earlier.older.setdefault(session, number != "1")


def _statements(
    found: Iterable[_Record | Rejected],
) -> Iterator[Entry | Rejected | SessionEvent]:
    """Yield the statements, each with the duration that its own or a later record has."""
    waiting: dict[str, Entry] = {}
    for record in found:
        if isinstance(record, Rejected):
            yield record
            continue
        number = record.session.id
        message = _MESSAGE.fullmatch(record.message) if record.level == "LOG" else None
        if message is None:
            if (event := _event(record)) is not None:
                # What failed, or was the last of a session, gets no duration any more.
                yield from [waiting.pop(number)] if number in waiting else []
                yield event
            continue
        took_ns = round(float(message["ms"]) * _NS_PER_MS) if message["ms"] else None
        if message["sql"] is None:
            entry = waiting.pop(number, None)
            if entry is not None:
                yield entry._replace(total_ns=took_ns)
        elif message["kind"] in ("statement", "execute"):
            facts = record.facts if isinstance(record.facts, Facts) else of_prefix(record.facts)
            entry = Entry(
                record.line,
                _prepared(message["sql"], record.session.detail),
                1,
                took_ns,
                facts=facts,
                session=record.session,
            )
            yield from [entry] if took_ns is not None else _queued(waiting, number, entry)
        elif took_ns is None and number in waiting:
            # A fetch goes on with an execution: the duration that follows is not the execution's.
            yield waiting.pop(number)
    yield from waiting.values()


def _prepared(sql: str, detail: str) -> str:
    """Return the statement that EXECUTE runs, which is in the record's detail; else the text."""
    found = _PREPARED.fullmatch(detail) if _EXECUTES.match(sql) else None
    return sql if found is None else found["sql"]


def _event(record: _Record) -> SessionEvent | None:
    """Return what a record without a statement tells of its session."""
    if record.level in _FAILURES:
        return SessionEvent(record.line, record.session, "failed", record.statement)
    if record.level == "LOG" and record.message.startswith(_BEGINS_OR_ENDS):
        # Another session may have the number of its process later.
        return SessionEvent(record.line, record.session, "over")
    return None


def _queued(waiting: dict[str, Entry], session: str, entry: Entry) -> Iterator[Entry]:
    """Let a statement wait for its duration, and yield those that have waited long enough."""
    if session in waiting:
        yield waiting.pop(session)
    waiting[session] = entry
    if len(waiting) > _WAITING:
        yield waiting.pop(next(iter(waiting)))
