"""The files of a table that is to be measured."""

import glob
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionKey:
    """A column whose values are names of folders: one value for each file; None is NULL."""

    name: str
    type: str
    values: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFiles:
    """The data of a table: `parquet` is a file or a glob, `files` are the files it matches.

    With `partition_keys`, which have a value for each of `files`, it is the folder above them.
    """

    name: str
    parquet: Path
    files: tuple[Path, ...]
    primary_key: tuple[str, ...] = ()
    partition_keys: tuple[PartitionKey, ...] = ()

    def place(self, file: Path) -> str:
        """Return what tells `file` from the others: its name, or its path where folders count."""
        return str(file.relative_to(self.parquet)) if self.partition_keys else file.name


def files_mark(parquet: Path) -> str:
    """Return what tells whether the files at `parquet` are replaced or written to later.

    It is a file, a glob, or a folder. No file's content is read.
    """
    digest = hashlib.sha256()
    for file in sorted(_files(parquet)):
        try:
            found = file.stat()
        except OSError:
            # It is being replaced at this moment.
            digest.update(b"gone")
            continue
        facts = (found.st_ino, found.st_size, found.st_mtime_ns)
        digest.update(f"{file}\n{facts}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _files(parquet: Path) -> Iterator[Path]:
    if parquet.is_dir():
        yield from parquet.rglob("*.parquet")
    elif parquet.exists() or not glob.has_magic(str(parquet)):
        yield parquet
    else:
        # Any part of the path may be a pattern.
        yield from map(Path, glob.iglob(str(parquet), recursive=True))  # noqa: PTH207
