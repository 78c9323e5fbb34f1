"""Query logs as tables: CSV and its like, JSON lines, Parquet.

How their columns may be called, `workloads.sources.logs.columns` says; others are not read.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from workloads.errors import ConfigurationError
from workloads.folding.entries import Entry, Rejected
from workloads.folding.lexis import Lexis
from workloads.sources.logs import files
from workloads.sources.logs.columns import STATEMENTS, Columns, columns
from workloads.sources.logs.delimited import delimiter, header, records
from workloads.sources.logs.pieces import Piece
from workloads.sources.longest import lines_of, refuse_length

_BATCH_ROWS = 4_096
# Of values of Parquet: a zone that is not known is a KeyError.
_UNREADABLE = (ValueError, OverflowError, KeyError)
# JSON may have half of a pair, which no text can hold: a program cut a statement off there.
_HALF_ESCAPED = re.compile(r"(?i)\\ud[89a-f]")
_HALF = re.compile("[\ud800-\udfff]")


class DelimitedLog:
    """A CSV, TSV or the like whose first line names the columns."""

    name = "CSV query log"
    dialect: str | None = None
    tells_sessions = False
    is_rotated = False
    cut: Literal["quoted lines"] = "quoted lines"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first line has a column for statements, and others or a telling name."""
        return delimiter(head, STATEMENTS) is not None

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements of a piece."""
        head = files.head(piece.path)
        parted_by = delimiter(head, STATEMENTS) or ","
        names = header(head, parted_by)
        where = columns(names)
        if where is None:
            return
        width = len(names)
        for each in records(piece, parted_by):
            if isinstance(each, Rejected):
                yield each
            elif len(each[1]) != width:
                value = f"{len(each[1])} instead of {width}"
                yield Rejected(
                    each[0], "the record has another number of values than the header", value
                )
            else:
                yield where.entry(*each)


class JsonLog:
    """A file with one JSON object a line."""

    name = "JSON lines query log"
    dialect: str | None = None
    tells_sessions = False
    is_rotated = False
    cut: Literal["lines"] = "lines"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first line is an object with a statement."""
        first = first_object(head)
        return first is not None and columns(list(first)) is not None

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements of a piece."""
        known: dict[tuple[str, ...], Columns | None] = {}
        for each in objects(piece):
            if isinstance(each, Rejected):
                yield each
                continue
            line, found = each
            keys = tuple(found)
            if keys not in known:
                known[keys] = columns(keys)
            where = known[keys]
            if where is None:
                yield Rejected(line, "the record has no SQL", kind="unrecorded")
            else:
                yield where.entry(line, tuple(found.values()))


class ParquetLog:
    """A Parquet file with a column of statements."""

    name = "Parquet query log"
    dialect: str | None = None
    tells_sessions = False
    is_rotated = False
    cut: Literal["row groups"] = "row groups"

    def recognises(self, path: Path, head: str) -> bool:
        """Whether it is Parquet and has a column for statements."""
        if not head.startswith("PAR1"):
            return False
        with _parquet(path) as file:
            return columns(file.schema_arrow.names) is not None

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the statements of a piece; the line is the row in the file."""
        with _parquet(piece.path) as file, _sound(piece.path):
            names = file.schema_arrow.names
            where = columns(names)
            if where is None:
                return
            needed = [names[place] for place in where.places]
            found = columns(needed)
            if found is None:
                return
            end = file.num_row_groups if piece.end is None else piece.end
            row = piece.line
            for batch in file.iter_batches(
                _BATCH_ROWS, row_groups=range(piece.start, end), columns=needed, use_threads=False
            ):
                # Of columns with one name, the first.
                places = [batch.schema.names.index(name) for name in needed]
                values = [_values(batch.column(place)) for place in places]
                for record in zip(*values, strict=True):
                    refuse_length(record[found.sql], piece.path, row)
                    yield found.entry(row, record)
                    row += 1


def row_groups(path: Path) -> list[tuple[int, int]]:
    """Return the rows and the bytes, unpacked, of each row group of a Parquet file."""
    with _parquet(path) as file:
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in groups]


def _values(column: pa.Array) -> list[object]:
    """Return the values of a column; None for those that Python does not have.

    These are times out of its range, and those of a zone that nobody knows.
    """
    try:
        found = column.to_pylist()
    except _UNREADABLE:
        found = list(map(_value, column))
    # Writers that do not say that a column is text make bytes of it.
    return [each.decode(errors="replace") if isinstance(each, bytes) else each for each in found]


def _value(scalar: pa.Scalar) -> object:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return scalar.cast(pa.binary()).as_py()
    except _UNREADABLE:
        return None


def _parquet(path: Path) -> pq.ParquetFile:
    with _sound(path):
        return pq.ParquetFile(path)


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    """Say of Parquet that cannot be read which file it is."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise ConfigurationError(f"{path} is no sound Parquet: {error}.") from error


def first_object(head: str) -> Mapping[str, object] | None:
    """Return the JSON object on the first line that is not empty; None if it is none."""
    first = next((line for line in head.split("\n") if line.strip()), "")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def objects(piece: Piece) -> Iterator[tuple[int, Mapping[str, object]] | Rejected]:
    """Yield line (1-based) and object of each line of a piece that is not empty.

    Raises:
        ConfigurationError: The file cannot be read.
    """
    for line, text in enumerate(_lines(piece), start=piece.line):
        if not text.strip():
            continue
        try:
            found = loaded(text)
        except (ValueError, RecursionError) as error:
            yield Rejected(line, "the record is no JSON", str(error))
            continue
        if isinstance(found, dict):
            yield line, found
        else:
            yield Rejected(line, "the record is no JSON object")


def loaded(text: str) -> object:
    """Return what a line of JSON says, with U+FFFD for half of a pair of surrogates.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deeply.
    """
    found = json.loads(text)
    if _HALF_ESCAPED.search(text):
        # By now, whole pairs are one character each.
        found = json.loads(_HALF.sub("\ufffd", json.dumps(found, ensure_ascii=False)))
    return found


def _lines(piece: Piece) -> Iterator[str]:
    if not piece.is_whole:
        with files.text_between(piece.path, piece.start, piece.end) as text:
            yield from lines_of(text, piece.path, piece.line)
        return
    yield from lines(piece.path)


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, with their line feeds.

    Raises:
        ConfigurationError: The file cannot be read, or a line is too long.
    """
    with files.text(path) as text:
        text.reconfigure(newline="\n")
        try:
            yield from lines_of(text, path)
        except files.DAMAGE as error:
            raise files.damaged(path, error) from error
