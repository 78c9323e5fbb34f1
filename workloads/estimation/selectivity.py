"""Shares of rows (0..1) that conditions keep.

Where common values or a histogram are known, they tell (`value_shares`). Otherwise formulas and
defaults are those of System R (Selinger et al., "Access Path Selection in a Relational Database
Management System", SIGMOD 1979, table 1): values are uniform between minimum and maximum. Columns
are independent.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Literal

from workloads.catalog import Column, Value
from workloads.estimation.value_shares import equal_share, other_share, pattern_share, range_share
from workloads.footprint import ColumnRef, Filter

EQUALITY_DEFAULT = 1 / 10
"""System R: column = value, of whose column nothing is known."""
RANGE_DEFAULT = 1 / 3
"""System R: column > value, where it cannot be interpolated."""
BETWEEN_DEFAULT = 1 / 4
"""System R: column BETWEEN low AND high, where it cannot be interpolated."""
BETWEEN_COLUMNS_DEFAULT = 0.005
"""PostgreSQL: column BETWEEN two values of which nothing is known (DEFAULT_RANGE_INEQ_SEL)."""
LIKE_DEFAULT = 1 / 10
"""Ours: a pattern is taken to be as selective as an equality of which nothing is known."""
OTHER_DEFAULT = 1 / 3
"""Ours: any other condition; System R's for an inequality."""

ColumnOf = Callable[[ColumnRef], Column | None]
Combine = Callable[[Iterable[float]], float]

