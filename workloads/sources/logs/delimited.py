"""Records of CSV and its like, with the lines at which they start."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from workloads.folding.entries import Rejected
from workloads.sources import longest
from workloads.sources.logs import files
from workloads.sources.logs.pieces import Piece, UnsoundCutError
from workloads.sources.longest import Length, lines_of, too_long

_DELIMITERS = ",\t;|"
_MALFORMED = "the record is malformed"


def delimiter(head: str, known: Iterable[str]) -> str | None:
    """Return what parts the columns: the first line has one of `known`; None if it has none."""
    first = head.partition("\n")[0].strip()
    wanted = set(known)
    for each in _DELIMITERS:
        if wanted & {name.strip().lower() for name in header(first, each)}:
            return each
    return None


def header(head: str, parted_by: str) -> list[str]:
    """Return the values of the first record of a text, none if it is malformed."""
    try:
        return next(csv.reader(io.StringIO(head), delimiter=parted_by, strict=True), [])
    except csv.Error:
        return []


def records(
    piece: Piece, parted_by: str, *, has_header: bool = True
) -> Iterator[tuple[int, Sequence[str]] | Rejected]:
    """Yield line (1-based) and values of each record of a piece, without the file's header.

    Lines are parted by line feeds. Empty ones are left out.

    Raises:
        ConfigurationError: The file cannot be read, or a record is too long.
        UnsoundCutError: The piece ends inside a quoted value.
    """
    # The module's own limit is less than statements have.
    csv.field_size_limit(longest.MOST_CHARACTERS)
    length = Length(piece.path, "record")
    with _text(piece) as text:
        lines = length.counted(lines_of(text, piece.path, piece.line))
        reader = csv.reader(lines, delimiter=parted_by, strict=True)
        if has_header and piece.start == 0:
            next(reader, None)
        while True:
            line = piece.line + reader.line_num
            length.begin(line)
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if piece.end is not None and "unexpected end" in str(error):
                    raise UnsoundCutError(piece.file) from error
                if "field larger than field limit" in str(error):
                    raise too_long(piece.path, line, "value") from error
                yield Rejected(line, _MALFORMED, _said(error))
            except files.DAMAGE as error:
                raise files.damaged(piece.path, error) from error
            else:
                if record:
                    yield line, record


def _said(error: csv.Error) -> str:
    text = str(error)
    return "a quoted value does not end" if "unexpected end" in text else text


def _text(piece: Piece) -> TextIO:
    if not piece.is_whole:
        return files.text_between(piece.path, piece.start, piece.end)
    text = files.text(piece.path)
    text.reconfigure(newline="\n")
    return text
