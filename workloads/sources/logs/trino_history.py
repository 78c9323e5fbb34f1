"""Trino's query history, as CSV or JSON lines.

An export of ``system.runtime.queries``, the answers of ``/v1/query`` or the events of an event
listener (QueryCompletedEvent), one a line. Queries that did not finish are counted and left out.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Literal

from workloads.counting.facts import Facts, fact
from workloads.folding.entries import NS_PER_S, Entry, Rejected
from workloads.folding.lexis import Lexis
from workloads.sources.logs import files
from workloads.sources.logs.columns import NO_SQL, nanoseconds
from workloads.sources.logs.delimited import header, records
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.query_log import first_object, objects

_DURATION = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{0,15})?)\s*(ns|us|µs|ms|s|m|h|d)\s*")
_UNIT_NS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": NS_PER_S,
    "m": 60 * NS_PER_S,
    "h": 3600 * NS_PER_S,
    "d": 86400 * NS_PER_S,
}
_STATES = ("state", "querystate", "query_state")
_ELAPSED = ("elapsedtime", "elapsed_time", "elapsed", "walltime", "wall_time", "executiontime")
_MILLISECONDS = ("elapsed_time_ms", "walltimemillis", "wall_time_millis", "wall_time_ms")
_STARTED = ("created", "createtime", "create_time", "started")
_ENDED = ("end", "endtime", "end_time", "ended")
_USERS = ("user", "session_user")
_DATABASES = ("catalog", "session_catalog")
_SCHEMAS = ("schema", "session_schema")
_APPLICATIONS = ("source", "session_source")
# Fields that lie in objects of their own in JSON.
_NESTED = ("metadata", "statistics", "querystats", "session", "context")
_ZONE = re.compile(r"\s*UTC$|Z$")


class TrinoCsv:
    """``trino --output-format CSV_HEADER --execute 'SELECT * FROM system.runtime.queries'``."""

    name = "Trino query history (CSV)"
    dialect = "trino"
    tells_sessions = True
    is_rotated = False
    cut: Literal["quoted lines"] = "quoted lines"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the columns are those of Trino's table of queries."""
        names = {name.strip().lower() for name in header(head, ",")}
        return {"query_id", "state", "query"} <= names

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the queries that finished."""
        names = [name.strip().lower() for name in header(files.head(piece.path), ",")]
        for each in records(piece, ","):
            if isinstance(each, Rejected):
                yield each
            else:
                line, values = each
                yield _entry(line, dict(zip(names, values, strict=False)))


class TrinoJson:
    """One JSON object a line: a row of the table, a query of ``/v1/query``, or an event."""

    name = "Trino query history (JSON lines)"
    dialect = "trino"
    tells_sessions = True
    is_rotated = False
    cut: Literal["lines"] = "lines"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the first object has a query with its state and identifier."""
        first = first_object(head)
        if first is None:
            return False
        fields = _flat(first)
        has_id = "queryid" in fields or "query_id" in fields
        return has_id and "query" in fields and any(name in fields for name in _STATES)

    def entries(self, piece: Piece, lexis: Lexis) -> Iterator[Entry | Rejected]:  # noqa: ARG002
        """Yield the queries that finished."""
        for each in objects(piece):
            if isinstance(each, Rejected):
                yield each
            else:
                line, found = each
                yield _entry(line, _flat(found))


def _flat(found: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of an event by their names in small letters, nested ones among them."""
    fields: dict[str, object] = {}
    for key, value in found.items():
        if key.lower() in _NESTED and isinstance(value, dict):
            fields |= {inner.lower(): each for inner, each in value.items()}
        else:
            fields[key.lower()] = value
    return fields


def _entry(line: int, fields: Mapping[str, object]) -> Entry | Rejected:
    state = str(_first(fields, _STATES) or "").upper()
    if state != "FINISHED":
        return Rejected(line, f"the query is {state or 'without a state'}", kind="unrecorded")
    sql = fields.get("query")
    if not isinstance(sql, str) or not sql.strip():
        return Rejected(line, NO_SQL, kind="unrecorded")
    user, database, application = (
        fact(_first(fields, names)) for names in (_USERS, _DATABASES, _APPLICATIONS)
    )
    facts = Facts(user, database, application, _time(_first(fields, _STARTED)))
    schema = fact(_first(fields, _SCHEMAS)) or ""
    return Entry(line, sql, 1, _elapsed_ns(fields), schema=schema, facts=facts)


def _elapsed_ns(fields: Mapping[str, object]) -> int | None:
    """Return how long a query took, from what the record has of it."""
    elapsed = _first(fields, _ELAPSED)
    if isinstance(elapsed, int | float):
        # Event listeners write durations as seconds.
        return nanoseconds(elapsed, NS_PER_S)
    found = _DURATION.fullmatch(str(elapsed)) if elapsed is not None else None
    if found is not None:
        return round(Fraction(found[1]) * _UNIT_NS[found[2]])
    milliseconds = str(_first(fields, _MILLISECONDS) or "")
    if re.fullmatch(r"[0-9]{1,15}", milliseconds):
        return int(milliseconds) * 10**6
    started, ended = (_time(_first(fields, names)) for names in (_STARTED, _ENDED))
    if started is None or ended is None or ended < started:
        return None
    took = ended - started
    return (took.days * 86_400 + took.seconds) * NS_PER_S + took.microseconds * 1_000


def _first(fields: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _time(value: object) -> datetime | None:
    """Return a point in time such as ``2024-05-01 10:00:00.123 UTC``, or in seconds since 1970."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, tz=UTC)
        found = datetime.fromisoformat(_ZONE.sub("+00:00", str(value).strip()))
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
