"""Values that stores write as text, on the scale of the catalog's statistics."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime

from workloads.catalog import Value

Bucket = tuple[Value, Value, float]
"""The lower and upper bound of some rows, and their share of all."""

_WHOLE = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
)
_EPOCH = date(1970, 1, 1)
_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86_400


def is_number(type_: str) -> bool:
    """Tell whether statistics hold the values of one of DuckDB's types as numbers."""
    return (
        type_ in _WHOLE
        or type_ in {"FLOAT", "DOUBLE", "DATE", "BOOLEAN"}
        or type_.startswith(("DECIMAL", "TIMESTAMP"))
    )


def value(text: str, type_: str) -> Value | None:
    """Return what `text` says in a column of a type; None for what has no place on the scale.

    Those are infinite numbers and times, NaN, and days before the year 1.
    """
    if not is_number(type_):
        return text
    try:
        if type_ == "DATE":
            return float((date.fromisoformat(text) - _EPOCH).days)
        if type_.startswith("TIMESTAMP"):
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return (moment - _MOMENT).total_seconds() / _DAY_S
        if type_ == "BOOLEAN":
            return float(text in {"t", "true", "1"})
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def equal_heights(buckets: Sequence[Bucket]) -> tuple[Value, ...]:
    """Return bounds of as many buckets of equally many rows as there are `buckets`, ascending.

    Inside a bucket numbers are taken to be spread evenly; of text its lower bound is taken.
    """
    total = sum(share for _, _, share in buckets)
    if total <= 0:
        return ()
    bounds: list[Value] = [buckets[0][0]]
    position, before = 0, 0.0
    for step in range(1, len(buckets)):
        wanted = total * step / len(buckets)
        while position < len(buckets) - 1 and before + buckets[position][2] < wanted:
            before += buckets[position][2]
            position += 1
        low, high, share = buckets[position]
        if isinstance(low, str) or isinstance(high, str) or share <= 0:
            bounds.append(low)
        else:
            bounds.append(low + (high - low) * min(1.0, (wanted - before) / share))
    return (*bounds, buckets[-1][1])
