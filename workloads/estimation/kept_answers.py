"""Counts on samples, kept in a file: the next command does not count again.

The same samples give the same answers, and counting is half of the time that placing 99 queries
takes.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb

from workloads.catalog import Table
from workloads.whole_files import write_whole

_FORMAT = 1
_MOST_ANSWERS = 50_000
"""Of one file."""
_MOST_FILES = 50
"""The newest are kept: each is of one state of some tables."""
_MOST_ROWS = 100
"""An answer of more rows is asked for again."""
_KEPT_TYPES = (int, float, str, bool, type(None))
Rows = list[tuple[object, ...]]


class KeptAnswers:
    """The rows of statements over one state of the tables; the file is read when first needed.

    The file has the hashes of statements, not their text. Only its owner may read it, as answers
    may hold values. A file that cannot be read or written is as none: no error.
    """

    def __init__(self, folder: Path, tables: Iterable[Table]) -> None:
        self._file = folder / f"{_state(tables)}.json"
        self._rows: dict[str, Rows] | None = None
        self._is_new = False

    def get(self, sql: str) -> Rows | None:
        """Return the rows of a statement; None where they are not kept."""
        return self._known().get(_hash(sql))

    def keep(self, sql: str, rows: Rows) -> None:
        """Remember the rows of a statement, if JSON says them and they are few."""
        known = self._known()
        is_plain = all(type(value) in _KEPT_TYPES for row in rows for value in row)
        if is_plain and len(rows) <= _MOST_ROWS and len(known) < _MOST_ANSWERS:
            known[_hash(sql)] = rows
            self._is_new = True

    def write(self) -> None:
        """Write what is new to the file."""
        if not self._is_new:
            return
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file.touch(mode=0o600)
            write_whole(self._file, json.dumps(self._known()))
            self._is_new = False
            self._drop_oldest()
        except (OSError, ValueError):
            return

    def _drop_oldest(self) -> None:
        files = sorted(self._file.parent.glob("*.json"), key=lambda each: each.stat().st_mtime_ns)
        for old in files[:-_MOST_FILES]:
            old.unlink(missing_ok=True)

    def _known(self) -> dict[str, Rows]:
        if self._rows is None:
            self._rows = _read(self._file)
        return self._rows


def _read(file: Path) -> dict[str, Rows]:
    try:
        found: Mapping[str, list[list[object]]] = json.loads(file.read_bytes())
        return {key: [tuple(row) for row in rows] for key, rows in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _state(tables: Iterable[Table]) -> str:
    """Return a name for all that answers depend on: tables, samples, DuckDB and this format."""
    said = [
        (each.name, each.fingerprint, str(each.parquet), each.rows, _sample(each))
        for each in sorted(tables, key=lambda each: each.name)
    ]
    return _hash(json.dumps([_FORMAT, duckdb.__version__, said]))


def _sample(table: Table) -> tuple[str, int, int] | None:
    """Return what tells a sample from one that another version drew for the same contents."""
    if table.sample is None:
        return None
    try:
        found = table.sample.stat()
    except OSError:
        return None
    return str(table.sample), found.st_size, found.st_mtime_ns


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
