"""Which SQL each source of a workload is written in."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from workloads.errors import SqlError
from workloads.folding.entries import Entry, Rejected
from workloads.folding.lexis import Lexis
from workloads.folding.normalise import Normaliser
from workloads.sources.dumps.starts import banner
from workloads.sources.logs import files
from workloads.sources.logs.formats import FORMATS
from workloads.sources.logs.recording import Recording
from workloads.sql.parsing.dialects import Detected, detect

_SAMPLED_ENTRIES, _SAMPLED_TEMPLATES = 2_000, 40
# Before the dialect is known, every quote may be one.
_ANY = Lexis(identifiers=(('"', '"'), ("`", "`")), dollar_quotes=True)


def by_dialect(roots: Sequence[Path], recording: Recording) -> Sequence[tuple[str, Recording]]:
    """Return the files of a recording apart by their dialects.

    The kind of a file says its dialect, or else it is detected over all such files of one of the
    `roots`. Where several dialects suit these alike, another source's is taken, if it is the only
    one of them.

    Raises:
        SqlError: A SQL file cannot be read as text.
    """
    said = {kind.dialect for kind in recording.formats if kind.dialect is not None}
    if len(said) <= 1 and len(roots) == 1:
        return [(detected(recording).dialect, recording)]
    found: dict[str, list[Path]] = {}
    of_root: dict[Path, list[Path]] = {}
    for path, kind in zip(recording.paths, recording.formats, strict=True):
        if kind.dialect is not None:
            found.setdefault(kind.dialect, []).append(path)
        else:
            root = next(each for each in roots if each in (path, *path.parents))
            of_root.setdefault(root, []).append(path)
    spoken = [(detected(_only(recording, paths)), paths) for paths in of_root.values()]
    known = {*found, *(each.dialect for each, _ in spoken if not each.equal)}
    for each, paths in spoken:
        fitting = sorted(known.intersection((each.dialect, *each.equal))) if each.equal else []
        dialect = fitting[0] if len(fitting) == 1 else each.dialect
        found.setdefault(dialect, []).extend(paths)
    if len(found) == 1:
        return [(dialect, recording) for dialect in found]
    return [(dialect, _only(recording, paths)) for dialect, paths in found.items()]


def _only(recording: Recording, paths: Sequence[Path]) -> Recording:
    """Return some files of a recording, called after the first; what is no log goes with that."""
    kept = {each: n for n, each in enumerate(recording.paths)}
    numbers = [kept[path] for path in paths]
    return replace(
        recording,
        name=paths[0].stem,
        paths=tuple(paths),
        names=tuple(recording.names[n] for n in numbers),
        formats=tuple(recording.formats[n] for n in numbers),
        others=recording.others if 0 in numbers else (),
        search_paths=tuple(recording.search_paths[n] for n in numbers),
    )


def detected(recording: Recording) -> Detected:
    """Return the dialect of a recording, and why.

    Raises:
        SqlError: A SQL file cannot be read as text.
    """
    said = {kind.dialect: kind for kind in recording.formats if kind.dialect is not None}
    for dialect, kind in said.items():
        return Detected(dialect=dialect, reason=f"a {kind.name} is always in it")
    sample, dumps = _sample(recording)
    for path in dumps:
        told = banner(files.head(path).encode())
        if told is not None:
            return Detected(dialect=told, reason=f"{path.name} says that it is a dump")
    return detect(sample)


def _sample(recording: Recording) -> tuple[list[str], list[Path]]:
    """Return examples of templates from the starts of the files, and which of them are dumps."""
    normaliser = Normaliser(_ANY)
    found: dict[bytes, str] = {}
    dumps: list[Path] = []
    each = max(50, _SAMPLED_ENTRIES // len(recording.paths))
    for piece in recording.pieces():
        entries = FORMATS[piece.format].entries(piece, _ANY)
        try:
            for entry in islice(entries, each):
                if isinstance(entry, Entry):
                    found.setdefault(normaliser.digest(entry.sql), entry.sql)
                elif isinstance(entry, Rejected) and entry.kind == "load":
                    # Its data may be much to pass over, and tell nothing.
                    dumps.append(piece.path)
                    break
        except SqlError:
            # The rules of any dialect at once may not fit; the right ones will say what is wrong.
            continue
        if len(found) > 10 * _SAMPLED_TEMPLATES:
            break
    examples = [sql for key, sql in found.items() if key]
    return examples[:: max(1, len(examples) // _SAMPLED_TEMPLATES)][:_SAMPLED_TEMPLATES], dumps
