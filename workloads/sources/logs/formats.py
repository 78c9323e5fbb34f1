"""The kinds of files that statements are recorded in, and folding them piece by piece.

Nothing here needs a parser, so that worker processes start fast.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from workloads.counting.counting import EVERYTHING, Counting
from workloads.counting.facts import moment_of
from workloads.errors import ConfigurationError
from workloads.folding.entries import Entry, Rejected, SessionEvent
from workloads.folding.lexis import Lexis
from workloads.folding.normalise import Normaliser
from workloads.folding.templates import Folding
from workloads.search_path import NO_RULES, SearchRules
from workloads.sources.logs import files
from workloads.sources.logs.mysql_log import MysqlGeneralLog, MysqlSlowLog
from workloads.sources.logs.pieces import Earlier, Format, Piece, UnsoundCutError
from workloads.sources.logs.postgresql_log import PostgresqlCsv, PostgresqlJson, PostgresqlText
from workloads.sources.logs.query_log import DelimitedLog, JsonLog, ParquetLog
from workloads.sources.logs.sessions import Sessions, searched
from workloads.sources.logs.spark_events import SparkEvents
from workloads.sources.logs.sql_files import SqlFile
from workloads.sources.logs.temporary_tables import TemporaryTables, with_temporary_tables
from workloads.sources.logs.trino_history import TrinoCsv, TrinoJson

# The first that recognises a file reads it.
_ALL: tuple[Format, ...] = (
    *(ParquetLog(), SparkEvents(), TrinoCsv(), TrinoJson(), PostgresqlCsv(), PostgresqlJson()),
    *(DelimitedLog(), JsonLog(), MysqlSlowLog(), MysqlGeneralLog(), PostgresqlText(), SqlFile()),
)
FORMATS: Mapping[str, Format] = {each.name: each for each in _ALL}


def recognised(path: Path) -> Format | None:
    """Return what kind of log is at `path`; None if it is none.

    Raises:
        ConfigurationError: It cannot be read.
    """
    if path.is_dir():
        found = FORMATS["Spark event log"]
        return found if found.recognises(path, "") else None
    if path.suffix.lower() == ".sql":
        return FORMATS["SQL file"]
    head = files.head(path)
    return next((each for each in _ALL if each.recognises(path, head)), None)


def not_recognised(path: Path) -> ConfigurationError:
    """Return what to say of a file that is no log."""
    head = files.head(path).lstrip("\ufeff \t\r\n")
    first = head.partition("\n")[0].strip()[:80]
    if not first:
        found = "it is empty"
    elif "\0" in first or "\ufffd" in first:
        found = "it is binary"
    elif first.startswith("["):
        found = "it is a JSON array: write one object a line, as jq -c '.[]' does"
    else:
        found = f"it starts with '{first}'"
    return ConfigurationError(
        f"{path} holds no statements that we know how to read: {found}. Expected one of"
        f" {', '.join(FORMATS)}; a table needs a column 'sql' or 'query'."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Pieces that one worker folds, by the rules of one dialect, of what counts and of paths."""

    pieces: tuple[Piece, ...]
    lexis: Lexis
    counting: Counting = EVERYTHING
    searching: SearchRules = NO_RULES


_normalisers: dict[Lexis, Normaliser] = {}


def fold(task: Task) -> Folding:
    """Fold pieces; files that were cut inside a value are named in the result's `unsound`.

    Raises:
        ClashError: Two statements have one name.
        ConfigurationError: A file cannot be read, or there are too many templates.
    """
    if task.lexis not in _normalisers:
        # One a process: it remembers what it has seen.
        _normalisers.clear()
        _normalisers[task.lexis] = Normaliser(task.lexis)
    normaliser = _normalisers[task.lexis]
    folding = Folding()
    log = _Log(task)
    for piece in task.pieces:
        if not log.goes_on_with(piece):
            log = _Log(task)
        try:
            folding.add(log.entries(piece), piece.file, normaliser, task.counting)
        except UnsoundCutError:
            folding.unsound.add(piece.file)
    return folding


class _Log:
    """A log whose files are read one after another, with what is known of its sessions."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._number = 0
        self._ended: datetime | None = None
        self._earlier = Earlier()
        self._sessions = Sessions(task.lexis)
        self._temporary: dict[str, TemporaryTables] = {}

    def goes_on_with(self, piece: Piece) -> bool:
        """Tell whether a file is of this log: it begins where the one before it ended, or later."""
        if not piece.log or piece.log != self._number:
            return False
        return self._ended is None or piece.began is None or piece.began >= self._ended

    def entries(self, piece: Piece) -> Iterator[Entry | Rejected]:
        """Yield the records of a file, each with what its session set before."""
        self._number = piece.log
        kind, lexis = FORMATS[piece.format], self._task.lexis
        rules = replace(self._task.searching, source=piece.search_path)
        recorded = kind.entries(replace(piece, earlier=self._earlier), lexis)
        hiding = with_temporary_tables(
            self._timed(recorded) if piece.log else recorded,
            lexis,
            tells_sessions=kind.tells_sessions,
            rolls_back=not rules.has_databases,
            sessions=self._temporary,
        )
        return searched(hiding, self._sessions, rules, tells_sessions=kind.tells_sessions)

    def _timed(
        self, recorded: Iterable[Entry | Rejected | SessionEvent]
    ) -> Iterator[Entry | Rejected | SessionEvent]:
        """Yield the records, and take note of the time of the last statement among them."""
        last: Entry | None = None
        for each in recorded:
            last = each if isinstance(each, Entry) else last
            yield each
        self._ended = time_of(last) if last is not None else self._ended


def time_of(entry: Entry) -> datetime | None:
    """Return the time of a statement in UTC, or on the log's own clock; None if it is not known."""
    found = moment_of(entry.facts.moment)
    if found is None or found.tzinfo is None:
        return found
    try:
        return found.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        # It is in the year 1 or 9999, and in UTC in one that no calendar here has.
        return None
