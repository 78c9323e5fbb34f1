"""What was measured of Parquet files, remembered in a JSON file beside the cache.

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

FORMAT = 1
"""Changes with the meaning of anything in a manifest: an older one is then not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMark:
    """What tells one state of a file from another."""

    bytes: int
    modified_ns: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A measured table (without its path) and the files, by name, that it was measured from."""

    table: Table
    files: Mapping[str, FileMark]


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


def read(path: Path) -> Manifest | None:
    """Return the manifest at `path`; None if there is none, or none that we can trust."""
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != FORMAT:
            return None
        return Manifest(
            entries={name: _entry(name, entry) for name, entry in data["entries"].items()},
            versions=dict(data["versions"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(path: Path, manifest: Manifest) -> None:
    """Write `manifest` to `path` in one step.

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
        partial.write_text(text, "utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise SetUpError(
            f"{path} cannot be written ({error.strerror}):"
            " free space or permit writing there, or choose another cache folder."
        ) from error


def _plain(entry: Entry) -> dict[str, Any]:
    table = entry.table
    return {
        "rows": table.rows,
        "fingerprint": table.fingerprint,
        "primary_key": list(table.primary_key),
        "columns": [asdict(column) for column in table.columns],
        "files": {name: asdict(file) for name, file in entry.files.items()},
    }


def _entry(name: str, data: Mapping[str, Any]) -> Entry:
    table = Table(
        name=name,
        columns=tuple(_column(column) for column in data["columns"]),
        rows=data["rows"],
        fingerprint=data["fingerprint"],
        primary_key=tuple(data["primary_key"]),
    )
    return Entry(
        table=table, files={file: FileMark(**fields) for file, fields in data["files"].items()}
    )


def _column(data: Mapping[str, Any]) -> Column:
    statistics = data["statistics"]
    return Column(
        name=data["name"],
        type=data["type"],
        width_bytes=data["width_bytes"],
        statistics=ColumnStatistics(**statistics) if statistics is not None else None,
    )
