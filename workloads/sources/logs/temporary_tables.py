"""The temporary tables and views of each session of a log: they hide permanent ones.

What reads a view counts as its query: the view is written before the statement, as a CTE.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workloads.folding.entries import Entry, Rejected, SessionEvent
from workloads.folding.lexis import Lexis
from workloads.sources.logs.path_changes import may_matter, transaction
from workloads.sources.logs.sessions import parts_of
from workloads.temporary_tables import Made, dropped, made, renamed, with_views

_Tables = dict[str, Made]
"""Temporary tables and views by name, in the order in which they were made."""


def with_temporary_tables(
    records: Iterable[Entry | Rejected | SessionEvent],
    lexis: Lexis,
    *,
    tells_sessions: bool,
    rolls_back: bool,
    sessions: "dict[str, TemporaryTables]",
) -> Iterator[Entry | Rejected | SessionEvent]:
    """Yield the records with the temporary tables that each statement may name.

    A text of several statements is yielded statement by statement where one names some. Without
    `rolls_back`, as in MySQL, a rollback leaves temporary tables. `sessions` are those that have
    such tables: of earlier files of the log, and then of this one.
    """
    for record in records:
        if isinstance(record, Rejected):
            yield record
        elif isinstance(record, SessionEvent):
            if record.kind == "over":
                sessions.pop(record.session.id, None)
            elif (failed := sessions.get(record.session.id)) is not None:
                failed.fail(record.text)
            yield record
        else:
            session_id = record.session.id if record.session is not None else ""
            if not session_id and (record.session is not None or not tells_sessions):
                yield record
                continue
            session = sessions.get(session_id) or TemporaryTables(rolls_back=rolls_back)
            yield from session.followed(record, lexis)
            if session.is_plain:
                sessions.pop(session_id, None)
            else:
                sessions[session_id] = session


@dataclass(slots=True)
class TemporaryTables:
    """Those of a session, now and before its transaction and its last text."""

    rolls_back: bool
    _now: _Tables = field(default_factory=dict)
    _begun: _Tables | None = None
    _points: list[tuple[str, _Tables]] = field(default_factory=list)
    _text: str | None = None
    _before: _Tables = field(default_factory=dict)
    _has_failed: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it has no such tables, is in no transaction, and nothing of it may yet fail."""
        return not self._now and self._begun is None and not self._before

    def followed(self, entry: Entry, lexis: Lexis) -> list[Entry]:
        """Return the statements of a text, each with the tables that it may name."""
        small = entry.sql.lower()
        if not self._now and "temp" not in small and not may_matter(entry.sql):
            self._text, self._before = None, {}
            return [entry]
        self._text = entry.sql if entry.total_ns is None else None
        self._before = dict(self._now)
        parts = parts_of(entry, lexis)
        found = [self._read(part) for part in parts]
        if self._begun is None:
            self._end_transaction()
        if all(part.temporary is None for part in found):
            return [entry]
        return found if len(found) == 1 else [part._replace(total_ns=None) for part in found]

    def fail(self, text: str) -> None:
        """Take note that a text failed, "" where the log does not say which."""
        self._has_failed = self._begun is not None
        if self._text is not None and text in ("", self._text):
            self._now, self._text = self._before, None

    def _read(self, entry: Entry) -> Entry:
        """Take note of one statement, and return it with the tables that it may name."""
        sql = entry.sql
        new = made(sql)
        views = {name: each.cte for name, each in self._now.items() if each.cte}
        written = with_views(sql, views) if views and new is None else sql
        small = written.lower()
        hidden = self._now if written == sql else self._now.keys() - views.keys()
        named = tuple(sorted(name for name in hidden if name in small))
        if new is not None:
            # IF NOT EXISTS leaves a table that there is already.
            self._now = self._now | {new.name: new if new.cte else self._now.get(new.name, new)}
        elif (gone := dropped(sql)) is None:
            self._now = {}
        elif gone:
            self._now = {name: each for name, each in self._now.items() if name not in gone}
        elif (names := renamed(sql)) is not None and names[0] in self._now:
            self._rename(*names)
        else:
            self._turn(sql)
        if not named and new is None and written == sql:
            return entry
        return entry._replace(sql=written, temporary=named)

    def _rename(self, old: str, new: str) -> None:
        """Call a table otherwise. A view is only known to be there then."""
        self._now = {
            new if name == old else name: Made(new) if name == old else each
            for name, each in self._now.items()
        }

    def _turn(self, sql: str) -> None:
        """Follow a statement that begins or ends a transaction, or a part of one."""
        found = transaction(sql)
        if found is None:
            return
        if found.kind == "begin":
            self._begun = dict(self._now) if self._begun is None else self._begun
        elif found.kind == "save":
            self._points.append((found.savepoint, dict(self._now)))
        elif found.kind == "back":
            points = [tables for name, tables in self._points if name == found.savepoint]
            if points and self.rolls_back:
                self._now, self._has_failed = dict(points[-1]), False
        else:
            is_undone = found.kind == "rollback" or self._has_failed
            if is_undone and self._begun is not None and self.rolls_back:
                self._now = self._begun
            self._end_transaction()
            self._begun = dict(self._now) if found.is_chained else None

    def _end_transaction(self) -> None:
        self._now = {n: each for n, each in self._now.items() if not each.is_dropped_on_commit}
        self._points.clear()
        self._has_failed = False
