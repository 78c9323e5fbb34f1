"""Shares of rows (0..1) whose value meets a condition, from common values and a histogram.

The formulas are PostgreSQL's (``eqsel``, ``scalarltsel`` and ``patternsel`` in
``utils/adt/selfuncs.c``): common values are looked up, and what is left of the rows is spread
evenly over the other distinct values, or over the histogram's buckets.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from workloads.catalog import ColumnStatistics, Value


def equal_share(known: ColumnStatistics, value: Value) -> float:
    """Return the share of rows that have `value`."""
    for common, share in known.common:
        if common == value:
            return share
    return other_share(known)


def other_share(known: ColumnStatistics) -> float:
    """Return the share of rows that have any one value that is not common."""
    others = known.distinct - len(known.common)
    return _rest(known) / others if others > 0 else 0.0


def range_share(known: ColumnStatistics, low: Value | None, high: Value | None) -> float | None:
    """Return the share of rows from `low` to `high`, both included; None if not known."""
    if not known.common and not known.histogram:
        return None
    found = sum(share for value, share in known.common if _within(value, low, high))
    if known.histogram:
        return found + _rest(known) * max(
            0.0, _below(known.histogram, high, 1.0) - _below(known.histogram, low, 0.0)
        )
    return found if known.distinct <= len(known.common) else None


def pattern_share(known: ColumnStatistics, pattern: str) -> float | None:
    """Return the share of rows whose text is LIKE `pattern`; None if not known.

    The histogram's bounds are taken for a sample of the values that are not common.
    """
    if not known.common and not known.histogram:
        return None
    matches = re.compile(_expression(pattern), re.DOTALL).fullmatch
    found = sum(share for value, share in known.common if matches(str(value)))
    if known.histogram:
        bounds = [str(bound) for bound in known.histogram]
        # As PostgreSQL: what none of a hundred bounds meets may still be met by some rows.
        part = sum(matches(bound) is not None for bound in bounds) / len(bounds)
        return found + _rest(known) * min(0.9999, max(0.0001, part))
    return found if known.distinct <= len(known.common) else None


def _rest(known: ColumnStatistics) -> float:
    """Share of the rows that are neither NULL nor common."""
    return max(0.0, 1 - known.null_share - sum(share for _, share in known.common))


def _within(value: Value, low: Value | None, high: Value | None) -> bool:
    try:
        return (low is None or low <= value) and (high is None or value <= high)  # type: ignore[operator]
    except TypeError:
        return False


def _below(bounds: Sequence[Value], value: Value | None, otherwise: float) -> float:
    """Return the share of a histogram's rows up to `value`; within a bucket of numbers linearly."""
    if value is None:
        return otherwise
    try:
        first, last = bisect_left(bounds, value), bisect_right(bounds, value)
    except TypeError:
        return otherwise
    buckets = len(bounds) - 1
    if buckets < 1:
        return float(last > 0)
    if last - first > 1:  # several bounds are this very value
        return (last - 1 if otherwise else first) / buckets
    if last == 0 or first > buckets:
        return 0.0 if last == 0 else 1.0
    start, end = bounds[last - 1], bounds[min(last, buckets)]
    inside = 0.5
    if isinstance(value, float | int) and isinstance(start, float | int):
        width = float(end) - start
        inside = (value - start) / width if width > 0 else 0.0
    elif value == start:
        inside = 0.0
    return min(1.0, (last - 1 + inside) / buckets)


def _expression(pattern: str) -> str:
    """Return a LIKE pattern as a regular expression.

    What stands between two ``%`` is matched where it first occurs and never again: the time would
    grow with the text's length to the power of their number.
    """
    first, *others = (
        "".join("." if character == "_" else re.escape(character) for character in part)
        for part in pattern.split("%")
    )
    if not others:
        return first
    return first + "".join(f"(?>.*?{part})" for part in others[:-1]) + f".*{others[-1]}"
