"""The protocol of a kind of log, and the pieces in which a log is read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from workloads.counting.facts import Facts
from workloads.folding.entries import Entry, Rejected, SessionEvent
from workloads.folding.lexis import Lexis


@dataclass(slots=True)
class Earlier:
    """Facts from the files of a rotated log before one: when it began, and of whom sessions are.

    `begun` are sessions of MySQL whose beginning it has.

    `time` is the log's first as it writes it, "" before its first record, and `older` tells of
    sessions that began before it whether they had said something by then.
    """

    time: str = ""
    older: dict[str, bool] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a log's file that is read on its own.

    `file` counts the log's files from 0, `name` is what statements of the file may be called
    after. `start` and `end` are bytes of the file (of Parquet: row groups), `end` None is the
    file's end; `line` is the 1-based line (of Parquet: row) at `start`. `search_path` is what the
    project says of the file's sessions. Files with one number `log`, not 0, are one log, which is
    read file by file: `began` is when the first statement of this one was logged, and `earlier`
    what the files before it tell.
    """

    format: str
    path: Path
    file: int
    name: str
    start: int = 0
    end: int | None = None
    line: int = 1
    search_path: tuple[str, ...] = ()
    log: int = 0
    began: datetime | None = None
    earlier: Earlier = field(default_factory=Earlier, compare=False)

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
        """The name that it is called by, such as "CSV query log"."""
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
    def is_rotated(self) -> bool:
        """Whether a server writes it, and goes on in another file with the same sessions."""
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
