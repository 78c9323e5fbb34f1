"""The files of a table that is to be measured, and finding files in folders."""

import glob
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from workloads.errors import ConfigurationError
from workloads.paths import is_there, refuse_pipe

_Read = TypeVar("_Read")


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
        yield from parquet_files(parquet)
    elif parquet.exists() or not glob.has_magic(str(parquet)):
        yield parquet
    else:
        # Any part of the path may be a pattern.
        yield from map(Path, glob.iglob(str(parquet), recursive=True))  # noqa: PTH207


def is_hidden(name: str) -> bool:
    """Whether a file or folder is none of the data, as in Spark: ``_SUCCESS``, ``.part.crc``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def is_parquet(name: str) -> bool:
    """Whether a file is called as one of Parquet."""
    return name.lower().endswith(".parquet")


def parquet_files(folder: Path) -> Iterator[Path]:
    """Yield the files of Parquet in a folder and in those below it; no hidden ones.

    A folder that several links lead to counts as often: each may be a partition of its own.

    Raises:
        ConfigurationError: A folder or link of the data cannot be read, or a pipe is one of them.
    """

    def may_be_data(path: Path) -> bool:
        return "=" in path.name or is_parquet(path.name)

    def is_none(path: Path) -> bool:
        return is_hidden(path.name) or (not may_be_data(path) and is_closed(path))

    for path in paths_below(folder, is_none):
        if may_be_data(path) and path.is_symlink() and not is_there(path):
            raise ConfigurationError(f"The link {path} leads nowhere: mend or remove it.")
        if is_parquet(path.name):
            refuse_pipe(path)
            yield path


def is_closed(path: Path) -> bool:
    """Whether a path is a folder that we may not look into, or leads into one."""
    try:
        return path.is_dir() and not os.access(path, os.R_OK | os.X_OK)
    except PermissionError:
        return True


def paths_below(
    folder: Path,
    skips: Callable[[Path], bool],
    is_whole: Callable[[Path], bool] = lambda _: False,
    *,
    once: bool = False,
) -> Iterator[Path]:
    """Yield the files in a folder and in those below it, but nothing that `skips` tells of.

    A folder that `is_whole` is yielded as a file is. Links are followed, though never to a folder
    that they lie in, which would have no end; with `once` no folder is visited twice.

    Raises:
        ConfigurationError: A folder cannot be read.
    """
    visited: set[Path] = set()

    def below(folder: Path) -> Iterator[Path]:
        real = folder.resolve()
        if real in visited:
            return
        visited.add(real)
        for path in _read(folder, lambda: sorted(folder.iterdir())):
            if skips(path):
                continue
            if _read(path, path.is_dir) and not is_whole(path):
                yield from below(path)
            else:
                yield path
        if not once:
            visited.remove(real)

    return below(folder)


def _read(path: Path, read: Callable[[], _Read]) -> _Read:
    try:
        return read()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
