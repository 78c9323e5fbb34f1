"""The search path of one session, followed through its statements and transactions."""

from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from workloads.search_path import SearchPath
from workloads.sources.logs.path_changes import (
    PathChange,
    RoleChange,
    Scope,
    Transaction,
    path_change,
    transaction,
)

T = TypeVar("T")
NO_TRANSACTION = "/0"
"""Ends the number of a transaction that was over when PostgreSQL wrote the record."""
_UNSEEN = SearchPath(unknown="it was set for a transaction whose beginning the log does not have")

_PERHAPS = SearchPath(unknown="it was set by a statement that may have failed")


class _Variable(NamedTuple, Generic[T]):
    """Settings of the session, and in `local` those that hold to the end of the transaction."""

    session: T
    local: tuple[T] | None = None

    @property
    def now(self) -> T:
        return self.session if self.local is None else self.local[0]

    def after(self, value: T, scope: Scope) -> "_Variable[T]":
        return self._replace(local=(value,)) if scope == "local" else _Variable(value)


class _Values(NamedTuple):
    """The variables of a session: None is its usual path, and its own user."""

    path: _Variable[SearchPath | None] = _Variable(None)
    role: _Variable[str | None] = _Variable(None)

    def after(self, change: PathChange | RoleChange) -> "_Values":
        if isinstance(change, RoleChange):
            return self._replace(role=self.role.after(change.role, change.scope))
        found = self._replace(path=self.path.after(change.path, change.scope))
        return found._replace(role=_Variable(None)) if change.with_role else found

    @property
    def ended(self) -> "_Values":
        """The values after the transaction."""
        if self.path.local is None and self.role.local is None:
            return self
        return _Values(_Variable(self.path.session), _Variable(self.role.session))

    @property
    def is_local(self) -> bool:
        return self.path.local is not None or self.role.local is not None


_NOTHING = _Values()


@dataclass(slots=True)
class SessionState:
    """Where a session looks for tables. `usual` is its path before it sets one.

    With `has_lists` a string may name several schemas, as in DuckDB. Where the log has the numbers
    of transactions, they tell when one is over whose beginning it does not have.
    """

    usual: SearchPath | None = None
    has_lists: bool = False
    _now: _Values = _NOTHING
    _before: _Values = _NOTHING
    _begun: _Values | None = None
    _points: list[tuple[str, _Values]] = field(default_factory=list)
    _has_failed: bool = False
    _number: str = ""
    _text: str | None = None

    @classmethod
    def older(cls, usual: SearchPath | None, reason: str) -> "SessionState":
        """Return the state of a session whose first statements are not known."""
        unknown = _Values(path=_Variable(SearchPath(unknown=reason)))
        return cls(usual, _now=unknown, _before=unknown)

    @property
    def path(self) -> SearchPath | None:
        """Where tables are looked for now."""
        role = self._now.role.now
        found = self._now.path.now or self.usual
        return found if found is None or role is None else found.of(role)

    @property
    def is_plain(self) -> bool:
        """Whether the session has set nothing, and is in no transaction."""
        return self._begun is None and self._now == _NOTHING

    def begin_text(self, text: str, number: str = "", *, has_succeeded: bool) -> None:
        """Take note of the next text that the session sends, in the transaction `number`.

        With `has_succeeded` it is known not to fail.
        """
        is_over = bool(number) and (number != self._number or number.endswith(NO_TRANSACTION))
        if self._begun is None and self._now.is_local and is_over:
            self._now = self._now.ended
        self._number = number
        self._text = None if has_succeeded else text
        if self._begun is None:
            self._before = self._now

    def read(self, sql: str, detail: str = "") -> bool:
        """Take note of a statement; return whether it sets the path, or the role.

        `detail` has the values of its parameters.
        """
        found = transaction(sql)
        if found is not None:
            self._turn(found)
            return False
        change = path_change(sql, detail, has_lists=self.has_lists)
        if change is not None:
            self._change(change)
        return change is not None

    def end_text(self) -> None:
        """Take note that the text is over: of several statements, so is their transaction."""
        if self._begun is None and self._now.is_local and not self._number:
            # Either there was no transaction, or the log does not have its beginning.
            path = self._now.path.after(_UNSEEN, "local")
            self._now = self._now._replace(path=path)

    def fail(self, text: str) -> None:
        """Take note that a text failed: the last, or one that the log has not as a statement.

        It is "" where the log does not say which.
        """
        if self._begun is not None:
            self._has_failed = True
        elif self._text is not None and text == self._text:
            self._now = self._before
        elif self._text is not None and not text and self._now != self._before:
            self._now = self._now._replace(path=_Variable(_PERHAPS))

    def _change(self, change: PathChange | RoleChange) -> None:
        has_no_effect = change.scope == "local" and self._number.endswith(NO_TRANSACTION)
        if not (has_no_effect and self._begun is None):
            self._now = self._now.after(change)

    def _turn(self, found: Transaction) -> None:
        if found.kind == "begin":
            if self._begun is None:
                self._begin()
        elif found.kind == "save":
            self._points.append((found.savepoint, self._now))
        elif found.kind == "back":
            self._go_back(found.savepoint)
        else:
            fails = found.kind == "rollback" or self._has_failed
            values = self._begun if fails and self._begun is not None else self._now
            self._now = values.ended
            self._begun, self._has_failed = None, False
            if found.is_chained:
                self._begin()

    def _begin(self) -> None:
        self._now = self._now.ended
        self._begun, self._has_failed = self._now, False
        self._points.clear()

    def _go_back(self, savepoint: str) -> None:
        for place in reversed(range(len(self._points))):
            name, values = self._points[place]
            if name == savepoint:
                self._now, self._has_failed = values, False
                del self._points[place + 1 :]
                return
