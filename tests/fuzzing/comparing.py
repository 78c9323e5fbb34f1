"""Whether rows are those that DuckDB gives, told by code that shares nothing with the judge's.

Where both look at an answer, as in `on_stores`, a judge that is too lenient shows.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

RELATIVE = 1e-9
"""Doubles that are summed in another order differ by so much at most."""

Row = Sequence[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The rows of a result; `ordered_by` are the columns whose sequence the statement fixes."""

    rows: Sequence[Row]
    ordered_by: tuple[int, ...] = ()


def wrong(expected: Answer, actual: Answer) -> str | None:
    """Say how `actual` differs from `expected`; None if it does not."""
    if len(expected.rows) != len(actual.rows):
        return f"{len(actual.rows)} rows where {len(expected.rows)} were expected"
    said = _wrong_multiset(expected.rows, actual.rows)
    if said is not None or not expected.ordered_by:
        return said
    for number, (one, other) in enumerate(zip(expected.rows, actual.rows, strict=True)):
        keys, others = ([row[place] for place in expected.ordered_by] for row in (one, other))
        if not _same_row(keys, others):
            return f"row {number} has {_shown(others)} where {_shown(keys)} is next in the order"
    return None


def _wrong_multiset(expected: Sequence[Row], actual: Sequence[Row]) -> str | None:
    left: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in actual:
        left[_exact_part(row)].append(row)
    for row in expected:
        candidates = left.get(_exact_part(row), [])
        partner = next((each for each in candidates if _same_row(row, each)), None)
        if partner is None:
            rest = [each for found in left.values() for each in found]
            near = min(rest, key=lambda each: _distance(row, each), default=None)
            return f"no row {_shown(row)}; the nearest is {_shown(near) if near else 'none'}"
        candidates.remove(partner)
    return None


def _distance(one: Row, other: Row) -> int:
    return sum(not _same(a, b) for a, b in zip(one, other, strict=False))


def _exact_part(row: Row) -> tuple[object, ...]:
    return tuple("float" if isinstance(value, float) else _normal(value) for value in row)


def _normal(value: object) -> object:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, (int, Decimal)):
        return Decimal(value) if isinstance(value, int) else value
    if isinstance(value, datetime):
        return ("ts", value.isoformat())
    if isinstance(value, date):
        return ("date", value.isoformat())
    return value if value is None else (type(value).__name__, repr(value))


def _same_row(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return one == other or math.isclose(one, other, rel_tol=RELATIVE)
    if isinstance(one, float) or isinstance(other, float):
        return False
    return _normal(one) == _normal(other)


def _shown(row: Row) -> str:
    return repr(tuple(row))[:300]
