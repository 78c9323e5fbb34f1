"""Statements out of SQL text of any length: a semicolon may stand in a string or a comment."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from workloads.errors import SqlError
from workloads.folding.lexis import (
    Lexis,
    Part,
    alternatives,
    comments,
    dollar_quoted,
    identifiers,
    strings,
)
from workloads.sources import longest

# No quote, comment mark or line that counts is longer: it may be cut by the end of a block.
_MARGIN = 256


class Statement(NamedTuple):
    """One statement without its semicolon, and the 1-based place at which it starts.

    `comment` is what stands before it on lines of its own.
    """

    sql: str
    line: int
    column: int
    comment: str


def statements(
    blocks: Iterable[str], lexis: Lexis, origin: str, start: tuple[int, int] = (1, 1)
) -> Iterator[Statement]:
    """Yield the statements of a text that comes in blocks; a line ``GO`` parts them too.

    `start` is the 1-based line and column at which the text starts. No more of it is kept than one
    statement and one block.

    Raises:
        ConfigurationError: A statement is too long, with the comment before it.
        SqlError: A string or a comment does not end.
    """
    return _Splitter(lexis, origin, start).split(blocks)


class _Splitter:
    """A window of the text, from the end of the last statement on.

    `seen` is how far it has been looked at, `start` and `end` what of the next statement has been
    seen, `free` where the last one ended; all are offsets in the window.
    """

    def __init__(self, lexis: Lexis, origin: str, start: tuple[int, int]) -> None:
        self._origin = origin
        self._pattern = _pattern(lexis)
        self._text = ""
        self._seen = self._free = self._end = 0
        self._start: int | None = None
        self._is_first = True
        # The line, and the column of its first character, at an offset before the next statement.
        self._counted, (self._line, self._column) = 0, start

    def split(self, blocks: Iterable[str]) -> Iterator[Statement]:
        waiting: list[str] = []
        size = 0
        for block in blocks:
            waiting.append(block)
            size += len(block)
            # What may go on for long is looked at again only when it has doubled.
            if size >= len(self._text) or len(self._text) + size > longest.MOST_CHARACTERS:
                self._text = "".join([self._text, *waiting])
                waiting, size = [], 0
                yield from self._look(len(self._text) - _MARGIN)
                self._forget()
                self._refuse_length(len(self._text))
        self._text = "".join([self._text, *waiting])
        yield from self._look(len(self._text) + 1)
        self._pass_over(len(self._text))
        yield from self._ended()

    def _look(self, limit: int) -> Iterator[Statement]:
        """Yield the statements that end up to `limit`, up to where what is seen is certain."""
        is_last = limit > len(self._text)
        for match in self._pattern.finditer(self._text, self._seen):
            kind = match.lastgroup or ""
            self._pass_over(min(match.start(), max(limit, self._seen)))
            is_open = kind.startswith("open")
            if match.end() > limit or (is_open and not is_last):
                return
            if is_open:
                raise self._unfinished(match)
            if kind.startswith("end"):
                yield from self._ended()
                self._free, self._is_first = match.end(), False
            elif not kind.startswith("gap"):
                self._start = match.start() if self._start is None else self._start
                self._end = match.end()
            self._seen = match.end()
        self._pass_over(min(limit, len(self._text)))

    def _pass_over(self, end: int) -> None:
        """Take note of the plain text from where we are to `end`."""
        plain = self._text[self._seen : end]
        words = plain.strip()
        if words:
            if self._start is None:
                self._start = self._seen + plain.index(words[0])
            self._end = self._seen + len(plain.rstrip())
        self._seen = max(self._seen, end)

    def _ended(self) -> Iterator[Statement]:
        """Yield the statement that ended here, if there was any."""
        if self._start is None:
            return
        self._refuse_length(self._end - self._free)
        line, column = self._place(self._start)
        before = self._text[self._free : self._start]
        comment = before if self._is_first else before.partition("\n")[2]
        yield Statement(self._text[self._start : self._end], line, column, comment)
        self._start = None

    def _place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset that is not before the last one asked for."""
        last = self._text.rfind("\n", self._counted, offset)
        self._line += self._text.count("\n", self._counted, offset)
        self._column = offset - last if last >= 0 else self._column + offset - self._counted
        self._counted = offset
        return self._line, self._column

    def _refuse_length(self, characters: int) -> None:
        """Refuse what is longer than may be, from the end of the last statement on."""
        if characters > longest.MOST_CHARACTERS:
            line, _ = self._place(self._free if self._start is None else self._start)
            raise longest.too_long(self._origin, line, "statement")

    def _forget(self) -> None:
        """Move the window on to the end of the last statement."""
        done = self._free
        self._place(max(done, self._counted))
        self._text = self._text[done:]
        self._free = 0
        self._counted -= done
        self._seen -= done
        self._end -= done
        self._start = self._start - done if self._start is not None else None

    def _unfinished(self, match: re.Match[str]) -> SqlError:
        line, column = self._place(match.start())
        what = "comment" if match[0] == "/*" else "quoted text"
        return SqlError(f"the {what} does not end", origin=self._origin, line=line, column=column)


@cache
def _pattern(lexis: Lexis) -> re.Pattern[str]:
    """Match what a semicolon may stand in, the ends of statements, and what does not end."""
    quoted: list[Part] = [*strings(lexis, complete=True), *identifiers(lexis)]
    if lexis.dollar_quotes:
        quoted.insert(0, dollar_quoted())
    gaps = [
        (first, f"{rest}(?P<gap{place}>)")
        for place, (first, rest) in enumerate(comments(lexis, complete=True))
    ]
    openings = {*lexis.literal_openings(), *(pair[0] for pair in lexis.identifiers), "/*"}
    pattern = alternatives(
        [
            *quoted,
            *gaps,
            (";", "(?P<end>)"),
            ("gG", r"(?<![^\n].)[oO](?:[ \t]+\d+)?[ \t]*(?=[\r\n]|\Z)(?P<end2>)"),
            *[(mark[0], f"{re.escape(mark[1:])}(?P<open{i}>)") for i, mark in enumerate(openings)],
        ]
    )
    return re.compile(pattern, re.DOTALL)
