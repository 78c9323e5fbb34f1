"""DuckDB's own answer to a statement, as it is written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from time import perf_counter

import duckdb

from evaluation.store_protocol.carried import is_carried
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.duckdb.sessions import session_with
from workloads.errors import StoreError

_SETTINGS = ("SET TimeZone = 'UTC'", "SET enable_external_access = false")

_TOO_WIDE = ("HUGEINT", "UHUGEINT")
"""They have numbers of more digits than an engine's decimals."""


def own_answer(connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
    """Run `sql` in a session that only reads; StoreError for what fails or takes too long."""
    work = "its own answer cannot be had"
    with _session(connection, work) as session, _timed(connection, session, work, timeout_s):
        described = session.execute(f"DESCRIBE {sql}").fetchall()
        types = {f"c{number}": str(row[1]) for number, row in enumerate(described, start=1)}
        known = {
            name: type_ if is_carried(type_) and type_ not in _TOO_WIDE else "VARCHAR"
            for name, type_ in types.items()
        }
        columns = ", ".join(
            name if known[name] == type_ else f"CAST({name} AS VARCHAR) AS {name}"
            for name, type_ in types.items()
        )
        sent = f"SELECT {columns} FROM ({sql}\n) own({', '.join(types)})"  # noqa: S608 - as told
        return OwnAnswer(sql=sent, types=known, rows=session.execute(sent).fetchall())


def own_seconds(
    connection: Connection, sql: str, *, rounds: int, timeout_s: float
) -> Sequence[float]:
    """Run `sql` so often in a session that only reads; StoreError as `own_answer`."""
    work = "it cannot be run as it is written"
    seconds = []
    with _session(connection, work) as session:
        for _ in range(rounds):
            with _timed(connection, session, work, timeout_s):
                started = perf_counter()
                session.execute(sql).fetchall()
                seconds.append(perf_counter() - started)
    return seconds


@contextmanager
def _session(connection: Connection, work: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with session_with(connection, work, read_only=True) as session:
        for setting in _SETTINGS:
            session.execute(setting)
        yield session


@contextmanager
def _timed(
    connection: Connection, session: duckdb.DuckDBPyConnection, work: str, timeout_s: float
) -> Iterator[None]:
    """Interrupt what still runs after so many seconds."""
    late = Timer(timeout_s, session.interrupt)
    late.daemon = True
    late.start()
    try:
        yield
    except duckdb.InterruptException:
        raise StoreError(connection.store, f"{work} (not done after {timeout_s:g} s).") from None
    finally:
        late.cancel()
