"""Days to which whole days are added."""

from datetime import date, timedelta

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.replacing import inner_first, put

_SUMS = (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub, exp.TimestampAdd)
_BACK = (exp.Sub, exp.DateSub)
_DAYS = {"DAY": 1, "WEEK": 7}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_MOST_YEARS = 10_000


def whole_days(tree: exp.Query) -> exp.Query:
    """Keep a day a day: DuckDB's sum of one and an interval is a moment.

    A computed number of days or months that leads out of the calendar gives NULL.
    """
    for node in inner_first(tree, *_SUMS):
        base, amount, unit = _parts(node)
        if unit not in {*_DAYS, *_MONTHS, *_SECONDS} or base is None or amount is None:
            continue
        is_day = unit not in _SECONDS and (base.is_type(exp.DType.DATE) or is_date_text(base))
        found = _constant(base, amount, unit, back=isinstance(node, _BACK)) if is_day else None
        if found is None:
            is_known = isinstance(amount, exp.Literal)
            found = exp.cast(node.copy(), "DATE") if is_day else node.copy()
            if not is_known:
                found = _within(found, amount, unit)
            if is_known and not is_day:
                continue
        if is_day and is_date_text(base) and isinstance(node.parent, (exp.Alias, exp.Select)):
            # To MySQL it stays a text.
            found = exp.cast(found, "TEXT")
        put(node, found)
        if is_day:
            found.type = exp.DataType.build("DATE")
    return tree


def _parts(node: Expr) -> tuple[Expr | None, Expr | None, str]:
    """Return what is added to, how many, and of which unit."""
    if isinstance(node, (exp.Add, exp.Sub)):
        base, interval = node.this, node.expression
        if isinstance(base, exp.Interval) and isinstance(node, exp.Add):
            base, interval = interval, base
        if not isinstance(interval, exp.Interval):
            return None, None, ""
        return base, interval.this, interval.text("unit").upper()
    return node.this, node.expression, node.text("unit").upper()


def is_date_text(node: Expr) -> bool:
    """Whether a text is the date of a day."""
    return isinstance(node, exp.Literal) and node.is_string and _read(node.name) is not None


def _constant(base: Expr, amount: Expr, unit: str, *, back: bool) -> Expr | None:
    """Return the day that a written day and number of days make."""
    inner = base.this if isinstance(base, exp.Cast) else base
    if unit not in _DAYS or not isinstance(inner, exp.Literal):
        return None
    start = _read(inner.name)
    if start is None or not isinstance(amount, exp.Literal) or not amount.name.isdigit():
        return None
    try:
        days = timedelta(int(amount.name) * _DAYS[unit])
        end = start - days if back else start + days
    except OverflowError:
        return exp.cast(exp.Null(), "DATE")
    return exp.cast(exp.Literal.string(end.isoformat()), "DATE")


def _read(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _within(found: Expr, amount: Expr, unit: str) -> Expr:
    """Return the sum where it lies in the years 0 to 9999, NULL elsewhere."""
    a_year = {**dict.fromkeys(_DAYS, 366), **dict.fromkeys(_MONTHS, 12)}.get(unit, 366 * 86_400)
    size = {**_DAYS, **_MONTHS, **_SECONDS}[unit]
    limit = exp.Literal.number(_MOST_YEARS * a_year // size)
    near = exp.LTE(this=exp.Abs(this=amount.copy()), expression=limit)
    reached = exp.case().when(near, found)
    first, end = (
        exp.cast(
            exp.Literal.string(text),
            found.args["to"] if isinstance(found, exp.Cast) else "TIMESTAMP",
        )
        for text in ("0000-01-01", "10000-01-01")
    )
    kept = exp.and_(
        exp.GTE(this=reached, expression=first),
        exp.LT(this=reached.copy(), expression=end),
        copy=False,
    )
    return exp.case().when(kept, reached.copy())
