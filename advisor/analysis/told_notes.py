"""Notes are told once a project: later commands say in one line that they are as before."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress

from advisor.analysis.analysis import Analysis
from advisor.analysis.notes import notes
from advisor.figures import counted
from advisor.project.project import Project
from workloads.errors import SetUpError
from workloads.whole_files import write_whole

FILE = "told_notes"
MOST_KEPT = 100
"""Notes with figures change with the workload: the record keeps the latest."""
DIGITS = 16


def tell_notes(
    project: Project,
    analysis: Analysis,
    tell: Callable[[str], None],
    more: Iterable[str] = (),
    *,
    again: bool = False,
) -> None:
    """Tell the notes on an analysis, and `more`, that the project's user has not been told yet.

    `tell` is called with each of them, and with one line for all others; `again` tells all. A
    record that cannot be read or written only means that notes are told again.
    """
    before = _told(project)
    texts = {_digest(note): note for note in (*notes(analysis), *more)}
    fresh = [digest for digest in texts if again or digest not in before]
    for digest in fresh:
        tell(texts[digest])
    if as_before := len(texts) - len(fresh):
        shows = "shows it" if as_before == 1 else "shows them"
        tell(f"{counted(as_before, 'note')} as before: `advisor analyze` {shows}.")
    if not texts.keys() <= set(before):
        _record(project, [*texts, *(digest for digest in before if digest not in texts)])


def tell_once(project: Project, note: str, tell: Callable[[str], None]) -> None:
    """Tell a note that is not on an analysis, unless the project's user has been told it."""
    before = _told(project)
    digest = _digest(note)
    if digest not in before:
        tell(note)
        _record(project, [digest, *before])


def _told(project: Project) -> tuple[str, ...]:
    """Return the digests of the notes told so far, the latest first; none where none is read."""
    try:
        file = project.folder / FILE
        if not file.is_file():
            return ()
        with file.open("rb") as stream:
            content = stream.read(MOST_KEPT * (DIGITS + 1))
    except (OSError, SetUpError):
        return ()
    words = content.decode("ascii", errors="replace").split()
    return tuple(word for word in words if len(word) == DIGITS)


def _record(project: Project, digests: list[str]) -> None:
    if not project.stores:  # paths without a project file: no later command is of them
        return
    with suppress(OSError, SetUpError):  # the next command tells the notes again
        project.folder.mkdir(parents=True, exist_ok=True)
        file = project.folder / FILE
        if file.is_file() or not file.exists():  # a pipe would be waited for
            write_whole(file, "".join(f"{digest}\n" for digest in digests[:MOST_KEPT]))


def _digest(note: str) -> str:
    return hashlib.sha256(note.encode(errors="surrogateescape")).hexdigest()[:DIGITS]
