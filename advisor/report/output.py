"""The destination of answers: tables for people, or one JSON object for programs."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

PLAIN_WIDTH = 120


class _Console(Console):
    """Leaves a reader that has gone to the caller: rich itself would exit with 1."""

    def on_broken_pipe(self) -> None:
        """Let the BrokenPipeError that is being handled go on."""
        raise BrokenPipeError


class Output:
    """Shows what people read, or answers with one object; never both on standard output."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        width = None if sys.stdout.isatty() else PLAIN_WIDTH
        self._console = _Console(width=width, highlight=False, soft_wrap=False)

    @property
    def width(self) -> int:
        """Return the columns that a table may take."""
        return self._console.width

    def show(self, *renderables: RenderableType) -> None:
        """Print for people; nothing where a program listens."""
        if not self.as_json:
            for renderable in renderables:
                self._console.print(renderable)
            self._console.file.flush()

    def show_lines(self, lines: Sequence[str]) -> None:
        """Print for people without breaking a line: an address is opened and copied as a whole."""
        if not self.as_json:
            for line in lines:
                self._console.print(Text(line), soft_wrap=True)
            self._console.file.flush()

    def note(self, text: str) -> None:
        """Say on standard error, whoever listens, what is to be known of the answer."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def answer(self, document: Mapping[str, Any]) -> None:
        """Print the one object; nothing where people read."""
        if self.as_json:
            # Only escapes of JSON's own may stand for what the encoding lacks.
            is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
            text = json.dumps(document, indent=2, ensure_ascii=not is_unicode, allow_nan=False)
            with self._answering():
                print(text, flush=True)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keep standard output for the answer: what libraries and servers print goes to error."""
        if not self.as_json:
            yield
            return
        sys.stdout.flush()
        self._kept = os.dup(1)
        os.dup2(2, 1)
        try:
            yield
        finally:
            sys.stdout.flush()
            os.dup2(self._kept, 1)
            os.close(self._kept)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        sys.stdout.flush()
        os.dup2(self._kept, 1)
        try:
            yield
        finally:
            sys.stdout.flush()
            os.dup2(2, 1)
