"""Distribution of a group's aggregates: how many groups HAVING keeps, what a result's column is.

Rows fall into groups at random: a group's size is Poisson distributed beyond the one row that it
has for certain, and its sum is a compound Poisson variable, taken to be normal, with mean n·E[x]
and variance n·E[x²].
"""

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import NormalDist

from workloads.catalog import Column, ColumnStatistics
from workloads.estimation.selectivity import independent, share
from workloads.footprint import ColumnRef, Filter
from workloads.measuring.distributions import BUCKETS, MOST_COMMON

_LARGE = 500.0
"""From this mean on, the normal distribution stands for Poisson's."""

ColumnOf = Callable[[ColumnRef], Column | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Mean and mean square of a column's values."""

    mean: float
    square: float


def kept_groups(having: Iterable[Filter], rows_per_group: float, column_of: ColumnOf) -> float:
    """Return the share of groups (0..1) that meet all conditions of HAVING.

    Of what is neither count, sum nor average nothing is known: System R's defaults (`selectivity`).
    """
    return independent(_kept(condition, rows_per_group, column_of) for condition in having)


def aggregated(
    aggregate: str | None, column: Column | None, rows_per_group: float
) -> ColumnStatistics | None:
    """Return statistics of a column that an aggregate makes; None where they are not known."""
    if aggregate == "count":
        return _sizes(rows_per_group)
    normal = _normal(aggregate, column, rows_per_group)
    if normal is None:
        return None
    bounds = [normal.inv_cdf(min(0.999, max(0.001, i / BUCKETS))) for i in range(BUCKETS + 1)]
    return ColumnStatistics(distinct=2**31, null_share=0.0, histogram=tuple(bounds))


def _kept(condition: Filter, rows_per_group: float, column_of: ColumnOf) -> float:
    low, high = _bounds(condition)
    if low is None and high is None:
        return share(condition, lambda _: None)
    if condition.aggregate == "count":
        return _count_between(low, high, max(0.0, rows_per_group - 1))
    column = column_of(condition.columns[0]) if len(condition.columns) == 1 else None
    normal = _normal(condition.aggregate, column, rows_per_group)
    if normal is None or condition.kind == "eq":
        return share(condition, lambda _: None)
    above = normal.cdf(high) if high is not None else 1.0
    return max(0.0, above - (normal.cdf(low) if low is not None else 0.0))


def _bounds(condition: Filter) -> tuple[float | None, float | None]:
    """Return the range that a condition asks for; (None, None) for none of numbers."""
    if condition.kind not in ("eq", "range"):
        return None, None
    values = [value for value in condition.values if not isinstance(value, str)]
    # One that no float can hold is infinite.
    finite = all(value is None or math.isfinite(value) for value in values)
    if len(values) != len(condition.values) or not finite:
        return None, None
    return (values[0], values[0]) if condition.kind == "eq" else (values[0], values[1])


def _normal(
    aggregate: str | None, column: Column | None, rows_per_group: float
) -> NormalDist | None:
    known = moments(column.statistics) if column and column.statistics else None
    if known is None or aggregate not in ("sum", "avg"):
        return None
    rows = max(1.0, rows_per_group)
    if aggregate == "sum":
        mean, variance = rows * known.mean, rows * known.square
    else:
        mean, variance = known.mean, (known.square - known.mean * known.mean) / rows
    # Squares of very large numbers are infinite.
    is_known = math.isfinite(mean) and math.isfinite(variance) and variance > 0
    return NormalDist(mean, math.sqrt(variance)) if is_known else None


def moments(known: ColumnStatistics) -> Moments | None:
    """Return the moments of a column of numbers, from its common values and histogram.

    Without them values are uniform between minimum and maximum.
    """
    weighted = [(float(v), s) for v, s in known.common if not isinstance(v, str)]
    if len(weighted) != len(known.common):
        return None
    bounds = [float(bound) for bound in known.histogram if not isinstance(bound, str)]
    rest = max(0.0, 1 - known.null_share - sum(s for _, s in weighted))
    if len(bounds) > 1:
        each = rest / (len(bounds) - 1)
        weighted += [((a + b) / 2, each) for a, b in itertools.pairwise(bounds)]
    elif not weighted and known.minimum is not None and known.maximum is not None:
        low, high = known.minimum, known.maximum
        return Moments(mean=(low + high) / 2, square=(low * low + low * high + high * high) / 3)
    total = sum(s for _, s in weighted)
    if total <= 0:
        return None
    return Moments(
        mean=sum(v * s for v, s in weighted) / total,
        square=sum(v * v * s for v, s in weighted) / total,
    )


def _sizes(rows_per_group: float) -> ColumnStatistics:
    mean = max(0.0, rows_per_group - 1)
    spread = math.sqrt(mean)
    low, high = max(0, math.floor(mean - 6 * spread)), math.ceil(mean + 6 * spread)
    step = max(1, (high - low) // MOST_COMMON)
    sizes = range(low, high + 1, step)
    shares = [_poisson(size + step - 1, mean) - _poisson(size - 1, mean) for size in sizes]
    common = [(float(size + 1), part) for size, part in zip(sizes, shares, strict=True)]
    return ColumnStatistics(
        distinct=len(common),
        null_share=0.0,
        minimum=1.0 + low,
        maximum=1.0 + high,
        common=tuple(sorted(common, key=lambda each: -each[1])),
    )


def _count_between(low: float | None, high: float | None, mean: float) -> float:
    """Return the probability that one more than a Poisson number of this mean is in a range."""
    above = _poisson(math.floor(high) - 1, mean) if high is not None else 1.0
    below = _poisson(math.ceil(low) - 2, mean) if low is not None else 0.0
    return max(0.0, above - below)


def _poisson(most: int, mean: float) -> float:
    """Return the probability of at most `most`."""
    if most < 0:
        return 0.0
    if mean > _LARGE:
        return NormalDist(mean, math.sqrt(mean)).cdf(most + 0.5)
    term = total = math.exp(-mean)
    for count in range(1, most + 1):
        term *= mean / count
        total += term
        if term < total * 1e-12 and count > mean:
            break
    return min(1.0, total)
