"""The statements that PostgreSQL's extension ``pg_stat_statements`` remembers."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import psycopg

from evaluation.live.postgresql_paths import RolePaths, of_one_text, role_paths
from evaluation.live.statements import Remembered, counted_there, gathered
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import Session, session_with
from workloads.counting.counting import Counting
from workloads.counting.facts import Facts
from workloads.counting.filters import Left
from workloads.counting.own import MARK, recognised
from workloads.errors import ConfigurationError
from workloads.search_path import SearchPath
from workloads.sql.left_out import describes_the_system
from workloads.workload import Query, Workload

_HIDDEN = "<insufficient privilege>"
_EXTENSION = f"""
SELECT {MARK} n.nspname, x.extversion FROM pg_catalog.pg_extension x
JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'pg_stat_statements'
"""  # noqa: S608 - a constant
# A statement has rows of its own for each of where it is called from.
_STATEMENTS = """
SELECT {mark} queryid, pg_catalog.pg_get_userbyid(userid), d.datname,
       max(query) FILTER (WHERE query <> '{hidden}'), sum(calls)::float8, sum({time}) / 1000
FROM {view} s JOIN pg_catalog.pg_database d ON d.oid = s.dbid
WHERE d.datname = current_database() AND calls > 0
GROUP BY queryid, userid, d.datname ORDER BY queryid, userid
"""
_HIDDEN_TEXT = "its text is hidden from this user, who needs the role pg_read_all_stats"
_OURS: Left = "own", "the account that the project logs in with ran what others run too"
_QUERIES = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES")
_TIME, _OLD_TIME, _FIRST_VERSION = "total_exec_time", "total_time", (1, 8)


def workload(connection: Connection, schema: str | None, counting: Counting) -> Workload:
    """Return what the current database ran; see `evaluation.live.live.Live.workload`."""
    with session_with(connection, "reading its statement statistics failed") as session:
        rows = [_Row(*row) for row in _statements(session, connection)]
        paths = role_paths(session, [(row.user, row.text) for row in rows])
    counting = counted_there(counting, connection, schema)
    wanted = counting.filters.user if counting.filters is not None else ()
    found = list(_remembered(rows, connection, wanted, _Paths(rows, paths)))
    found.sort(key=lambda each: -each.executions * each.latency_s)
    return gathered(connection, "postgres", found, counting, "pg_stat_statements")


class _Row(NamedTuple):
    """The calls of a statement by one user; `seconds` are of all of them."""

    queryid: int | None
    user: str
    database: str
    text: str | None
    calls: float
    seconds: float


class _Paths:
    """The search paths of statements: a text that is remembered twice is of two tables."""

    def __init__(self, rows: Iterable[_Row], roles: RolePaths) -> None:
        self._roles = roles
        self._statements: dict[tuple[str | None, SearchPath], set[int | None]] = {}
        for row in rows:
            key = row.text, roles.of(row.user)
            self._statements.setdefault(key, set()).add(row.queryid)

    def of(self, row: _Row) -> SearchPath:
        """Return the path of a user's statement."""
        path = self._roles.of(row.user)
        return of_one_text(path, len(self._statements[row.text, path]))

    def apart(self, rows: Iterable[_Row]) -> list[list[_Row]]:
        """Return the rows of one statement by their paths: since 18 they may be of other tables."""
        found: dict[SearchPath, list[_Row]] = {}
        for row in rows:
            found.setdefault(self.of(row), []).append(row)
        return list(found.values())


def _remembered(
    rows: Iterable[_Row], connection: Connection, wanted: Collection[str], paths: _Paths
) -> Iterator[Remembered]:
    """Yield each statement once a path, and apart what others than the `wanted` users ran.

    A run sends queries as users do, and the statistics keep the text that came first: only the
    account tells which of these executions are ours. An account that runs what nobody else does
    may be an application's, and all of its executions count.
    """
    rows = list(rows)
    ours = "" if wanted or _is_of_users(rows, connection) else connection.user
    for queryid, of_statement in groupby(rows, key=lambda row: row.queryid):
        of_all = list(of_statement)
        text = next((row.text for row in of_all if row.text is not None), None)
        of_wanted = [row for row in of_all if not wanted or row.user in wanted]
        others = [[row] for row in of_all if row not in of_wanted]
        apart: list[tuple[list[_Row], Left | None]] = [(each, None) for each in others]
        for of_path in paths.apart(of_wanted):
            users = [row for row in of_path if row.user != ours] or of_path
            apart.append((users, None))
            apart += [([row], _OURS) for row in of_path if row not in users]
        for several, left in apart:
            calls = sum(row.calls for row in several)
            yield Remembered(
                origin=f"{connection.store}:pg_stat_statements/{queryid}",
                sql=text or "",
                executions=calls,
                latency_s=sum(row.seconds for row in several) / calls,
                hidden=_HIDDEN_TEXT if text is None else "",
                path=paths.of(several[0]),
                facts=Facts(user=several[0].user, database=several[0].database),
                left=left,
            )


def _is_of_users(rows: Sequence[_Row], connection: Connection) -> bool:
    """Tell whether the account ran queries of its own: no advisor's, and nobody else's."""
    others = {row.queryid for row in rows if row.user != connection.user}
    return any(
        row.text is not None
        and row.queryid not in others
        and row.text.lstrip("( \n\t").upper().startswith(_QUERIES)
        and recognised(row.text, Facts(), ()) is None
        and not describes_the_system(Query(name="", sql=row.text, origin=""), "postgres")
        for row in rows
        if row.user == connection.user
    )


def _statements(session: Session, connection: Connection) -> list[tuple[Any, ...]]:
    found = session.execute(_EXTENSION.encode()).fetchone()
    if found is None:
        raise ConfigurationError(
            f"Store '{connection.store}' keeps no statement statistics in the database "
            f"'{connection.database}': add pg_stat_statements to shared_preload_libraries in "
            "postgresql.conf, restart the server, and run CREATE EXTENSION pg_stat_statements in "
            "that database."
        )
    schema, version = found
    known = tuple(int(part) for part in str(version).split(".")[:2])
    statement = _STATEMENTS.format(
        mark=MARK,
        hidden=_HIDDEN,
        view=f"{quoted(schema)}.pg_stat_statements",
        time=_TIME if known >= _FIRST_VERSION else _OLD_TIME,
    )
    try:
        return session.execute(statement.encode()).fetchall()
    except psycopg.errors.ObjectNotInPrerequisiteState:
        raise ConfigurationError(
            f"Store '{connection.store}' has the extension pg_stat_statements but does not run "
            "it: add it to shared_preload_libraries in postgresql.conf and restart the server."
        ) from None
