"""Files of SQL statements."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path

from workloads.errors import SqlError
from workloads.folding.lexis import Lexis
from workloads.folding.templates import Entry, Rejected, executions
from workloads.sources import longest
from workloads.sources.logs import files
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.sql_text import Statement, statements

_EXECUTIONS = re.compile(r"(?im)^[ \t]*--[ \t]*executions[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_NAME = re.compile(r"(?im)^[ \t]*--[ \t]*name[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_BLOCK_CHARACTERS = 1_000_000
_CHARACTER_BYTES = 4
_FIRST_WORD = re.compile(
    r"(?is)(?:\ufeff|\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\(|;)*+"
    r"(select|with|insert|update|delete|merge|replace|create|alter|drop|set|use|from|values|begin)\b"
)


class SqlFile:
    """Statements with semicolons between them.

    A statement keeps a name of its own, which the comment ``-- name: x`` before it says, or its
    file's if it is the only one there; others are templates'. It counts as often as
    ``-- executions: 120`` says, once without.
    """

    name = "SQL file"
    dialect: str | None = None
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
        found = statements(_blocks(piece.path), lexis, origin)
        first = next(found, None)
        if first is None:
            return
        second = next(found, None)
        if second is None:
            yield _entry(first, origin, piece.name)
            return
        for each in chain((first, second), found):
            yield _entry(each, origin, None)


def _entry(statement: Statement, origin: str, name: str | None) -> Entry:
    named = _NAME.findall(statement.comment) if statement.comment else ()
    return Entry(
        line=statement.line,
        sql=statement.sql,
        executions=_executions(statement, origin),
        name=(named[-1] if named else None) or name,
        column=statement.column,
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


def _blocks(path: Path) -> Iterator[str]:
    """Yield the text of a file, which is strictly UTF-8, or UTF-16 with its mark."""
    with files.text(path, errors="strict") as text:
        try:
            while block := text.read(_BLOCK_CHARACTERS):
                yield block
        except UnicodeDecodeError as error:
            raise _undecodable(path, error) from error
        except files.DAMAGE as error:
            raise files.damaged(path, error) from error


def _undecodable(path: Path, error: UnicodeDecodeError) -> SqlError:
    """Return where the first byte is that is not what it should be."""
    line = 1
    # The byte is in a block that was read: no line before it is longer than what is read at once.
    most_bytes = _CHARACTER_BYTES * (longest.MOST_CHARACTERS + _BLOCK_CHARACTERS)
    with files.opened(path) as file:
        while data := file.readline(most_bytes):
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as found:
                return SqlError(
                    f"byte {data[found.start]:#04x} is not UTF-8: convert the file to UTF-8",
                    origin=str(path),
                    line=line,
                    column=found.start + 1,
                )
            line += 1
    return SqlError(f"it is not {error.encoding.upper()}: convert the file", origin=str(path))
