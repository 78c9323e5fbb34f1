"""Files of SQL statements."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple, cast

from workloads.definition import TableName
from workloads.errors import SqlError
from workloads.folding.entries import Entry, Rejected, executions
from workloads.folding.lexis import Lexis
from workloads.search_path import SearchPath
from workloads.sources.dumps.reader import Load, LoadKind, Reader
from workloads.sources.dumps.texts import Text
from workloads.sources.logs.blocks import blocks, not_utf8
from workloads.sources.logs.path_changes import database_in_use
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.session_state import NO_TRANSACTION, SessionState
from workloads.sources.logs.sql_text import Statement, statements

_EXECUTIONS = re.compile(r"(?im)^[ \t]*--[ \t]*executions[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_NAME = re.compile(r"(?im)^[ \t]*--[ \t]*name[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_FIRST_WORD = re.compile(
    r"(?is)(?:\ufeff|\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\(|;)*+"
    r"(select|with|insert|update|delete|merge|replace|create|alter|drop|set|use|from|values|begin)\b"
)


class SqlFile:
    """Statements with semicolons between them.

    A statement keeps a name of its own, which the comment ``-- name: x`` before it says, or its
    file's if it is the only one there; others are templates'. It counts as often as
    ``-- executions: 120`` says, once without. A file is one session: ``USE`` and
    ``SET search_path`` hold for the statements after them.
    """

    name = "SQL file"
    dialect: str | None = None
    tells_sessions = True
    is_rotated = False
    cut = None

    def recognises(self, path: Path, head: str) -> bool:
        """Whether it is called ``….sql`` or starts with a statement."""
        if path.suffix.lower() == ".sql" or path.name.lower().endswith(".sql.gz"):
            return True
        return _FIRST_WORD.match(head) is not None

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:
        """Yield the statements of a file.

        Raises:
            ConfigurationError: A statement is too long.
            SqlError: The file is not UTF-8, a string or comment does not end, or a number of
                executions is not a positive number.
        """
        origin = str(piece.path)
        session = _Session()
        alone: tuple[Statement | Rejected, _Place] | None = None
        others = 0
        for each in _read(piece.path, lexis):
            place = session.place
            if isinstance(each, Statement) and session.is_changed_by(each.sql):
                yield _entry(each, origin, _Place())
            elif alone is None:
                alone = each, place
            else:
                if not others:
                    yield _entry(alone[0], origin, alone[1])
                others += 1
                yield _entry(each, origin, place)
        if alone is not None and not others:
            yield _entry(alone[0], origin, alone[1], piece.name)


class _Place(NamedTuple):
    """Where tables without a schema are looked for."""

    schema: str = ""
    path: SearchPath | None = None


class _Session:
    """The session that a file is: what it said last."""

    def __init__(self) -> None:
        self._schema = ""
        self._state = SessionState(has_lists=True)

    @property
    def place(self) -> _Place:
        return _Place(self._schema, self._state.path)

    def is_changed_by(self, sql: str) -> bool:
        """Take note of a statement; return whether it says where tables are looked for."""
        used = database_in_use(sql)
        if used is not None:
            self._schema, self._state = used, SessionState(has_lists=True)
            return True
        self._state.begin_text(sql, NO_TRANSACTION, has_succeeded=True)
        is_change = self._state.read(sql)
        if is_change and self._state.path is not None:
            self._schema = ""
        return is_change


def _entry(
    statement: Statement | Rejected, origin: str, place: _Place, name: str | None = None
) -> Entry | Rejected:
    if isinstance(statement, Rejected):
        return statement
    named = _NAME.findall(statement.comment) if statement.comment else ()
    return Entry(
        line=statement.line,
        sql=statement.sql,
        executions=_executions(statement, origin),
        name=(named[-1] if named else None) or name,
        column=statement.column,
        schema=place.schema,
        path=place.path,
    )


def _executions(statement: Statement, origin: str) -> int | Fraction:
    found = _EXECUTIONS.findall(statement.comment) if statement.comment else ()
    if not found:
        return 1
    number = executions(found[-1].replace("_", ""))
    if number is None:
        raise SqlError(
            f"'-- executions: {found[-1]}' before this statement is not a positive number",
            origin=origin,
            line=statement.line,
            column=1,
        )
    return number


def _read(path: Path, lexis: Lexis) -> Iterator[Statement | Rejected]:
    """Yield the statements of a file, which is strictly UTF-8, or UTF-16 with its mark.

    The data of a dump are left out: one record for all that fill a table in a row.
    """
    origin = str(path)
    before: tuple[LoadKind, TableName] | None = None
    events = Reader(blocks(path), lexis, origin, raw=True).events()
    for kind, run in groupby(events, type):
        if kind is Text:
            parts = cast("Iterator[Text]", run)
            first = next(parts)
            for each in statements(
                _decoded(chain((first,), parts), origin), lexis, origin, (first.line, first.column)
            ):
                before = None
                yield each
        for load in cast("Iterator[Load]", run) if kind is Load else ():
            if (load.kind, load.table) != before:
                yield _LEFT[load.kind](load)
            before = load.kind, load.table


_LEFT: Mapping[LoadKind, Callable[[Load], Rejected]] = {
    "COPY": lambda load: Rejected(load.line, "COPY loads a dump's rows", str(load.table), "load"),
    "INSERT": lambda load: Rejected(
        load.line, "INSERT loads a dump's rows", str(load.table), "load"
    ),
    "program": lambda load: Rejected(
        load.line, "it is a program between DELIMITER lines", kind="definition"
    ),
}


def _decoded(parts: Iterable[Text], origin: str) -> Iterator[str]:
    """Yield the text of parts, of which one may end within a character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    place = 1, 1
    try:
        for part in parts:
            place = part.line, part.column
            yield decoder.decode(part.data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise not_utf8(error, origin, *place) from error
