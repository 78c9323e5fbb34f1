"""Measurements of Parquet files, kept in a JSON file, with samples and rewritten tables beside it.

A file is trusted to be the one that was measured while its size and modification time are the
same; otherwise its contents are hashed again, so that a copied folder need not be measured anew.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workloads.catalog import Column, ColumnStatistics, Table
from workloads.errors import CatalogError, SetUpError

FORMAT = 6
"""Changes with the meaning of anything in a manifest: an older one is then not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMark:
    """The state of a file, different after every change."""

    bytes: int
    modified_ns: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A measured table (without its path) and the files, by name, that it was measured from.

    `is_rewritten` tells that it is read from a file of our own.
    """

    table: Table
    files: Mapping[str, FileMark]
    is_rewritten: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Measured tables by name. `versions` names what made the data, where we made it."""

    entries: Mapping[str, Entry]
    versions: Mapping[str, str]


def mark(path: Path, known: FileMark | None = None) -> FileMark:
    """Return the mark of the file at `path`, hashed only where it may differ from `known`.

    Raises:
        CatalogError: The file cannot be read.
    """
    try:
        status = path.stat()
        if (
            known is not None
            and known.bytes == status.st_size
            and known.modified_ns == status.st_mtime_ns
        ):
            return known
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CatalogError(f"{path} cannot be read ({error.strerror}).") from error
    return FileMark(bytes=status.st_size, modified_ns=status.st_mtime_ns, sha256=digest)


def fingerprint(marks: Sequence[FileMark]) -> str:
    """Return one text for the contents of a table's files; their names and order do not matter."""
    return hashlib.sha256("".join(sorted(m.sha256 for m in marks)).encode()).hexdigest()


def sample_path(manifest: Path, table: str, contents: str) -> Path:
    """Return where the sample of `table` lies, drawn when its contents were `contents`."""
    return manifest.with_suffix(".samples") / f"{table}-{contents[:12]}.parquet"


def rewritten_path(manifest: Path, table: str, contents: str) -> Path:
    """Return where `table` lies as plain Parquet, written when its contents were `contents`."""
    return manifest.with_suffix(".tables") / f"{table}-{contents[:12]}.parquet"


def make_folder_of(file: Path) -> None:
    """Make the folder of a sample or a table: rows in it are its owner's alone.

    Raises:
        SetUpError: The folder cannot be written.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(file.parent, error) from error


def read(path: Path) -> Manifest | None:
    """Return the manifest at `path`; None if there is none, or none that we can trust.

    A table whose sample is gone has none.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != FORMAT:
            return None
        return Manifest(
            entries={name: _entry(path, name, entry) for name, entry in data["entries"].items()},
            versions=dict(data["versions"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(path: Path, manifest: Manifest) -> None:
    """Write `manifest` to `path` in one step, for its owner alone: statistics hold values.

    Raises:
        SetUpError: The folder cannot be written.
    """
    text = json.dumps(
        {
            "format": FORMAT,
            "versions": dict(manifest.versions),
            "entries": {name: _plain(entry) for name, entry in manifest.entries.items()},
        },
        indent=1,
    )
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.touch(mode=0o600)
        partial.write_text(text, "utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise _unwritable(path, error) from error
    _drop_old_files(path, manifest)


def _drop_old_files(path: Path, manifest: Manifest) -> None:
    kept = set()
    for name, entry in manifest.entries.items():
        kept.add(sample_path(path, name, entry.table.fingerprint))
        if entry.is_rewritten:
            kept.add(rewritten_path(path, name, entry.table.fingerprint))
    for suffix in (".samples", ".tables"):
        for file in path.with_suffix(suffix).glob("*.parquet"):
            if file not in kept:
                file.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> SetUpError:
    return SetUpError(
        f"{path} cannot be written ({error.strerror}):"
        " free space or permit writing there, or choose another cache folder."
    )


def _plain(entry: Entry) -> dict[str, Any]:
    table = entry.table
    return {
        "rows": table.rows,
        "fingerprint": table.fingerprint,
        "primary_key": list(table.primary_key),
        "left_out": dict(table.left_out),
        "columns": [asdict(column) for column in table.columns],
        "files": {name: asdict(file) for name, file in entry.files.items()},
        "is_rewritten": entry.is_rewritten,
    }


def _entry(manifest: Path, name: str, data: Mapping[str, Any]) -> Entry:
    sample = sample_path(manifest, name, data["fingerprint"])
    table = Table(
        name=name,
        columns=tuple(_column(column) for column in data["columns"]),
        rows=data["rows"],
        fingerprint=data["fingerprint"],
        primary_key=tuple(data["primary_key"]),
        left_out=data.get("left_out", {}),
        sample=sample if sample.is_file() else None,
    )
    return Entry(
        table=table,
        files={file: FileMark(**fields) for file, fields in data["files"].items()},
        is_rewritten=data["is_rewritten"],
    )


def _column(data: Mapping[str, Any]) -> Column:
    statistics = data["statistics"]
    return Column(
        name=data["name"],
        type=data["type"],
        width_bytes=data["width_bytes"],
        own_type=data["own_type"],
        statistics=_statistics(statistics) if statistics is not None else None,
    )


def _statistics(data: Mapping[str, Any]) -> ColumnStatistics:
    """Return statistics as they were: JSON makes lists of tuples."""
    shape = {
        "common": tuple((value, share) for value, share in data["common"]),
        "histogram": tuple(data["histogram"]),
        "years": data["years"] and tuple(data["years"]),
    }
    return ColumnStatistics(**{**data, **shape})
