"""A server's rows and DuckDB's, without what the types of results alone make of them.

The tolerance, column by column:

- TRUE is 1, and a day is its midnight: MySQL has no truth values, PostgreSQL's DATE_TRUNC of a day
  is a moment.
- Whole numbers and decimals are equal or not, whatever their digits are written as: 1.50 is 1.5.
- Where either side has a number in floating point, both are compared as such, within 1e-9 relative.
  A quotient of PostgreSQL's NUMERIC has 16 digits or more, and is a DOUBLE in DuckDB. Where
  the server's are exact, what is below 1e-9 is 0.
- Standard deviations and variances of exact numbers are compared in seven digits: PostgreSQL gives
  a large one no places.
- Below 1e-12 a number in floating point is 0: that is what is left where terms cancel.
- REAL is compared in five digits: PostgreSQL sums it in as few.
- Text is equal or not.
- Where the statement divides or averages, decimals are compared in 15 digits: DuckDB divides them
  as DOUBLE.
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from tests.fuzzing.comparing import Answer, Row, wrong

_NOTHING = 1e-9
_CANCELLED = 1e-12
_DIGITS = 15


def difference(
    server: Answer, ours: Sequence[Row], *, sql: str = "", reals: Collection[int] = ()
) -> str | None:
    """Say how our rows differ from the server's; None if they do not.

    `reals` are the places of the server's columns of type REAL.
    """
    divided, spread = "/" in sql or "avg(" in sql, "stddev" in sql or "var" in sql
    width = len(server.rows[0]) if server.rows else 0
    if any(len(row) != width for row in ours) and server.rows:
        return f"{len(ours[0])} columns where {width} were expected"
    there = [[_plain(value) for value in row] for row in server.rows]
    here = [[_plain(value) for value in row] for row in ours]
    for place in range(width):
        columns = [row[place] for row in there], [row[place] for row in here]
        if any(isinstance(value, float) for column in columns for value in column):
            exact = not any(isinstance(value, float) for value in columns[0])
            digits = 5 if place in reals else 7 if exact and spread else None
            for rows in (there, here):
                for row in rows:
                    row[place] = _floating(row[place], exact=exact, digits=digits)
        elif divided:
            for rows in (there, here):
                for row in rows:
                    row[place] = _in_digits(row[place])
    return wrong(Answer(rows=there, ordered_by=server.ordered_by), Answer(rows=here))


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a day has no zone
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal) and value.is_finite():
        return value.normalize() + 0
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _floating(value: object, *, exact: bool, digits: int | None) -> object:
    if not isinstance(value, (int, float, Decimal)):
        return value
    found = float(f"{value:.{digits}g}") if digits else float(value)
    return 0.0 if abs(found) < (_NOTHING if exact else _CANCELLED) else found


def _in_digits(value: object) -> object:
    # A whole number may be a decimal on one side alone.
    if not isinstance(value, Decimal) or not value.is_finite():
        return value
    if value == value.to_integral_value():
        return value
    return Decimal(f"{value:.{_DIGITS - 1}e}").normalize() + 0
