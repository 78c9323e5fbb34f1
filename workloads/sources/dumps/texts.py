"""The parts of a file that are no data, put together while a window moves over it."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from workloads.sources.dumps.window import Window

_NOT_BLANK = re.compile(rb"\S")

TextKind = Literal["gap", "definition", "other"]


class Text(NamedTuple):
    """A part of what is no data, with the 1-based place at which it starts.

    A statement that begins with CREATE, ALTER or DROP is a 'definition'; a 'gap' is between
    statements, with the sign that ends the one before. Parts of one kind in a row are one.
    """

    kind: TextKind
    data: bytes
    line: int
    column: int


class Texts:
    """Text that a window passes over, until it is asked for: before the window moves on."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._whole: list[Text] = []
        self._kind: TextKind | None = None
        self._is_blank = False
        self._start = 0
        self._place = (1, 1)

    def add(self, kind: TextKind, *, blank: bool) -> None:
        """Take what the window passes over from here on as text of a kind, or as blanks."""
        if self._kind == kind and not blank and not self._is_blank:
            return
        self._end()
        self._kind, self._is_blank = kind, blank
        self._start, self._place = self._window.at, self._window.place()

    def all(self) -> Iterator[Text]:
        """Yield the text that was passed over, and forget it."""
        self._end()
        found, self._whole = self._whole, []
        yield from found

    def _end(self) -> None:
        end = self._window.at
        if self._kind is not None and end > self._start:
            data = self._window.data[self._start : end]
            data = _NOT_BLANK.sub(b" ", data) if self._is_blank else data
            self._whole.append(Text(self._kind, data, *self._place))
        self._kind = None
