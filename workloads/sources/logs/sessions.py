"""The search path of each statement of a log, told by what its session ran before."""

from collections.abc import Iterable, Iterator

from workloads.errors import SqlError
from workloads.folding.entries import Entry, Rejected, Session, SessionEvent
from workloads.folding.lexis import Lexis
from workloads.search_path import OLDER, USUAL, SearchPath, SearchRules
from workloads.sources.logs.path_changes import may_matter, path_change
from workloads.sources.logs.session_state import SessionState
from workloads.sources.logs.sql_text import statements

_UNTOLD = SearchPath(unknown=OLDER)
_SET = SearchPath(is_whole=True)


def searched(
    records: Iterable[Entry | Rejected | SessionEvent],
    sessions: "Sessions",
    rules: SearchRules,
    *,
    tells_sessions: bool,
) -> Iterator[Entry | Rejected]:
    """Yield the records with the path that each statement's tables were looked for on.

    A text of several statements is yielded statement by statement where they have several paths:
    their time together is then no one's. A statement whose session is not told, as none is without
    `tells_sessions`, may be of any session that sets a path. `sessions` are those of earlier files
    of the log.
    """
    settled = _Settled(rules)
    for record in records:
        if isinstance(record, Rejected):
            yield record
        elif isinstance(record, SessionEvent):
            sessions.take_note(record)
        elif record.session is not None and record.session.id and not rules.has_databases:
            parts, paths = sessions.followed(record, record.session)
            if len(set(paths)) == 1:
                yield settled.of(record, paths[0])
            else:
                for part, path in zip(parts, paths, strict=True):
                    yield settled.of(part._replace(total_ns=None), path)
        elif tells_sessions and (record.session is None or rules.has_databases):
            yield settled.of(record, record.path)
        else:
            # The statement that sets a path reads no table, so that any path suits it.
            is_change = may_matter(record.sql) and path_change(record.sql) is not None
            yield settled.of(record, _SET if is_change else _UNTOLD)


_Key = tuple[SearchPath | None, str | None, str | None]


class _Settled:
    """Statements with the paths that rules make of what their sessions told."""

    def __init__(self, rules: SearchRules) -> None:
        self._rules = rules
        self._known: dict[_Key, SearchPath | None] = {}

    def of(self, entry: Entry, told: SearchPath | None) -> Entry:
        if self._rules.has_databases:
            schema = entry.schema or entry.facts.database or ""
            return entry if schema == entry.schema else entry._replace(schema=schema)
        key = told, entry.facts.user, entry.facts.database
        if key not in self._known:
            self._known[key] = self._rules.path(*key)
        path = self._known[key]
        return entry if path is entry.path else entry._replace(path=path)


class Sessions:
    """The sessions of a log that have set a path, are in a transaction, or are older than it.

    Most are neither, and a log may have millions.
    """

    def __init__(self, lexis: Lexis) -> None:
        self._lexis = lexis
        self._states: dict[str, SessionState] = {}

    def take_note(self, event: SessionEvent) -> None:
        """Follow a session whose text failed, or that begins or ends."""
        if event.kind == "over":
            self._states.pop(event.session.id, None)
        elif (state := self._states.get(event.session.id)) is not None:
            state.fail(event.text)

    def followed(
        self, entry: Entry, session: Session
    ) -> tuple[list[Entry], list[SearchPath | None]]:
        """Return the statements of a text, each with the path of its session."""
        state = self._states.get(session.id)
        matters = may_matter(entry.sql)
        if state is None:
            if not matters and not session.is_older:
                return [entry], [USUAL]
            state = SessionState.older(USUAL, OLDER) if session.is_older else SessionState(USUAL)
        state.begin_text(entry.sql, session.transaction, has_succeeded=entry.total_ns is not None)
        if not matters:
            self._keep(session, state)
            return [entry], [state.path]
        parts, paths = parts_of(entry, self._lexis), []
        for part in parts:
            paths.append(state.path)
            state.read(part.sql, session.detail)
        state.end_text()
        self._keep(session, state)
        return parts, paths

    def _keep(self, session: Session, state: SessionState) -> None:
        if session.is_older or not state.is_plain:
            self._states[session.id] = state
        else:
            self._states.pop(session.id, None)


def parts_of(entry: Entry, lexis: Lexis) -> list[Entry]:
    """Return the statements of a text, each as a record of its own."""
    if ";" not in entry.sql.rstrip("; \t\r\n"):
        return [entry]
    try:
        found = list(statements([entry.sql], lexis, ""))
    except SqlError:
        # What is wrong is said where the text is parsed.
        return [entry]
    return [entry._replace(sql=each.sql, column=entry.column + n) for n, each in enumerate(found)]
