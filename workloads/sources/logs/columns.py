"""Names of columns and keys in query logs, and the meaning of their values.

| meaning | names, in any case; the first that is there counts |
|---|---|
| the statement | sql, query, statement, query_text, sql_text, digest_text, text |
| how often | executions, calls, count, exec_count, execution_count, count_star, frequency |
| seconds, mean | latency_s, duration_s, elapsed_s, mean_latency_s, avg_latency_s, seconds |
| milliseconds, mean | latency_ms, duration_ms, elapsed_ms, mean_latency_ms, avg_latency_ms, mean_exec_time, mean_time |
| milliseconds of all executions | total_exec_time, total_latency_ms, total_duration_ms, total_time |
| seconds of all executions | total_latency_s, total_duration_s |
| picoseconds | avg_timer_wait (mean), sum_timer_wait (of all executions) |
| user | user, user_name, username, usename, user_email |
| database | database, database_name, dbname, datname, db, schema_name, catalog |
| application | application, application_name, app, program_name, client_application, source |
| time | started, started_at, start_time, starttime, query_start, created, created_at, creation_time, log_time, logged_at, timestamp, event_time, executed_at |
"""  # noqa: E501 - a table

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from workloads.counting.facts import Facts, fact
from workloads.folding.entries import NS_PER_S, Entry, Rejected, executions

STATEMENTS = ("sql", "query", "statement", "query_text", "sql_text", "digest_text", "text")
EXECUTIONS = (
    *("executions", "calls", "count", "exec_count", "execution_count", "count_star", "frequency"),
)
_S, _MS, _PS = float(NS_PER_S), 1e6, 1e-3
# Name → nanoseconds a unit, and whether the value is of all executions together.
LATENCIES: Mapping[str, tuple[float, bool]] = {
    **dict.fromkeys(("latency_s", "duration_s", "elapsed_s"), (_S, False)),
    **dict.fromkeys(("mean_latency_s", "avg_latency_s", "seconds"), (_S, False)),
    **dict.fromkeys(("latency_ms", "duration_ms", "elapsed_ms"), (_MS, False)),
    **dict.fromkeys(("mean_latency_ms", "avg_latency_ms"), (_MS, False)),
    **dict.fromkeys(("mean_exec_time", "mean_time"), (_MS, False)),
    "avg_timer_wait": (_PS, False),
    **dict.fromkeys(("total_latency_s", "total_duration_s"), (_S, True)),
    **dict.fromkeys(("total_exec_time", "total_latency_ms"), (_MS, True)),
    **dict.fromkeys(("total_duration_ms", "total_time"), (_MS, True)),
    "sum_timer_wait": (_PS, True),
}
USERS = ("user", "user_name", "username", "usename", "user_email")
DATABASES = (*("database", "database_name", "dbname", "datname", "db", "schema_name", "catalog"),)
APPLICATIONS = (
    *("application", "application_name", "app", "program_name", "client_application", "source"),
)
MOMENTS = (
    *("started", "started_at", "start_time", "starttime", "query_start", "created", "created_at"),
    *("creation_time", "log_time", "logged_at", "timestamp", "event_time", "executed_at"),
)
NO_SQL = "the record has no SQL"
_HIDDEN = "<insufficient privilege>"
"""The text that pg_stat_statements shows for other users' statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The places of a record's fields; None for a field that it lacks."""

    sql: int
    executions: int | None = None
    latency: int | None = None
    unit_ns: float = _S
    is_total: bool = False
    user: int | None = None
    database: int | None = None
    application: int | None = None
    moment: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """The places of all fields that are read."""
        read = (self.sql, self.executions, self.latency, *self._of_facts)
        return tuple(place for place in read if place is not None)

    @property
    def _of_facts(self) -> tuple[int | None, ...]:
        return self.user, self.database, self.application, self.moment

    def facts(self, record: Sequence[object]) -> Facts:
        """Return who ran a record's statement, where and when."""
        user, database, application, moment = self._of_facts
        return Facts(
            user=None if user is None else fact(record[user]),
            database=None if database is None else fact(record[database]),
            application=None if application is None else fact(record[application]),
            moment=None if moment is None else record[moment],
        )

    def entry(self, line: int, record: Sequence[object]) -> Entry | Rejected:
        """Return the record at a line (1-based) as a statement."""
        sql = record[self.sql]
        if not isinstance(sql, str) or sql.strip() in ("", _HIDDEN):
            return Rejected(line, NO_SQL, kind="unrecorded")
        times: int | Fraction = 1
        if self.executions is not None and record[self.executions] not in (None, ""):
            said = str(record[self.executions])
            number = executions(said)
            if number is None:
                return Rejected(line, "executions are not a positive number", said)
            times = number
        if self.latency is None or record[self.latency] in (None, ""):
            return Entry(line, sql, times, facts=self.facts(record))
        total_ns = nanoseconds(record[self.latency], self.unit_ns)
        if total_ns is None:
            return Rejected(line, "the latency is not a number", str(record[self.latency]))
        whole_ns = total_ns if self.is_total else total_ns * times
        return Entry(line, sql, times, whole_ns, facts=self.facts(record))


def columns(names: Sequence[str]) -> Columns | None:
    """Return where the columns called `names` have what; None if none is a statement."""
    places = {name.strip().lower(): place for place, name in reversed(list(enumerate(names)))}

    def first(known: Sequence[str]) -> int | None:
        return next((places[name] for name in known if name in places), None)

    sql = first(STATEMENTS)
    if sql is None:
        return None
    latency = next((name for name in LATENCIES if name in places), None)
    unit_ns, is_total = LATENCIES[latency] if latency else (_S, False)
    return Columns(
        sql=sql,
        executions=first(EXECUTIONS),
        latency=places[latency] if latency else None,
        unit_ns=unit_ns,
        is_total=is_total,
        user=first(USERS),
        database=first(DATABASES),
        application=first(APPLICATIONS),
        moment=first(MOMENTS),
    )


def nanoseconds(value: object, unit_ns: float) -> int | None:
    """Return a duration in whole nanoseconds; None if it is no number of at least 0."""
    try:
        found = float(str(value)) * unit_ns
    except (ValueError, OverflowError):
        return None
    return round(found) if math.isfinite(found) and found >= 0 else None
