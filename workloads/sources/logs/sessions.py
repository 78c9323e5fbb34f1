"""The search path of each statement of a log, told by what its session ran before."""

from collections.abc import Iterable, Iterator

from workloads.errors import SqlError
from workloads.folding.entries import Entry, Rejected, Session, SessionEvent
from workloads.folding.lexis import Lexis
from workloads.search_path import OLDER, USUAL, SearchPath, SearchRules
from workloads.sources.logs.path_changes import path_change
from workloads.sources.logs.session_state import SessionState
from workloads.sources.logs.sql_text import statements

_UNTOLD = SearchPath(unknown=OLDER)


def searched(
    records: Iterable[Entry | Rejected | SessionEvent],
    lexis: Lexis,
    rules: SearchRules,
    *,
    tells_sessions: bool,
) -> Iterator[Entry | Rejected]:
    """Yield the records with the path that each statement's tables were looked for on.

    A text of several statements is yielded statement by statement where they have several paths:
    their time together is then no one's. A statement whose session is not told, as none is without
    `tells_sessions`, may be of any session that sets a path.
    """
    sessions: dict[str, SessionState] = {}
    for record in records:
        if isinstance(record, Rejected):
            yield record
        elif isinstance(record, SessionEvent):
            _take_note(record, sessions)
        elif record.session is not None and record.session.id:
            for each in _followed(record, record.session, sessions, lexis):
                yield _settled(each, rules)
        elif record.session is None and tells_sessions:
            yield _settled(record, rules)
        else:
            change = path_change(record.sql)
            # The statement itself reads no table, so that any path suits it.
            path = _UNTOLD if change is None else SearchPath(is_whole=True)
            yield _settled(record._replace(path=path), rules)


def _settled(entry: Entry, rules: SearchRules) -> Entry:
    schema = entry.schema
    if rules.has_databases and not schema:
        schema = entry.facts.database or ""
    path = None if rules.has_databases else rules.path(entry.path, entry.facts.user)
    return entry._replace(path=path, schema=schema, session=None)


def _take_note(event: SessionEvent, sessions: dict[str, SessionState]) -> None:
    if event.kind == "over":
        sessions.pop(event.session.id, None)
    elif (state := sessions.get(event.session.id)) is not None:
        state.fail(event.text)


def _followed(
    entry: Entry, session: Session, sessions: dict[str, SessionState], lexis: Lexis
) -> Iterator[Entry]:
    """Yield a text with the path of its session, which goes on behind it."""
    state = sessions.get(session.id)
    if state is None:
        state = SessionState.older(USUAL, OLDER) if session.is_older else SessionState(USUAL)
    parts = _parts(entry, lexis)
    paths = []
    state.begin_text(entry.sql, session.transaction, has_succeeded=entry.total_ns is not None)
    for part in parts:
        paths.append(state.path)
        state.read(part.sql, session.detail)
    state.end_text()
    if session.is_older or not state.is_plain:
        sessions[session.id] = state
    else:
        # Most sessions never set a path, and a log may have millions.
        sessions.pop(session.id, None)
    if len(set(paths)) == 1:
        yield entry._replace(path=paths[0])
        return
    for part, path in zip(parts, paths, strict=True):
        yield part._replace(path=path, total_ns=None)


def _parts(entry: Entry, lexis: Lexis) -> list[Entry]:
    """Return the statements of a text, each as a record of its own."""
    if ";" not in entry.sql.rstrip("; \t\r\n"):
        return [entry]
    try:
        found = list(statements([entry.sql], lexis, ""))
    except SqlError:
        # What is wrong is said where the text is parsed.
        return [entry]
    return [entry._replace(sql=each.sql, column=entry.column + n) for n, each in enumerate(found)]
