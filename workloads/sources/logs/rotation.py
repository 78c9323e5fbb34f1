"""Rotated logs: files that are one log, whose sessions go on from one file to the next."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from workloads.errors import ConfigurationError, SqlError
from workloads.folding.entries import Entry
from workloads.folding.lexis import Lexis
from workloads.sources.logs import files
from workloads.sources.logs.formats import FORMATS, time_of
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.runners import Runner

_WORDS = (
    *(b"search_path", b"set_config", b"set schema", b"session authorization"),
    *(b"set role", b"local role", b"session role", b"reset role"),
    # In MySQL's general log alone these tell whose a session is, and which database it uses.
    *(b" connect\t", b" init db\t", b" change user\t"),
)
"""Statements whose effect a session keeps, so that later ones may depend on it."""
_TEMPORARY = re.compile(rb"(?:create(?:\s+or\s+replace)?|into)\s+(?:(?:local|global)\s+)?temp")
_WINDOW_BYTES = 1 << 22
_OVERLAP_BYTES = 256


def rotated(pieces: Sequence[Piece], lexis: Lexis, runner: Runner) -> list[Piece]:
    """Return the pieces, those of a rotated log one after another, in the order of their times.

    Files of one kind in one folder are such a log if a session may have said in one what counts in
    the next. Only then are they read one after another.
    """
    logs: dict[tuple[str, Path, tuple[str, ...]], list[Piece]] = {}
    for piece in pieces:
        if FORMATS[piece.format].is_rotated:
            key = (piece.format, piece.path.parent, piece.search_path)
            logs.setdefault(key, []).append(piece)
    several = {key: parts for key, parts in logs.items() if len(parts) > 1}
    paths = [piece.path for parts in several.values() for piece in parts]
    keeping = {path for path, keeps in runner.each(_keeps, paths) if keeps}
    found = list(pieces)
    for number, parts in enumerate(several.values(), start=1):
        if not any(piece.path in keeping for piece in parts):
            continue
        begun = {piece.file: _began(piece, lexis) for piece in parts}
        ordered = sorted(parts, key=lambda piece: str(begun[piece.file] or ""))
        place = min(found.index(piece) for piece in parts)
        found = [piece for piece in found if piece not in parts]
        found[place:place] = [
            replace(piece, log=number, began=begun[piece.file]) for piece in ordered
        ]
    return found


def _keeps(path: Path) -> tuple[Path, bool]:
    """Tell of a file whether a session may set in it what its later statements depend on."""
    rest = b""
    try:
        with files.opened(path) as file:
            while data := file.read(_WINDOW_BYTES):
                # Words are looked for one by one: as one pattern they take ten times as long.
                small = (rest + data).lower()
                if any(word in small for word in _WORDS):
                    return path, True
                if b"temp" in small and _TEMPORARY.search(small) is not None:
                    return path, True
                rest = small[-_OVERLAP_BYTES:]
    except files.DAMAGE:
        # It is said where the file is read.
        return path, False
    return path, False


def _began(piece: Piece, lexis: Lexis) -> datetime | None:
    """Return when the first statement of a file was logged; None where it does not say."""
    try:
        entries = FORMATS[piece.format].entries(piece, lexis)
        return next((time_of(each) for each in entries if isinstance(each, Entry)), None)
    except (ConfigurationError, SqlError):
        return None
