"""Between which days a value lies, as far as the catalog and the SQL tell."""

from collections.abc import Callable
from datetime import date

from sqlglot import exp

from workloads.catalog import Catalog

Days = tuple[float, float]
"""The first and the last day that a value may be, in days since 1970-01-01."""
_EPOCH = date(1970, 1, 1)
EVERYWHERE: Days = (float((date.min - _EPOCH).days), float((date.max - _EPOCH).days))
"""The days of the years 1 to 9999, which every system has."""
_LONGEST = {
    "DAY": 1, "WEEK": 7, "MONTH": 31, "YEAR": 366, "HOUR": 1 / 24, "MINUTE": 1 / 1440,
    "SECOND": 1 / 86400,
}  # fmt: skip
DaysOf = Callable[[str, str], Days | None]


def days_in(catalog: Catalog) -> DaysOf:
    """Return what tells the days of a table's column, None where its statistics do not."""

    def days_of(relation: str, column: str) -> Days | None:
        table = catalog.tables.get(catalog.spelled(relation))
        for each in table.columns if table is not None else ():
            known = each.statistics
            if each.name.lower() == column and known is not None:
                if known.minimum is None or known.maximum is None:
                    return None
                return known.minimum, known.maximum
        return None

    return days_of


def unknown_days(_relation: str, _column: str) -> None:
    """Tell of no column when its days are."""


def days_of_text(text: str) -> Days | None:
    """Return the day that the text of a date or of a moment begins with."""
    try:
        day = float((date.fromisoformat(text[:10]) - _EPOCH).days)
    except ValueError:
        return None
    return day, day + 1


def days_of_all(each: list[Days | None]) -> Days | None:
    """Return the days that values of all these may be."""
    known = [days for days in each if days is not None]
    if len(known) < len(each) or not known:
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def moved(days: Days | None, by: exp.Expr, *, back: bool) -> Days | None:
    """Return the days after a number of days, or a length of time, is added or taken away."""
    length = _length(by.unnest())
    if days is None or length is None:
        return None
    low, high = days
    return (low - length, high - length) if back else (low + length, high + length)


def _length(by: exp.Expr) -> float | None:
    """Return at most how many days a literal stands for; None for what is computed."""
    if isinstance(by, exp.Neg):
        inner = _length(by.this.unnest())
        return None if inner is None else -inner
    if isinstance(by, exp.Interval):
        unit = _LONGEST.get(by.text("unit").upper().removesuffix("S"))
        amount = _length(by.this.unnest()) if isinstance(by.this, exp.Expr) else None
        return None if unit is None or amount is None else amount * unit
    if isinstance(by, exp.Literal):
        try:
            return float(by.name)
        except ValueError:
            return None
    return None
