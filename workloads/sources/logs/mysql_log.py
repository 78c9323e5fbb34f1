"""MySQL's and MariaDB's slow query log and general query log."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from workloads.counting.facts import UNKNOWN, Facts, fact
from workloads.folding.entries import NS_PER_S, Entry, Rejected, Session, SessionEvent
from workloads.folding.lexis import Lexis
from workloads.sources.logs.path_changes import database_in_use
from workloads.sources.logs.pieces import Earlier, Piece
from workloads.sources.logs.query_log import lines
from workloads.sources.longest import Length

# So many digits are enough for any time: a damaged line has more, or several points.
_QUERY_TIME = re.compile(r"# Query_time: *([0-9]{1,15}(?:\.[0-9]{0,15})?)(?![0-9.])")
_FAILED = re.compile(r"(?:Last_errno|Errno): *([1-9]\d*)|Killed: *([1-9]\d*)")
_NEW_RECORD = ("# Time:", "# User@Host:")
# A record of the slow log says whose it is, and MariaDB's and Percona's of which schema.
_USER = re.compile(r"# User@Host: *(?P<own>[^\[]*)\[(?P<login>[^\]]*)\]")
_SCHEMA = re.compile(r"(?m)^# (?:.*  )?Schema: (\S*)")
_THREAD = re.compile(r"(?m)^# (?:.*[ \t])?(?:Thread_id|Id): *(\d+)")
_TIME = re.compile(r"# Time: *(\d.*)")
_PREAMBLE = re.compile(
    r"(?i)\s*(?:use\s+[^;]+|SET\s+(?:timestamp|last_insert_id|insert_id)\b[^;]*);\s*$"
)
# What the server writes into the log when it starts.
_BANNER = re.compile(r".*, Version: .*started with:|Tcp port: |Time\s+Id\s+Command\s+Argument")
_COMMAND = re.compile(
    r"(?:(?P<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|\d{6} +\d{1,2}:\d\d:\d\d)|\t)?\s*"
    r"(?P<id>\d+) "
    r"(?P<command>Query|Execute|Prepare|Connect|Quit|Init DB|Close stmt|Reset stmt|Field List"
    r"|Statistics|Ping|Change user|Binlog Dump|Fetch|Daemon|Kill|Shutdown|Sleep|Long Data"
    r"|Set option)(?:\t(?P<sql>.*))?$"
)
_BEGINS_OR_ENDS = ("Connect", "Change user", "Quit")
_CONNECTED = re.compile(r"(?P<user>.*?)@\S* (?:as \S* )?on (?P<database>.*?)(?: using .*)?$")


class MysqlSlowLog:
    """The slow query log, in Percona's longer form too."""

    name = "MySQL slow query log"
    dialect = "mysql"
    tells_sessions = True
    is_rotated = True
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether there is a line with a query's time."""
        return re.search(r"(?m)^# Query_time: *[0-9.]+ ", head) is not None

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements that did not fail."""
        notes = time = database = ""
        statement: list[str] = []
        start = 1
        length = Length(piece.path, "statement")
        for number, raw in enumerate(lines(piece.path), start=1):
            text = raw.rstrip("\r\n")
            is_note = text.startswith("#") and (not statement or text.startswith(_NEW_RECORD))
            if is_note or _BANNER.match(text):
                if statement:
                    yield _slow(start, statement, notes, time, database)
                if statement or text.startswith(_NEW_RECORD):
                    # A record without a statement (of an administrator's command) ends here, too:
                    # MariaDB writes the time only in the first record of each second.
                    notes, statement = "", []
                    length.begin(number)
                told = _TIME.match(text)
                time = told[1] if told else time
                length.add(raw)
                notes += f"{text}\n"
            elif statement or not _PREAMBLE.match(text):
                if not statement:
                    start = number
                    length.begin(number)
                if text.strip() or statement:
                    length.add(raw)
                    statement.append(text)
            elif (used := database_in_use(text)) is not None:
                # It is written where it is another than that of the record before.
                database = used
        if statement:
            yield _slow(start, statement, notes, time, database)


def _slow(
    line: int, statement: list[str], notes: str, time: str, database: str
) -> Entry | Rejected:
    """Return a statement; `time` and `database` are the last that the log has said."""
    if failed := _FAILED.search(notes):
        return Rejected(line, "the statement failed", failed[0], kind="unrecorded")
    took = _QUERY_TIME.search(notes)
    took_ns = round(Fraction(took[1]) * NS_PER_S) if took is not None else None
    user, schema = _USER.search(notes), _SCHEMA.search(notes)
    facts = Facts(
        user=fact(user["login"] or user["own"]) if user else None,
        database=fact(schema[1] if schema else database),
        moment=time or None,
    )
    sql = "\n".join(statement).rstrip("; \n")
    thread = _THREAD.search(notes)
    session = Session(thread[1] if thread else "")
    return Entry(line, sql, 1, took_ns, schema=facts.database or "", facts=facts, session=session)


class MysqlGeneralLog:
    """The general query log, which has no durations."""

    name = "MySQL general query log"
    dialect = "mysql"
    tells_sessions = True
    is_rotated = True
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first lines is a command of a connection."""
        return any(_COMMAND.match(line.rstrip("\r")) for line in head.split("\n")[:50])

    def entries(
        self,
        piece: Piece,
        lexis: Lexis,  # noqa: ARG002
    ) -> Iterator[Entry | Rejected | SessionEvent]:
        """Yield what was executed; preparing a statement does not count."""
        start, statement, facts, session = 0, list[str](), UNKNOWN, Session("")
        sessions = _Sessions(piece.earlier)
        length = Length(piece.path, "statement")
        for number, raw in enumerate(lines(piece.path), start=1):
            text = raw.rstrip("\r\n")
            command = _COMMAND.match(text)
            if command is None:
                if statement and not _BANNER.match(text):
                    length.add(raw)
                    statement.append(text)
                continue
            if statement:
                yield _executed(start, statement, facts, session)
                statement = []
            facts = sessions.after(command)
            session = Session(command["id"], is_older=sessions.is_older(command["id"]))
            if command["command"] in _BEGINS_OR_ENDS:
                yield SessionEvent(number, session, "over")
            if command["command"] in ("Query", "Execute"):
                start, statement = number, [command["sql"] or ""]
                length.begin(number)
                length.add(statement[0])
        if statement:
            yield _executed(start, statement, facts, session)


