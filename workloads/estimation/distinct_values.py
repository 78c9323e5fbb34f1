"""Numbers of distinct values, from a sample or from formulas."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequencies:
    """A sample of `rows` rows: `distinct` values, `once` of them seen once."""

    rows: float
    distinct: float
    once: float


def groups(distinct: float, rows: float) -> float:
    """Return how many of `distinct` equally frequent values `rows` random rows have.

    Cardenas, "Analysis and performance of inverted data base structures", CACM 1975.
    """
    if distinct <= 1 or rows <= 0:
        return min(distinct, rows)
    return min(rows, -distinct * math.expm1(rows * math.log1p(-1 / distinct)))


def remaining(distinct: float, rows: float, kept: float) -> float:
    """Return how many of the `distinct` values of `rows` rows are left in `kept` of them.

    Each value has equally many rows, and a row is kept or not whatever its value
    (PostgreSQL's ``estimate_num_groups``, after Dell'Era, "Join Over Histograms", 2007).
    """
    if distinct <= 0 or kept >= rows:
        return distinct
    return distinct * -math.expm1(rows / distinct * math.log1p(-kept / rows))


def duj1(found: Frequencies, scale: float) -> float:
    """Return the distinct values of all rows, of which a sample holds one in `scale`.

    The first-order jackknife of Haas and Stokes, "Estimating the Number of Classes in a Finite
    Population", IBM Research Report RJ 10025, 1996, eq. 14, as in PostgreSQL's ANALYZE.
    """
    if not found.rows:
        return 0.0
    unseen = (1 - 1 / scale) * found.once / found.rows
    return found.distinct / (1 - unseen) if unseen < 1 else found.distinct * scale
