"""Column statistics from MariaDB's ANALYZE … PERSISTENT and MySQL's histograms."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import Any

import pymysql

from evaluation.live.scale import Bucket, equal_heights, value
from evaluation.stores.mysql.sessions import Execute
from workloads.catalog import ColumnStatistics, Value

# Of dates the widths are those of numbers such as 20240229, which are not those of days.
_DATED = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE")
_REFUSED = frozenset({1142, 1143, 1146, 1044, 1227})
_MARIADB = """
SELECT db_name, table_name, column_name, min_value, max_value, nulls_ratio, avg_length,
       avg_frequency, decode_histogram(hist_type, histogram)
FROM mysql.column_stats placement_advisor WHERE db_name IN %s
"""
_MYSQL = """
SELECT schema_name, table_name, column_name, histogram FROM information_schema.column_statistics
  placement_advisor
WHERE schema_name IN %s
"""

Place = tuple[str, str, str]
"""A column: its database, its table and its name."""

Written = str | bytes | Decimal | None
"""A value as the driver gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A store's statistics of a column. `width_bytes` is the mean over rows, None where unknown.

    `common` and `buckets` have shares of all rows; buckets hold what is neither NULL nor common.
    A negative `distinct` is a share of the rows that are not NULL.
    """

    distinct: float
    null_share: float
    width_bytes: float | None = None
    minimum: Value | None = None
    maximum: Value | None = None
    common: tuple[tuple[Value, float], ...] = ()
    buckets: tuple[Bucket, ...] = ()

    def of(self, rows: int) -> ColumnStatistics:
        """Return the statistics of a column of so many rows."""
        filled = rows * (1 - self.null_share)
        distinct = -self.distinct * filled if self.distinct < 0 else self.distinct
        ordered = sorted(self.common, key=lambda each: -each[1])
        return ColumnStatistics(
            distinct=round(min(filled, distinct)),
            null_share=self.null_share,
            minimum=self.minimum if isinstance(self.minimum, float) else None,
            maximum=self.maximum if isinstance(self.maximum, float) else None,
            common=tuple(ordered),
            histogram=equal_heights(self.buckets),
        )


def kept(execute: Execute, types: Mapping[Place, str], *, mariadb: bool) -> dict[Place, Known]:
    """Return what the store keeps of columns; nothing where its tables may not be read."""
    databases = sorted({place[0] for place in types})
    try:
        rows = execute(_MARIADB if mariadb else _MYSQL, (databases,))
    except pymysql.MySQLError as error:
        if error.args[0] in _REFUSED:
            return {}
        raise
    read: Callable[..., Known] = _of_mariadb if mariadb else _of_mysql
    found: dict[Place, Known] = {}
    for database, table, column, *values in rows:
        place = (_text(database), _text(table), _text(column))
        if place in types:
            found[place] = read(types[place], *values)
    return found


def _of_mariadb(  # noqa: PLR0917 - a row of mysql.column_stats
    type_: str,
    low: Written,
    high: Written,
    nulls: Decimal | None,
    length: Decimal | None,
    per_value: Decimal | None,
    histogram: Written,
) -> Known:
    null_share = float(nulls or 0)
    minimum, maximum = _value(low, type_), _value(high, type_)
    parts: Sequence[_Part] = ()
    written = _text(histogram)
    if written.startswith("{"):
        parts = _json_parts(json.loads(written)["histogram_hb"], type_)
    elif written and type_ not in _DATED and isinstance(minimum, float) and maximum is not None:
        parts = _width_parts(written, minimum, float(maximum))
    return Known(
        # Rows of a value on average; 0 where there is no value.
        distinct=-1.0 / float(per_value) if per_value else 0.0,
        null_share=null_share,
        width_bytes=None if length is None else float(length) * (1 - null_share),
        minimum=minimum,
        maximum=maximum,
        common=_common(parts, 1 - null_share),
        buckets=_buckets(parts, 1 - null_share),
    )


def _of_mysql(type_: str, histogram: Written) -> Known:
    found = json.loads(_text(histogram))
    null_share = float(found["null-values"])
    buckets = found["buckets"]
    singleton = found["histogram-type"] == "singleton"
    # Frequencies are cumulative, and shares of all rows, NULL or not.
    ends = [0.0, *(float(bucket[1 if singleton else 2]) for bucket in buckets)]
    parts = []
    for bucket, (before, end) in zip(buckets, pairwise(ends), strict=True):
        low = _value(bucket[0], type_)
        high = low if singleton else _value(bucket[1], type_)
        values = 1 if singleton else int(bucket[3])
        if low is not None and high is not None:
            parts.append(_Part(low=low, high=high, share=end - before, values=values))
    numbers = [v for part in parts for v in (part.low, part.high) if isinstance(v, float)]
    return Known(
        distinct=float(sum(part.values for part in parts)),
        null_share=null_share,
        minimum=min(numbers, default=None),
        maximum=max(numbers, default=None),
        common=_common(parts, 1.0),
        buckets=_buckets(parts, 1.0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One bucket of a store's histogram, with its number of different values."""

    low: Value
    high: Value
    share: float
    values: int


def _json_parts(buckets: Sequence[Mapping[str, Any]], type_: str) -> Sequence[_Part]:
    """Return MariaDB's JSON_HB: a bucket ends where the next starts, the last says where.

    A bound that its character set does not have is in hexadecimal (`start_hex`): it is not known.
    """
    starts = [_value(bucket.get("start"), type_) for bucket in buckets]
    ends = [*starts[1:], _value(buckets[-1].get("end"), type_) if buckets else None]
    return [
        _Part(
            low=low,
            # All rows of a bucket of one value have its lower bound.
            high=low if bucket["ndv"] == 1 else high,
            share=float(bucket["size"]),
            values=int(bucket["ndv"]),
        )
        for bucket, low, high in zip(buckets, starts, ends, strict=True)
        if low is not None and high is not None
    ]


def _width_parts(written: str, minimum: float, maximum: float) -> Sequence[_Part]:
    """Return MariaDB's SINGLE_PREC_HB and DOUBLE_PREC_HB: equal heights, widths as shares."""
    widths = [float(width) for width in written.split(",")]
    bounds = [minimum + (maximum - minimum) * min(1.0, end) for end in (0.0, *accumulate(widths))]
    return [
        _Part(low=low, high=high, share=1 / len(widths), values=2) for low, high in pairwise(bounds)
    ]


def _common(parts: Sequence[_Part], filled: float) -> tuple[tuple[Value, float], ...]:
    return tuple((part.low, part.share * filled) for part in parts if part.values == 1)


def _buckets(parts: Sequence[_Part], filled: float) -> tuple[Bucket, ...]:
    return tuple((p.low, p.high, p.share * filled) for p in parts if p.values != 1)


def _value(written: Written, type_: str) -> Value | None:
    if written is None:
        return None
    text = _text(written)
    if text.startswith("base64:"):
        text = base64.b64decode(text.rpartition(":")[2]).decode(errors="replace")
    return value(text, type_)


def _text(written: Written) -> str:
    if isinstance(written, bytes):
        return written.decode(errors="replace")
    return "" if written is None else str(written)
