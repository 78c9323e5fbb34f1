"""Conjuncts of a WHERE or ON clause as plain filters and joins."""

from dataclasses import replace
from datetime import date, timedelta

from sqlglot import exp

from workloads.footprint import ColumnRef, Filter, Join

_FLIPPED = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the parts of a conjunction, without their parentheses."""
    if condition is None:
        return []
    condition = condition.unnest()
    if not isinstance(condition, exp.And):
        return [condition]
    return [part for side in condition.flatten() for part in conjuncts(side)]


def join_of(conjunct: exp.Expr, kind: str = "inner") -> Join | None:
    """Return the join that an equality between columns of two relations is, if it is one."""
    if not isinstance(conjunct, (exp.EQ, exp.NullSafeEQ)):
        return None
    left, right = conjunct.left.unnest(), conjunct.right.unnest()
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return None
    if not left.table or not right.table or left.table == right.table:
        return None
    return Join(
        left=(left.table, left.name),
        right=(right.table, right.name),
        kind=kind,  # type: ignore[arg-type]
    )


def filter_of(conjunct: exp.Expr, *, computed: exp.Expr | None = None) -> Filter:
    """Describe one conjunct as a filter; what is not simple is of kind 'other'.

    `computed` is a side of the conjunct that is compared as a column would be.
    """
    return replace(_filter(conjunct, computed), sql=conjunct.sql("duckdb"))


def _filter(conjunct: exp.Expr, computed: exp.Expr | None = None) -> Filter:
    node = conjunct.unnest()
    columns = columns_of(node)
    if isinstance(node, exp.Not):
        return _negated(node, columns)
    if isinstance(node, exp.Or):
        arms = tuple(tuple(_filter(part) for part in conjuncts(arm)) for arm in node.flatten())
        return Filter(columns=columns, kind="other", alternatives=arms)
    if len(columns) == 1 or computed is not None:
        simple = _simple(node, columns, computed)
        if simple is not None:
            return simple
    return Filter(columns=columns, kind="other")


def _negated(node: exp.Not, columns: tuple[ColumnRef, ...]) -> Filter:
    inner = _filter(node.this)
    if inner.kind == "null":
        return Filter(columns=columns, kind="not_null")
    return Filter(columns=columns, kind="not", alternatives=((inner,),))


def _simple(
    node: exp.Expr, columns: tuple[ColumnRef, ...], computed: exp.Expr | None
) -> Filter | None:
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return Filter(columns=columns, kind="null")
    if isinstance(node, exp.Like):
        return Filter(columns=columns, kind="like", values=(constant(node.expression),))
    sides = (node.this, node.args.get("expression"))
    if not any(isinstance(side, exp.Column) or side is computed is not None for side in sides):
        return None
    found: Filter | None = None
    if isinstance(node, exp.In) and node.expressions:
        values = tuple(constant(value) for value in node.expressions)
        found = Filter(columns=columns, kind="in", values=values)
    elif isinstance(node, exp.Between):
        low, high = constant(node.args["low"]), constant(node.args["high"])
        found = Filter(columns=columns, kind="range", values=(low, high))
    elif isinstance(node, (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)):
        found = _comparison(node, columns, computed)
    return found


def _comparison(
    node: exp.Binary, columns: tuple[ColumnRef, ...], computed: exp.Expr | None
) -> Filter:
    operator, value = type(node), node.right
    if not isinstance(node.left.unnest(), exp.Column) and node.left is not computed:
        operator, value = _FLIPPED.get(operator, operator), node.left
    bound = constant(value)
    if operator is exp.EQ:
        return Filter(columns=columns, kind="eq", values=(bound,))
    values = (bound, None) if operator in (exp.GT, exp.GTE) else (None, bound)
    return Filter(columns=columns, kind="range", values=values)


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
        except ValueError:
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


def columns_of(node: exp.Expr) -> tuple[ColumnRef, ...]:
    """Return the qualified columns in an expression, each once, in order."""
    found = ((column.table, column.name) for column in node.find_all(exp.Column))
    return tuple(dict.fromkeys(ref for ref in found if ref[0]))
