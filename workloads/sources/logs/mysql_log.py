"""MySQL's and MariaDB's slow query log and general query log."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from workloads.folding.lexis import Lexis
from workloads.folding.templates import NS_PER_S, Entry, Rejected
from workloads.sources.logs.current_schema import current_schema
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.query_log import lines
from workloads.sources.longest import Length

# So many digits are enough for any time: a damaged line has more, or several points.
_QUERY_TIME = re.compile(r"# Query_time: *([0-9]{1,15}(?:\.[0-9]{0,15})?)(?![0-9.])")
_SCHEMA = re.compile(r"\bSchema: (?P<name>\S+) {2}")
_CONNECTED = re.compile(r"\S+ on (?P<name>\S*) using ")
_FAILED = re.compile(r"(?:Last_errno|Errno): *([1-9]\d*)|Killed: *([1-9]\d*)")
_NEW_RECORD = ("# Time:", "# User@Host:")
_PREAMBLE = re.compile(
    r"(?i)\s*(?:use\s+[^;]+|SET\s+(?:timestamp|last_insert_id|insert_id)\b[^;]*);\s*$"
)
# What the server writes into the log when it starts.
_BANNER = re.compile(r".*, Version: .*started with:|Tcp port: |Time\s+Id\s+Command\s+Argument")
_COMMAND = re.compile(
    r"(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|\d{6} +\d{1,2}:\d\d:\d\d|\t)?\s*(?P<id>\d+) "
    r"(?P<command>Query|Execute|Prepare|Connect|Quit|Init DB|Close stmt|Reset stmt|Field List"
    r"|Statistics|Ping|Change user|Binlog Dump|Fetch|Daemon|Kill|Shutdown|Sleep|Long Data"
    r"|Set option)(?:\t(?P<sql>.*))?$"
)


class MysqlSlowLog:
    """The slow query log, in Percona's longer form too."""

    name = "MySQL slow query log"
    dialect = "mysql"
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether there is a line with a query's time."""
        return re.search(r"(?m)^# Query_time: *[0-9.]+ ", head) is not None

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements that did not fail.

        The server writes ``use name`` where the database is another one than of the statement
        before.
        """
        notes = schema = ""
        statement: list[str] = []
        start = 1
        length = Length(piece.path, "statement")
        for number, raw in enumerate(lines(piece.path), start=1):
            text = raw.rstrip("\r\n")
            is_note = text.startswith("#") and (not statement or text.startswith(_NEW_RECORD))
            if is_note or _BANNER.match(text):
                if statement:
                    yield _slow(start, statement, notes, schema)
                    notes, statement = "", []
                    length.begin(number)
                if text.startswith("# Time:"):
                    notes = ""
                    length.begin(number)
                length.add(raw)
                notes += f"{text}\n"
            elif statement or not _PREAMBLE.match(text):
                if not statement:
                    start = number
                    length.begin(number)
                if text.strip() or statement:
                    length.add(raw)
                    statement.append(text)
            elif (used := current_schema(text)) is not None:
                schema = used
        if statement:
            yield _slow(start, statement, notes, schema)


def _slow(line: int, statement: list[str], notes: str, schema: str) -> Entry | Rejected:
    if failed := _FAILED.search(notes):
        return Rejected(line, "the statement failed", failed[0], kind="unrecorded")
    took = _QUERY_TIME.search(notes)
    took_ns = round(Fraction(took[1]) * NS_PER_S) if took is not None else None
    if said := _SCHEMA.search(notes):
        schema = said["name"]
    return Entry(line, "\n".join(statement).rstrip("; \n"), 1, took_ns, schema=schema)


class MysqlGeneralLog:
    """The general query log, which has no durations."""

    name = "MySQL general query log"
    dialect = "mysql"
    cut = None

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first lines is a command of a connection."""
        return any(_COMMAND.match(line.rstrip("\r")) for line in head.split("\n")[:50])

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield what was executed; preparing a statement does not count."""
        start, statement = 0, list[str]()
        schemas: dict[str, str] = {}
        schema = ""
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
                yield Entry(start, "\n".join(statement), schema=schema)
                statement = []
            used = _used(command["command"], command["sql"] or "")
            if used is not None:
                schemas[command["id"]] = used
            if command["command"] in ("Query", "Execute"):
                start, statement = number, [command["sql"] or ""]
                schema = schemas.get(command["id"], "")
                length.begin(number)
                length.add(statement[0])
        if statement:
            yield Entry(start, "\n".join(statement), schema=schema)


def _used(command: str, text: str) -> str | None:
    """Return the database that a connection uses after a command; None if that stays as it was."""
    if command == "Init DB":
        return text.strip()
    if command in ("Connect", "Change user"):
        found = _CONNECTED.match(text)
        return found["name"] if found else ""
    return current_schema(text) if command == "Query" else None
