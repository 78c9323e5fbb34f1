"""Dumps as plain SQL: what ``pg_dump`` and ``mysqldump`` write that no parser of SQL reads.

Lines are blanked, never removed, so that every statement keeps its place in the file.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workloads.sources.longest import Length

_COPY = re.compile(
    r"\s*COPY\s+(?P<table>[^\s(]+)\s*(\(.*\))?\s+FROM\s+stdin\b.*;\s*$", re.IGNORECASE
)
_COPY_END = re.compile(r"\\\.\s*$")
_INSERT = re.compile(
    r"\s*(INSERT|REPLACE)\s+(IGNORE\s+)?INTO\s+(?P<table>[^\s(]+)\s*(\([^)]*\))?"
    r"\s*(OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*(?=\(|$)",
    re.IGNORECASE,
)
_STRING = re.compile(r"'(?:[^']|'')*'")
_ESCAPED_STRING = re.compile(r"'(?:[^'\\]|\\.|'')*'", re.DOTALL)
"""MySQL's, which escapes by a backslash; its dumps put names into backticks."""

_PSQL = re.compile(r"\s*\\[a-zA-Z!?]")
_BATCH = re.compile(r"\s*GO(\s+\d+)?\s*$", re.IGNORECASE)
_DELIMITER = re.compile(r"\s*DELIMITER\s+(?P<sign>\S+)\s*$", re.IGNORECASE)
_CONDITIONAL = re.compile(r"/\*M?!\d*")
_COMMENT_SIGN = re.compile(r"(/\*M?!\d*|\*/)")
_QUOTES = '"`[]'


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """The SQL of a dump, and the rows that it holds of tables, by name without schema."""

    sql: str
    rows: Mapping[str, int]


def plain_sql(lines: Iterable[str], file: Path) -> Dump:
    """Return a dump's statements of DDL, as they stand in its lines.

    Blanked are psql's commands, the rows of COPY and of INSERT (which are counted), and programs
    between DELIMITER lines. What MySQL runs inside ``/*!40101 … */`` is kept, and GO ends a
    statement. `file` is where the lines are from.

    Raises:
        ConfigurationError: A statement, or all that is kept, is too long.
    """
    reader = _Reader(file)
    return Dump(sql="".join(reader.kept(line) for line in lines), rows=reader.rows)


class _Reader:
    """Reads a dump line by line; what a line is may depend on those before it."""

    def __init__(self, file: Path) -> None:
        self.rows: dict[str, int] = {}
        self._line = 0
        self._length = Length(file, "INSERT")
        self._kept = Length(file, "file of DDL, without the rows in it,")
        self._copied: str | None = None
        self._inserted: list[str] = []
        self._in_program = False
        self._in_condition = False

    def kept(self, line: str) -> str:
        """Return what is left of a line: all, some, or only its end."""
        self._line += 1
        ending = "\n" if line.endswith("\n") else ""
        delimiter = _DELIMITER.match(line)
        if self._copied is not None:
            ended = _COPY_END.match(line) is not None
            self._count(self._copied, 0 if ended else 1)
            self._copied = None if ended else self._copied
        elif self._inserted or _INSERT.match(line):
            self._insert(line)
        elif delimiter is not None:
            self._in_program = delimiter["sign"] != ";"
        elif self._in_program or _PSQL.match(line):
            pass
        elif (copy := _COPY.match(line)) is not None:
            self._copied = _table(copy["table"])
        else:
            self._kept.add(line)
            return ";" + ending if _BATCH.match(line) else self._unconditional(line)
        return ending

    def _insert(self, line: str) -> None:
        """Gather the lines of an INSERT, whose texts may hold line ends, and count its rows."""
        if not self._inserted:
            self._length.begin(self._line)
        self._length.add(line)
        self._inserted.append(line)
        if line.rstrip().endswith(";"):
            counted = _inserted("".join(self._inserted))
            if counted is not None:
                self._count(*counted)
                self._inserted = []

    def _count(self, table: str, rows: int) -> None:
        self.rows[table] = self.rows.get(table, 0) + rows

    def _unconditional(self, line: str) -> str:
        """Return a line with the inside of MySQL's conditional comments, without their signs."""
        if not self._in_condition and _CONDITIONAL.search(line) is None:
            return line
        parts: list[str] = []
        for part in _COMMENT_SIGN.split(line):
            if _CONDITIONAL.fullmatch(part):
                self._in_condition = True
            elif part == "*/" and self._in_condition:
                self._in_condition = False
            else:
                parts.append(part)
        return "".join(parts)


def _inserted(text: str) -> tuple[str, int] | None:
    """Return the table and the rows of an INSERT; None while a text in it is still open."""
    found = _INSERT.match(text)
    if found is None:
        return None
    string = _ESCAPED_STRING if "`" in found["table"] else _STRING
    values = string.sub("", text[found.end() :])
    if "'" in values:
        return None
    depth = count = 0
    for sign in re.findall(r"[()]", values):
        count += depth == 0 and sign == "("
        depth += 1 if sign == "(" else -1
    return _table(found["table"]), count


def _table(name: str) -> str:
    last = name.rsplit(".", maxsplit=1)[-1]
    return "".join(character for character in last if character not in _QUOTES)