_DISCRETE = ("DATE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_DAY = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def independent(shares: Iterable[float]) -> float:
    """Share of a conjunction of independent conditions: the product."""
    return math.prod(shares)


def backed_off(shares: Iterable[float]) -> float:
    """Share of a conjunction by exponential backoff, for conditions that depend on each other.

    s1 · s2^(1/2) · s3^(1/4) · s4^(1/8), the most selective first (SQL Server 2014's estimator).
    """
    most_selective = sorted(shares)[:4]
    return math.prod(math.pow(share, 0.5**rank) for rank, share in enumerate(most_selective))


def disjunction(shares: Iterable[float]) -> float:
    """Share of a disjunction by inclusion and exclusion of independent conditions."""
    return 1 - math.prod(1 - share for share in shares)


def merged(filters: Iterable[Filter]) -> tuple[Filter, ...]:
    """Return `filters` with all ranges of one column intersected: two ends are one condition."""
    ranges: dict[ColumnRef, list[Filter]] = defaultdict(list)
    rest = []
    for condition in filters:
        if condition.kind == "range" and len(condition.columns) == 1:
            ranges[condition.columns[0]].append(condition)
        else:
            rest.append(condition)
    return (*rest, *(_intersection(found) for found in ranges.values()))


def share(condition: Filter, column_of: ColumnOf, combine: Combine = independent) -> float:
    """Return the share of rows that `condition` keeps; `combine` is for conjunctions inside it."""
    if not condition.columns:  # a constant such as TRUE, or a subquery of its own
        return 1.0
    if condition.alternatives:
        arms = [
            combine([share(part, column_of, combine) for part in merged(arm)])
            for arm in condition.alternatives
        ]
        if condition.kind != "not":
            return disjunction(arms)
        return max(0.0, 1 - _null_share(condition, column_of) - disjunction(arms))
    if len(condition.ordered) > 1:
        return BETWEEN_COLUMNS_DEFAULT
    column = column_of(condition.columns[0]) if len(condition.columns) == 1 else None
    return max(0.0, min(1.0, _simple(condition, column)))


def null_test(condition: Filter) -> Literal["null", "not_null"] | None:
    """Return what a condition asks of NULL, also where it says it by negation."""
    if condition.kind in ("null", "not_null"):
        return condition.kind
    if condition.kind == "not" and [len(arm) for arm in condition.alternatives] == [1]:
        match null_test(condition.alternatives[0][0]):
            case "null":
                return "not_null"
            case "not_null":
                return "null"
    return None


def number(value: str | float | None, type_: str) -> float | None:
    """Return a constant on the scale of a column's minimum and maximum; None if it has none."""
    if value is None or isinstance(value, float | int):
        return value
    if type_.startswith(("DATE", "TIMESTAMP")):
        return _days(value)
    try:
        return None if type_ == "VARCHAR" else float(value)
    except ValueError:
        return None


def is_discrete(type_: str) -> bool:
    """Whether neighbouring values of a type differ by one."""
    return type_.removeprefix("U") in _DISCRETE


def _simple(condition: Filter, column: Column | None) -> float:
    nulls = column.statistics.null_share if column and column.statistics else 0.0
    match condition.kind:
        case "null":
            return nulls if column and column.statistics else EQUALITY_DEFAULT
        case "not_null":
            return 1 - nulls
        case "like":
            return _like(condition.values, column)
        case "eq" | "in":
            return _membership(condition.values, column)
        case "range":
            return _in_range(condition.values, column)
        case _:
            return OTHER_DEFAULT


def _like(values: Sequence[str | float | None], column: Column | None) -> float:
    known = column.statistics if column else None
    if known is None:
        return LIKE_DEFAULT
    pattern = values[0] if values else None
    found = pattern_share(known, pattern) if isinstance(pattern, str) else None
    return (1 - known.null_share) * LIKE_DEFAULT if found is None else found


def _membership(values: Sequence[str | float | None], column: Column | None) -> float:
    """Several constants: their number / distinct, leaving out those beyond minimum and maximum."""
    several = list(dict.fromkeys(values)) if None not in values else list(values)
    if column is None or column.statistics is None or not column.statistics.distinct:
        return min(1 / 2, len(several) * EQUALITY_DEFAULT)
    known = column.statistics
    total = 0.0
    for value in several:
        point = on_scale(value, column.type)
        outside = (
            isinstance(point, float | int)
            and known.minimum is not None
            and known.maximum is not None
            and not known.minimum <= point <= known.maximum
        )
        if outside:
            continue
        if value is None or not known.common:
            # As PostgreSQL's var_eq_non_const: a constant that is not known may be any value.
            total += (1 - known.null_share) / known.distinct
        else:
            total += other_share(known) if point is None else equal_share(known, point)
    return total


def _in_range(values: Sequence[str | float | None], column: Column | None) -> float:
    if column is None or column.statistics is None:
        return _range(values, column)
    known = column.statistics
    ends = [on_scale(value, column.type) for value in values]
    if all(end is not None or value is None for end, value in zip(ends, values, strict=True)):
        found = range_share(known, ends[0], ends[1])
        if found is not None:
            return found
    return (1 - known.null_share) * _range(values, column)


def on_scale(value: str | float | None, type_: str) -> Value | None:
    """Return a constant as statistics hold it: as a number, or for a text column as text."""
    if type_ == "VARCHAR":
        return value if isinstance(value, str) else None
    return number(value, type_)


def _range(values: Sequence[str | float | None], column: Column | None) -> float:
    """Linear interpolation between minimum and maximum."""
    low_value, high_value = values
    default = RANGE_DEFAULT if None in values else BETWEEN_DEFAULT
    if column is None or column.statistics is None:
        return default
    least, most = column.statistics.minimum, column.statistics.maximum
    low, high = number(low_value, column.type), number(high_value, column.type)
    if least is None or most is None or (low is None and high is None):
        return default
    start = least if low is None else max(low, least)
    end = most if high is None else min(high, most)
    if end < start:
        return 0.0
    step = 1.0 if is_discrete(column.type) else 0.0
    span = most - least + step
    return (end - start + step) / span if span > 0 else 1.0


def _intersection(ranges: Sequence[Filter]) -> Filter:
    if len(ranges) == 1:
        return ranges[0]
    lows = [r.values[0] for r in ranges if r.values[0] is not None]
    highs = [r.values[1] for r in ranges if r.values[1] is not None]
    # Constants of one column are all text or all numbers; dates as text order as dates do.
    low = max(lows, key=_order) if lows else None
    high = min(highs, key=_order) if highs else None
    return replace(ranges[0], values=(low, high))


def _order(value: str | float) -> tuple[float, str]:
    return (0.0, value) if isinstance(value, str) else (value, "")


def _null_share(condition: Filter, column_of: ColumnOf) -> float:
    column = column_of(condition.columns[0]) if len(condition.columns) == 1 else None
    if column is None or column.statistics is None:
        return 0.0
    return column.statistics.null_share


def _days(text: str) -> float | None:
    """Return the days since 1970-01-01 of a date or a time, also of one like '1998-8-04'."""
    day = _DAY.fullmatch(text)
    try:
        if day is not None:
            year, month, number_ = (int(part) for part in day.groups())
            return float((date(year, month, number_) - _EPOCH.date()).days)
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH).total_seconds() / 86_400