def _executed(line: int, statement: list[str], facts: Facts, session: Session) -> Entry:
    sql = "\n".join(statement)
    return Entry(line, sql, schema=facts.database or "", facts=facts, session=session)


class _Sessions:
    """The sessions of a general log: who is logged in, and in which database."""

    def __init__(self, earlier: Earlier) -> None:
        self._by_number = earlier.facts
        self._begun = earlier.begun
        self._time = ""

    def is_older(self, number: str) -> bool:
        """Whether nothing told the beginning of a session."""
        return number not in self._begun

    def after(self, command: re.Match[str]) -> Facts:
        """Return the facts of a command's session; a time stands for the lines that have none."""
        self._time = command["time"] or self._time
        number, text = command["id"], command["sql"] or ""
        facts = self._by_number.get(number, UNKNOWN)
        match command["command"]:
            case "Connect" | "Change user":
                told = _CONNECTED.match(text)
                facts = Facts(fact(told["user"]), fact(told["database"])) if told else UNKNOWN
                self._begun.add(number)
            case "Init DB":
                facts = facts._replace(database=fact(text))
            case "Query" if (used := database_in_use(text)) is not None:
                facts = facts._replace(database=fact(used))
        if command["command"] == "Quit":
            self._by_number.pop(number, None)
            self._begun.discard(number)
        else:
            self._by_number[number] = facts
        return facts._replace(moment=self._time or None)
