"""A workload from whatever it was recorded in: SQL files, query logs, servers' logs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from workloads.counting.counting import EVERYTHING, Counting
from workloads.errors import ConfigurationError
from workloads.folding import processes
from workloads.folding.lexis import Lexis
from workloads.folding.templates import ClashError, Folding
from workloads.progress import Progress, Silent
from workloads.progress import Task as ProgressTask
from workloads.search_path import NOWHERE, Searching, SearchRules
from workloads.sources.joined import joined_workloads
from workloads.sources.logs.cutting import cut, tasks
from workloads.sources.logs.dialects import by_dialect
from workloads.sources.logs.formats import Task
from workloads.sources.logs.frequencies import SIDE_FILE, frequencies_of
from workloads.sources.logs.recording import Recording, recorded
from workloads.sources.logs.runners import Processes, Runner
from workloads.sql.parsing.lexis import lexis
from workloads.workload import FILTERED, NOT_THE_USERS, Skipped, Workload

# Less is folded sooner than a process has started.
_ALONE_BYTES = 12_000_000


def workload(
    paths: Path | Sequence[Path],
    dialect: str | None = None,
    *,
    frequencies: Path | None = None,
    counting: Counting = EVERYTHING,
    searching: Searching = NOWHERE,
    progress: Progress | None = None,
    runner: Runner | None = None,
) -> Workload:
    """Return what was recorded in files and folders, folded into templates.

    A statement with a name of its own (see `workloads.sources.logs.sql_files`) stays apart. Without
    `dialect` it is detected. `frequencies` is a CSV file of name and executions that replace the
    recorded ones; without it a ``frequencies.csv`` beside SQL files is taken. `counting` says which
    executions count; where its filters leave none the workload has no query. `searching` says what
    holds for sessions that say nothing of their search paths.

    Raises:
        ConfigurationError: A path is missing, is no log or holds no statement, a line, value or
            statement is too long, two statements have one name, the dialect is unknown, or a name
            in `frequencies` is.
        SqlError: A SQL file is not UTF-8, a string or comment in it does not end, or a number of
            executions in it is not a positive number.
        SetUpError: A worker process died.
    """
    progress = progress or Silent()
    roots = [paths] if isinstance(paths, Path) else list(paths)
    recording = recorded(roots, searching.by_source)
    parts = [(dialect, recording)] if dialect is not None else by_dialect(roots, recording)
    found = joined_workloads(
        [
            _part(part, own, _Rules(lexis(own), counting, searching.rules(own)), progress, runner)
            for own, part in parts
        ]
    )
    if not found.queries and not any(each.kind in FILTERED for each in found.skipped):
        raise ConfigurationError(_nothing(recording, found.skipped))
    side = frequencies or _side_file(recording)
    return found if side is None else replace(found, queries=frequencies_of(side, found.queries))


class _Rules(NamedTuple):
    """The rules by which the records of a dialect are read and folded."""

    lexis: Lexis
    counting: Counting
    searching: SearchRules


def _part(
    recording: Recording,
    dialect: str,
    rules: _Rules,
    progress: Progress,
    runner: Runner | None,
) -> Workload:
    """Return what was recorded in one dialect, as often as the recording itself says."""
    folding = _folded(recording, rules, progress, runner)
    skipped = folding.skipped(recording.origins)
    if not folding.templates and not any(each.kind in NOT_THE_USERS for each in skipped):
        raise ConfigurationError(_nothing(recording, skipped))
    servers = dict(zip(recording.origins, recording.formats, strict=True))
    return Workload(
        name=recording.name,
        dialect=dialect,
        queries=tuple(
            replace(query, system=servers[query.origin].dialect or "")
            for query in folding.queries(recording.origins)
        ),
        skipped=(*skipped, *_others(recording)),
        seen=folding.seen,
        older_executions=float(folding.older_executions) if folding.leaves_untold else 0.0,
    )


def _folded(
    recording: Recording,
    rules: _Rules,
    progress: Progress,
    runner: Runner | None,
) -> Folding:
    whole = recording.pieces()
    sizes = {piece.file: _bytes(piece.path) for piece in whole}
    if runner is None:
        is_small = sum(sizes.values()) <= _ALONE_BYTES
        runner = Processes(workers=1 if is_small else processes.cores())
    with progress.task("Reading the log") as task:
        pieces = cut(whole, sizes, runner)
        try:
            folding = _merged(tasks(pieces, sizes, *rules), runner, task)
            if folding.unsound:
                again = [piece for piece in pieces if piece.file not in folding.unsound]
                again += [piece for piece in whole if piece.file in folding.unsound]
                folding = _merged(tasks(again, sizes, *rules), runner, task)
        except ClashError as error:
            raise error.said(recording.origins) from error
    return folding


def _merged(whole: Sequence[Task], runner: Runner, progress: ProgressTask) -> Folding:
    folding = Folding()
    for each in runner.folded(whole):
        folding.absorb(each)
        progress.advance(each.records)
    return folding


def _bytes(path: Path) -> int:
    if path.is_dir():
        return sum(each.stat().st_size for each in path.iterdir())
    return path.stat().st_size


def _side_file(recording: Recording) -> Path | None:
    """Return the file of frequencies beside SQL files, if there is one."""
    for path, kind in zip(recording.paths, recording.formats, strict=True):
        beside = path.parent / SIDE_FILE
        if kind.name == "SQL file" and beside.is_file():
            return beside
    return None


def _nothing(recording: Recording, left: Sequence[Skipped]) -> str:
    where = ", ".join(recording.origins[:3])
    if not left:
        return f"There is no SQL statement in {where}."
    first = left[0]
    number = sum(each.statements for each in left)
    return (
        f"There is no SQL statement in {where}: {number:,} records were left out, the first in"
        f" {first.source}:{first.line}: {first.reason}."
    )


def _others(recording: Recording) -> list[Skipped]:
    reason = "it is no log that we know, and was not read"
    return [
        Skipped(source=str(path), line=1, reason=reason, kind="unrecorded", executions=0.0)
        for path in recording.others
    ]
