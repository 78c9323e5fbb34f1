"""Values of constant expressions."""

from datetime import date, timedelta

from sqlglot import exp


def constant(node: exp.Expr) -> str | float | None:
    """Return a constant expression's value: a number, or text (dates as ISO); None if unknown."""
    node = node.unnest()
    if isinstance(node, exp.Literal):
        return str(node.this) if node.is_string else float(node.this)
    if isinstance(node, exp.Neg):
        value = constant(node.this)
        return -value if isinstance(value, float) else None
    if isinstance(node, exp.Cast):
        return constant(node.this)
    if isinstance(node, (exp.Add, exp.Sub)):
        return _sum(node)
    if isinstance(node, exp.Mul):
        left, right = constant(node.left), constant(node.right)
        return left * right if isinstance(left, float) and isinstance(right, float) else None
    return None


def _sum(node: exp.Binary) -> str | float | None:
    sign = 1 if isinstance(node, exp.Add) else -1
    left = constant(node.left)
    if isinstance(node.right, exp.Interval):
        days = _days(node.right)
        if days is None or not isinstance(left, str):
            return None
        try:
            return (date.fromisoformat(left) + sign * timedelta(days=days)).isoformat()
        except (ValueError, OverflowError):
            return None
    right = constant(node.right)
    if isinstance(left, float) and isinstance(right, float):
        return left + sign * right
    return None


def _days(interval: exp.Interval) -> float | None:
    amount = constant(interval.this) if interval.this else None
    per_unit = {"DAY": 1, "DAYS": 1, "WEEK": 7, "MONTH": 30, "YEAR": 365}
    unit = str(interval.args.get("unit") or "").upper()
    try:
        return float(amount) * per_unit[unit]  # type: ignore[arg-type]
    except (TypeError, ValueError, KeyError):
        return None
