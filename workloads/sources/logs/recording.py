"""The files that a workload is recorded in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workloads.errors import ConfigurationError
from workloads.measuring.table_files import paths_below
from workloads.paths import refuse_pipe
from workloads.sources.logs.formats import FORMATS, not_recognised, recognised
from workloads.sources.logs.frequencies import SIDE_FILE
from workloads.sources.logs.pieces import Format, Piece

_SUFFIXES = frozenset(
    {
        *("", ".sql", ".csv", ".tsv", ".psv", ".txt", ".parquet", ".json", ".jsonl", ".ndjson"),
        *(".log", ".gz", ".zst", ".zstd", ".lz4", ".inprogress"),
        # These are not unpacked. They are said to be unread.
        *(".bz2", ".xz"),
    }
)
_ROTATED = re.compile(r"(?<=\w)[.-]\d[\dT:_.-]*$")
"""Endings that logrotate and hosted databases add: ``slow.log.1``, ``slow.log-20250501``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The files of a log in their order, each with its kind and what it may be called.

    `others` lie among them and are no logs that we know. `search_paths` are what the project says
    of the sessions of each file.
    """

    name: str
    paths: tuple[Path, ...]
    names: tuple[str, ...]
    formats: tuple[Format, ...]
    others: tuple[Path, ...] = ()
    search_paths: tuple[tuple[str, ...], ...] = ()

    @property
    def origins(self) -> tuple[str, ...]:
        """Return the files' names as queries and errors have them."""
        return tuple(map(str, self.paths))

    def pieces(self) -> list[Piece]:
        """Return a piece for each file."""
        files = enumerate(zip(self.paths, self.names, self.formats, strict=True))
        return [
            Piece(
                format=kind.name,
                path=path,
                file=file,
                name=name,
                search_path=self.search_paths[file] if self.search_paths else (),
            )
            for file, (path, name, kind) in files
        ]


def recorded(
    roots: Sequence[Path], search_paths: Mapping[Path, tuple[str, ...]] | None = None
) -> Recording:
    """Return the files of a log at paths, some of which have a path of their own.

    Of a folder with ``.sql`` files, those are taken; of others, all that are recognised.

    Raises:
        ConfigurationError: A path is missing or is no log.
    """
    # A file that is named twice, or lies in two of the folders, counts once.
    by_path: dict[Path, tuple[Path, str, Format | None]] = {}
    of_file: dict[Path, tuple[str, ...]] = {}
    for root in roots:
        for each in _files(root):
            if by_path.setdefault(each[0].resolve(), each) is each:
                of_file[each[0]] = (search_paths or {}).get(root, ())
    found = list(by_path.values())
    known = [(path, name, kind) for path, name, kind in found if kind is not None]
    if not known:
        raise ConfigurationError("There is no SQL statement in an empty list of paths.")
    return Recording(
        name=roots[0].stem,
        paths=tuple(path for path, _, _ in known),
        names=tuple(name for _, name, _ in known),
        formats=tuple(kind for _, _, kind in known),
        others=tuple(path for path, _, kind in found if kind is None),
        search_paths=tuple(of_file[path] for path, _, _ in known),
    )


def _files(root: Path) -> list[tuple[Path, str, Format | None]]:
    if not root.exists():
        raise ConfigurationError(f"There is no file or folder {root}: give one that holds SQL.")
    refuse_pipe(root)
    kind = recognised(root)
    if kind is not None:
        return [(root, root.stem, kind)]
    if root.is_file():
        raise not_recognised(root)
    below = {path.relative_to(root).as_posix(): path for path in _below(root)}
    texts = {name: path for name, path in below.items() if path.suffix.lower() == ".sql"}
    found = [
        (below[name], name.removesuffix(below[name].suffix), recognised(below[name]))
        for name in sorted(texts or below, key=_natural)
    ]
    if all(kind is None for _, _, kind in found):
        raise ConfigurationError(
            f"The folder {root} holds no .sql file, nor a log of {', '.join(list(FORMATS)[:-1])}."
        )
    return found


def _below(folder: Path) -> Iterator[Path]:
    """Yield what may be a log in a folder: rolling event logs as one, no hidden files."""
    for path in paths_below(
        folder,
        lambda path: path.name.startswith((".", "_")),
        lambda path: recognised(path) is not None,
        once=True,
    ):
        if path.is_dir():
            yield path
        elif _suffix(path.name) in _SUFFIXES and path.name != SIDE_FILE:
            refuse_pipe(path)
            yield path


def _suffix(name: str) -> str:
    """Return the suffix of a file's name in small letters, and of a rotated log the log's own."""
    own = Path(_ROTATED.sub("", name)).suffix
    return (own or Path(name).suffix).lower()


def _natural(name: str) -> list[tuple[int, str]]:
    """Order q2 before q10."""
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", name)]
