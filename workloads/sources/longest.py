"""The longest line, value or statement that is read of a source: what is longer ends the reading.

A small compressed file can hold one value of many gigabytes. It is never held whole: reading stops
at the limit, so that memory stays in proportion to it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from workloads.errors import ConfigurationError

MOST_CHARACTERS = 100_000_000
"""So many characters may a line, a value or a statement of a source have, and all definitions of a
file of DDL together. The data of a dump have no limit: nothing of them is held."""


def too_long(path: Path | str, line: int, what: str) -> ConfigurationError:
    """Return what to say of `what`, such as "line", that is too long at a line (1-based)."""
    return ConfigurationError(
        f"{path}:{line}: this {what} has more than {MOST_CHARACTERS:,} characters, the most that is"
        " read: break it up, or take it out of the file."
    )


def refuse_length(value: object, path: Path, line: int) -> None:
    """Refuse a value at a line (1-based) that is too long; what is no text has no length.

    Raises:
        ConfigurationError: It is too long.
    """
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        raise too_long(path, line, "value")


def lines_of(text: TextIO, path: Path, first: int = 1) -> Iterator[str]:
    """Yield the lines of a text, with their line feeds; `first` is the number of the first one.

    Raises:
        ConfigurationError: A line is too long.
    """
    most = MOST_CHARACTERS
    number = first
    # One more than the longest line with its line feed.
    while line := text.readline(most + 2):
        if len(line) > most and len(line.rstrip("\r\n")) > most:
            raise too_long(path, number, "line")
        yield line
        number += 1


class Length:
    """The characters so far of what several lines make, `what` such as "statement"."""

    def __init__(self, path: Path | str, what: str) -> None:
        self._path = path
        self._what = what
        self._line = 1
        self._characters = 0

    def begin(self, line: int) -> None:
        """Count anew from a line (1-based) on."""
        self._line = line
        self._characters = 0

    def add(self, text: str | bytes) -> None:
        """Count the characters, or bytes, of `text`.

        Raises:
            ConfigurationError: It has become too long.
        """
        self._characters += len(text)
        if self._characters > MOST_CHARACTERS:
            raise too_long(self._path, self._line, self._what)

    def counted(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield `lines`, each counted.

        Raises:
            ConfigurationError: They have become too long.
        """
        for line in lines:
            self.add(line)
            yield line
