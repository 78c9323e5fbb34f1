"""The SQL of a fragment that keys are sent along with."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice

MOST_SENT = 50_000
"""Keys of which more are not sent in the statement: they are a table of the store, or left out."""
MOST_RANGES = 4
"""Ranges without gaps, at most, that are sent instead of the keys in them."""


def restricted(
    sql: str,
    filters: Sequence[tuple[str, Sequence[object]]],
    bounds: Sequence[tuple[str, str, Sequence[object]]] = (),
    others: Sequence[str] = (),
) -> str:
    """Return a fragment's SQL with only the rows whose columns hold one of the values.

    `filters` are quoted columns with integers or dates, sorted and each once, `bounds` those that
    are in another relation to one of the values. No value lets no row through. A column of another
    type may hold what is between two of the values and gets through too. `others` are conditions
    that `between` and `found_by` return.
    """
    conditions = [
        _among(f"k.{quoted}", values) if values else "1 = 0" for quoted, values in filters
    ]
    conditions += [
        f"k.{quoted} {operator} {_literal(_loosest(operator, values))}" if values else "1 = 0"
        for quoted, operator, values in bounds
    ]
    conditions += others
    rows = f"SELECT k.* FROM ({sql}) k"  # noqa: S608 - written by us; values are numbers and dates
    return f"{rows} WHERE {' AND '.join(conditions)}"


def _among(column: str, values: Sequence[object]) -> str:
    """Return the condition that a column is one of the values, which are a few ranges or a list.

    A dimension's keys of a year or some hours follow one another: two comparisons say what a list
    does of thousands, which a store would parse, plan for and search for every row.
    """
    ranges = list(islice(_ranges(values), MOST_RANGES + 1))
    if len(ranges) > MOST_RANGES or len(values) <= 2 * len(ranges):
        return f"{column} IN ({', '.join(map(_literal, values))})"
    return _between(column, ranges)


def between(quoted: str, ranges: Sequence[tuple[object, object]]) -> str:
    """Return the condition that a column is within one of some ranges, both ends included."""
    return _between(f"k.{quoted}", ranges)


def found_by(quoted: str, select: str) -> str:
    """Return the condition that a column is one of the values of a query."""
    return f"k.{quoted} IN ({select})"


def _between(column: str, ranges: Sequence[tuple[object, object]]) -> str:
    found = [f"{column} BETWEEN {_literal(low)} AND {_literal(high)}" for low, high in ranges]
    return found[0] if len(found) == 1 else f"({' OR '.join(found)})"


def _ranges(values: Sequence[object]) -> Iterator[tuple[object, object]]:
    """Yield the first and the last of each range without gaps in sorted values."""
    first = last = values[0]
    for each in values[1:]:
        if each != _next(last):
            yield first, last
            first = each
        last = each
    yield first, last


def _next(value: object) -> object:
    if type(value) is date:
        return value + timedelta(days=1) if value < date.max else None
    return value + 1 if type(value) is int else None


def _loosest(operator: str, values: Sequence[object]) -> object:
    """Return the bound that lets all rows through that are in the relation to one of `values`."""
    choose = min if operator.startswith(">") else max
    return choose(values)  # type: ignore[type-var]


def can_be_sent(values: Sequence[object]) -> bool:
    """Whether there is a literal for each: what a derived table computes may be of any type."""
    return all(type(each) in (int, date) for each in values)


def _literal(value: object) -> str:
    if type(value) is date:
        return f"DATE '{value.isoformat()}'"
    if type(value) is int:
        return str(value)
    raise TypeError(f"a key of type {type(value).__name__} cannot be sent")
