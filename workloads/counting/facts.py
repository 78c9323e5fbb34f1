"""Who ran a recorded statement, where, with which program and when, as far as its record says."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?)?"
    r"(?: ?(?P<zone>Z|UTC|GMT)"
    r"| ?(?P<sign>[+-])(?P<hours>\d\d)(?::?(?P<minutes>\d\d))?| ?[A-Za-z]\S*)?"
)
_SHORT = re.compile(r"(\d\d)(\d\d)(\d\d) +(\d{1,2}):(\d\d):(\d\d)")
_NUMBER = re.compile(r"\d{9,20}(?:\.\d+)?")
# Seconds since 1970 up to the year 5138; more are milliseconds, and then microseconds.
_MOST_SECONDS, _MOST_MILLISECONDS = 1e11, 1e14


class Facts(NamedTuple):
    """The facts that a record has of an execution; None where it says nothing.

    `moment` is the time as the source writes it, which `moment_of` reads.
    """

    user: str | None = None
    database: str | None = None
    application: str | None = None
    moment: object = None


UNKNOWN = Facts()


def fact(value: object) -> str | None:
    """Return a name that a source writes; None for an empty one, and for PostgreSQL's unknown."""
    return None if value is None else _named(str(value))


@lru_cache(maxsize=10_000)
def _named(text: str) -> str | None:
    text = text.strip()
    return None if text in ("", "[unknown]", "NULL") else text


def moment_of(value: object) -> datetime | None:
    """Return the time that a source writes, in its own zone if it names one by its offset or UTC.

    Other zones (CEST) are abbreviations that do not say which offset they have: such a time has
    none, like one that comes without a zone. Numbers are seconds, milliseconds or microseconds
    since 1970.
    """
    try:
        if isinstance(value, datetime):
            return value
        if isinstance(value, date):
            return datetime.combine(value, time())
        text = str(value).strip()
        if found := _ISO.fullmatch(text):
            return _iso(found)
        if found := _SHORT.fullmatch(text):
            year, *others = map(int, found.groups())
            return datetime(2000 + year, *others)  # type: ignore[arg-type] # noqa: DTZ001
        return _since_1970(float(text)) if _NUMBER.fullmatch(text) else None
    except (ValueError, OverflowError, OSError):
        return None


def _iso(found: re.Match[str]) -> datetime:
    day, clock, fraction = found[1], found[2] or "00:00", (found[3] or "").ljust(6, "0")[:6]
    seconds = clock if clock.count(":") > 1 else f"{clock}:00"
    moment = datetime.fromisoformat(f"{day} {seconds}.{fraction}")
    if found["zone"]:
        return moment.replace(tzinfo=UTC)
    if not found["hours"]:
        return moment
    offset = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0))
    return moment.replace(tzinfo=timezone(-offset if found["sign"] == "-" else offset))


def _since_1970(number: float) -> datetime:
    if number > _MOST_MILLISECONDS:
        number /= 1e6
    elif number > _MOST_SECONDS:
        number /= 1e3
    return datetime.fromtimestamp(number, tz=UTC)
