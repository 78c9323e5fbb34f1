"""The servers and data that a new project begins with, before any is asked."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from advisor.starting.found import Found, FoundStore
from advisor.starting.logins import Login, login, names_of
from advisor.starting.sources import DuckDBFile, ParquetFolder, Server, Source, source_of
from workloads.errors import ConfigurationError
from workloads.paths import expanded, is_there, refuse_pipe, shortened
from workloads.problems import Problems

FILE = "project.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The logins of the servers, DuckDB files by their names, a folder of Parquet, statements.

    `workload` are files and folders of statements, as absolute paths.
    """

    logins: tuple[Login, ...] = ()
    files: Mapping[str, DuckDBFile] = field(default_factory=dict)
    folder: ParquetFolder | None = None
    workload: tuple[Path, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the sources, without what may be secret."""
        servers = [each.server.shown for each in self.logins]
        data = [each.shown for each in self.files.values()]
        return (*servers, *data, *(() if self.folder is None else (self.folder.shown,)))

    def found(self, stores: Sequence[FoundStore], folder: Path) -> Found:
        """Return it with what the servers have; the project file will be in `folder`."""
        return Found(
            at=datetime.now(UTC),
            stores=tuple(stores),
            files=self.files,
            folder=self.folder,
            workload=self.workload,
            free_bytes=shutil.disk_usage(folder).free,
        )


def beginning_of(sources: Sequence[str], workload: Sequence[str]) -> Beginning:
    """Return what the options ``--from`` and ``--workload`` name; passwords may be asked for.

    Raises:
        ConfigurationError: One of them cannot be used.
        RefusalsError: Several cannot.
    """
    problems, read, paths = Problems(), list[Source](), list[Path]()
    for number, each in enumerate(sources, start=1):
        with problems.gathering():
            read.append(source_of(each, number))
    for each in workload:
        with problems.gathering():
            paths.append(_statements(each))
    problems.raise_any()
    named = names_of(read)
    return Beginning(
        logins=tuple(login(name, each) for name, each in named.items() if isinstance(each, Server)),
        files={name: each for name, each in named.items() if isinstance(each, DuckDBFile)},
        folder=next((each for each in read if isinstance(each, ParquetFolder)), None),
        workload=tuple(paths),
    )


def refuse_existing(file: Path, *, overwrite: bool) -> None:
    """Raise ConfigurationError where a project file would be replaced that nobody gave up."""
    if not is_there(file):
        return
    if file.is_dir():
        raise ConfigurationError(f"{file} is a folder: name another folder with --output.")
    if not overwrite:
        raise ConfigurationError(
            f"{shortened(str(file))} exists: --overwrite replaces it, and --output names another "
            "folder."
        )


def _statements(text: str) -> Path:
    path = expanded(text).absolute()
    if not is_there(path):
        raise ConfigurationError(
            f"--workload {shortened(text)}: there is no such file or folder ({path})."
        )
    refuse_pipe(path)
    return path
