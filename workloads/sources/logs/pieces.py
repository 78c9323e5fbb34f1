"""The protocol of a kind of log, and the pieces in which a log is read."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from workloads.folding.entries import Entry, Rejected, SessionEvent
from workloads.folding.lexis import Lexis


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a log's file that is read on its own.

    `file` counts the log's files from 0, `name` is what statements of the file may be called
    after. `start` and `end` are bytes of the file (of Parquet: row groups), `end` None is the
    file's end; `line` is the 1-based line (of Parquet: row) at `start`. `search_path` is what the
    project says of the file's sessions.
    """

    format: str
    path: Path
    file: int
    name: str
    start: int = 0
    end: int | None = None
    line: int = 1
    search_path: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the piece is its whole file."""
        return self.start == 0 and self.end is None


class UnsoundCutError(Exception):
    """A piece of the file that the argument counts ends in a value: it has to be read whole."""


class Format(Protocol):
    """A kind of file that holds recorded statements."""

    @property
    def name(self) -> str:
        """How it is called, such as "CSV query log"."""
        ...

    @property
    def dialect(self) -> str | None:
        """The dialect that all its statements are in; None if the file does not say."""
        ...

    @property
    def tells_sessions(self) -> bool:
        """Whether it tells the sessions of statements, or is of one session."""
        ...

    @property
    def cut(self) -> Literal["lines", "quoted lines", "row groups"] | None:
        """Return the places at which a file can be cut; None if it is read whole."""
        ...

    def recognises(self, path: Path, head: str) -> bool:
        """Whether the file is one, by its name and the text that it starts with."""
        ...

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected | SessionEvent]:
        """Yield the statements of a piece, in the order of their lines.

        Raises:
            ConfigurationError: The file cannot be read.
            UnsoundCutError: The piece ends inside a value.
        """
        ...
