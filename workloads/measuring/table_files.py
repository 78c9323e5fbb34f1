"""The files of a table that is to be measured."""

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
