"""Sessions of stores' own drivers: logins that fail, and what ends while others wait."""

from dataclasses import replace
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.kinds import BACKENDS, JDBC
from evaluation.running import store_sessions
from evaluation.running.relations import JdbcSource
from evaluation.running.store_answer import is_small_statement
from evaluation.running.store_sessions import LoginFailedError, StoreSessions
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import SilentError, interrupted_by
from evaluation.store_protocol.whole_answers import FetchedRows
from tests.spark.runtime_queries import QUICK, whole
from tests.unit.placement.problems import changed

(FRAGMENT,) = whole("pg", QUICK).fragments
CONNECTION = Connection(store="pg", kind="postgresql", password="secret phrase")


@pytest.fixture
def sessions() -> StoreSessions:
    source = JdbcSource(options={}, carried=SimpleNamespace(sent=lambda sql, _: sql, arrives=()))
    return StoreSessions(connections={"pg": CONNECTION}, sources={"pg": source})


@pytest.fixture
def logins(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Sessions or errors that logins end with, the last one first."""
    left: list[Any] = []

    def answering(*_: object) -> Any:
        found = left.pop()
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(type(BACKENDS["postgresql"]), "answering", staticmethod(answering))
    return left


class Session:
    """A session that answers, and sets `ended` meanwhile where it is told to."""

    def __init__(self, ended: Event | None = None):
        self.ended, self.is_closed = ended, False

    def is_open(self, **_: object) -> bool:
        return True

    def fetched(self, *_: object) -> FetchedRows:
        if self.ended is not None:
            self.ended.set()
        return FetchedRows(kinds=("whole",), rows=[(1,)], execute_s=0.0, fetch_s=0.0)

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize("kind", sorted(BACKENDS))
def test_drivers_fetch_as_many_rows_as_their_kind_says(kind: str):
    connection = Connection(store="a", kind=kind)
    source = JdbcSource(options={}, carried=SimpleNamespace(arrives=()))
    is_sql = kind in JDBC
    sessions = StoreSessions(connections={"a": connection}, sources={"a": source} if is_sql else {})
    most = BACKENDS[kind].strength.most_driver_rows
    assert sessions.most_rows("a") == most
    few = FRAGMENT.fragment
    for rows, small in ((0.0, most > 0), (float(most), most > 0), (most + 1.0, False)):
        asked = replace(FRAGMENT, fragment=changed(few, rows_out=rows))
        assert is_small_statement(asked, most) == small


def test_a_login_that_failed_is_told_without_its_password_until_it_is_tried_again(
    sessions: StoreSessions, logins: list[Any], monkeypatch: pytest.MonkeyPatch
):
    logins[:] = [Session(), OSError("no secret phrase is known")]
    assert sessions.refusal("pg") == ""
    with pytest.raises(LoginFailedError):
        sessions.rows(FRAGMENT, 1 << 20)
    assert sessions.refusal("pg").startswith("Store 'pg': no ")
    assert "secret" not in sessions.refusal("pg")
    now = store_sessions.monotonic() + store_sessions.REFUSED_S + 1
    monkeypatch.setattr(store_sessions, "monotonic", lambda: now)
    assert sessions.refusal("pg") == ""
    table, _ = sessions.rows(FRAGMENT, 1 << 20)
    assert table.to_pydict() == {"n": [1]}


def test_a_login_that_was_interrupted_refuses_nothing(sessions: StoreSessions, logins: list[Any]):
    logins[:] = [OSError("interrupted")]
    ended = Event()
    ended.set()
    with pytest.raises(LoginFailedError):
        interrupted_by(ended).run(sessions.rows, FRAGMENT, 1 << 20)
    assert sessions.refusal("pg") == ""


def test_a_session_is_not_kept_for_whoever_has_ended(sessions: StoreSessions, logins: list[Any]):
    ended = Event()
    one, other = Session(ended), Session()
    logins[:] = [other, one]
    with pytest.raises(SilentError):
        interrupted_by(ended).run(sessions.rows, FRAGMENT, 1 << 20)
    assert one.is_closed
    sessions.rows(replace(FRAGMENT, view="again"), 1 << 20)
    assert not other.is_closed
    sessions.close()
    assert other.is_closed
