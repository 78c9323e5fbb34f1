"""The kinds of expressions, as DuckDB infers them from those of columns."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from workloads.sql.typing.days import days_of_text, moved
from workloads.sql.typing.value_kinds import (
    ANY,
    BIGINT,
    DATE,
    DOUBLE,
    HUGE,
    INTERVAL,
    NULL,
    NUMBERS,
    OTHER,
    TEXT,
    TIMESTAMP,
    TRUTH,
    UNKNOWN,
    Kind,
    named,
    unified,
)

PARTIAL = "partial"
"""Marks a column of partial totals, whose types are wide and which have no more digits for it."""
ColumnKind = Callable[[exp.Column], Kind]


def noted(column: exp.Column) -> Kind:
    """Return the kind that sqlglot has noted at a column; any, where it noted none."""
    if column.type is None or column.type.is_type(exp.DType.UNKNOWN):
        return ANY
    return named(column.type.sql("duckdb"))


class Kinds:
    """Tells the kinds of expressions, where `column` tells those of columns; each is told once."""

    def __init__(self, column: ColumnKind) -> None:
        self._column = column
        self._told: dict[int, tuple[exp.Expr, Kind]] = {}

    def __call__(self, node: exp.Expr) -> Kind:
        """Return the kind of an expression's value."""
        found = self._told.get(id(node))
        if found is None:
            # The node is kept, so that its id is nobody else's.
            found = self._told[id(node)] = node, self._of(node)
        return found[1]

    def _of(self, node: exp.Expr) -> Kind:
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Cast):
            return _cast(node, self)
        rule = _RULES.get(type(node))
        return rule(node, self) if rule else UNKNOWN


Of = Callable[[exp.Expr], Kind]


def _cast(node: exp.Cast, of: Of) -> Kind:
    kind = named(node.to.sql("duckdb"))
    if kind.family not in ("date", "timestamp"):
        return kind
    inner = node.this.unnest()
    text = isinstance(inner, exp.Literal) and inner.is_string
    return replace(kind, days=days_of_text(inner.name) if text else of(inner).days)


def _literal(node: exp.Expr, _: Of) -> Kind:
    if node.is_string:
        return TEXT
    text = str(node.this)
    if "e" in text.lower():
        return DOUBLE
    whole, point, fraction = text.partition(".")
    digits = len(whole.lstrip("0"))
    if point:
        # Zeros at the end are digits that no product needs.
        scale = len(fraction.rstrip("0"))
        return Kind("decimal", digits + scale, scale)
    return Kind("whole" if int(text) < 2**63 else "huge", max(digits, 1))


def _inner(node: exp.Expr, of: Of) -> Kind:
    return of(node.this) if isinstance(node.this, exp.Expr) else UNKNOWN


def _sum_of_two(node: exp.Expr, of: Of) -> Kind:
    left, right = of(node.this), of(node.expression)
    families = {left.family, right.family}
    if families <= NUMBERS | {"any", "null"}:
        found = unified((left, right))
        more = found.family == "decimal"
        return Kind(found.family, found.digits + more, found.scale)
    if "interval" in families and families & {"date", "timestamp"}:
        days = moved(left.days, node.expression, back=isinstance(node, exp.Sub))
        return replace(TIMESTAMP, days=days)
    if families == {"date"} and isinstance(node, exp.Sub):
        return BIGINT
    if families == {"timestamp"} and isinstance(node, exp.Sub):
        return INTERVAL
    if families == {"date", "whole"}:
        return replace(DATE, days=moved(left.days, node.expression, back=isinstance(node, exp.Sub)))
    return UNKNOWN


def _product(node: exp.Expr, of: Of) -> Kind:
    left, right = of(node.this), of(node.expression)
    found = unified((left, right))
    if found.family == "decimal":
        return Kind("decimal", left.digits + right.digits, left.scale + right.scale)
    return found if found.family in NUMBERS else UNKNOWN


def _total(node: exp.Expr, of: Of) -> Kind:
    value = _inner(node, of)
    if value.family in ("whole", "huge", "truth"):
        return HUGE
    if value.family == "decimal":
        more = 0 if PARTIAL in node.this.meta else 10
        return Kind("decimal", value.digits + more, value.scale, summed=True)
    return DOUBLE if value.family in ("float", "double") else value


def _branches(node: exp.Expr, of: Of) -> Kind:
    return unified([of(each) for each in branches(node)])


def branches(node: exp.Expr) -> list[exp.Expr]:
    """Return the expressions of which one is the value of a CASE, an IF or a COALESCE."""
    if isinstance(node, exp.Case):
        found = [each.args["true"] for each in node.args["ifs"]]
        return [*found, *([node.args["default"]] if node.args.get("default") else [])]
    if isinstance(node, exp.If):
        return [each for key in ("true", "false") if (each := node.args.get(key)) is not None]
    return [node.this, *node.expressions]


def _whole_part(node: exp.Expr, of: Of) -> Kind:
    value = _inner(node, of)
    if value.family == "decimal":
        return Kind("decimal", value.digits, 0)
    return value if value.family in ("float", "double", "any") else DOUBLE


def _rounded(node: exp.Expr, of: Of) -> Kind:
    value = _inner(node, of)
    digits = node.args.get("decimals")
    if value.family == "decimal":
        kept = int(digits.name) if isinstance(digits, exp.Literal) and not digits.is_string else 0
        return Kind("decimal", value.digits, min(kept, value.scale))
    return value


def _of_distinct(node: exp.Expr, of: Of) -> Kind:
    (value, *others) = node.expressions or [None]
    return OTHER if others or value is None else of(value)


def _query(node: exp.Expr, of: Of) -> Kind:
    inner = node.unnest()
    selects = inner.selects if isinstance(inner, exp.Query) else []
    return of(selects[0]) if len(selects) == 1 else UNKNOWN


def _always(kind: Kind) -> Callable[[exp.Expr, Of], Kind]:
    return lambda _node, _of: kind


def _first_known(node: exp.Expr, of: Of) -> Kind:
    found = _inner(node, of)
    return found if found.family != "null" else of(node.expression)


_RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Of], Kind]] = {
    exp.Literal: _literal,
    **dict.fromkeys(
        (
            exp.Alias, exp.Paren, exp.Neg, exp.Abs, exp.Min, exp.Max, exp.Filter, exp.Window,
            exp.FirstValue, exp.LastValue, exp.Lag, exp.Lead, exp.Order, exp.AnyValue, exp.Ordered,
        ),
        _inner,
    ),
    **dict.fromkeys((exp.Add, exp.Sub), _sum_of_two),
    **dict.fromkeys((exp.Mul, exp.Mod), _product),
    exp.IntDiv: lambda node, of: unified(
        (of(node.this), of(node.expression))
    ),
    **dict.fromkeys((exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least), _branches),
    exp.Nullif: _first_known,
    **dict.fromkeys((exp.Ceil, exp.Floor, exp.Trunc), _whole_part),
    exp.Round: _rounded,
    exp.Distinct: _of_distinct,
    exp.Sum: _total,
    **dict.fromkeys((exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except), _query),
    **dict.fromkeys((exp.Null,), _always(NULL)),
    **dict.fromkeys((exp.Placeholder, exp.Parameter), _always(ANY)),
    **dict.fromkeys(
        (
            exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ,
            exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Exists,
            exp.Boolean, exp.LogicalAnd, exp.LogicalOr, exp.StartsWith, exp.Contains,
            exp.RegexpLike, exp.SimilarTo, exp.EndsWith,
        ),
        _always(TRUTH),
    ),
    **dict.fromkeys(
        (
            exp.Lower, exp.Upper, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Replace,
            exp.Concat, exp.ConcatWs, exp.DPipe, exp.Pad, exp.Reverse, exp.Repeat, exp.MD5,
            exp.GroupConcat, exp.TimeToStr, exp.SplitPart, exp.RegexpReplace, exp.Dayname,
            exp.Monthname, exp.Chr,
        ),
        _always(TEXT),
    ),
    **dict.fromkeys(
        (
            exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Length, exp.Year,
            exp.Month, exp.Day, exp.Quarter, exp.DayOfWeek, exp.DayOfYear, exp.DayOfWeekIso,
            exp.Week, exp.WeekOfYear, exp.Extract, exp.DateDiff, exp.StrPosition, exp.Grouping,
            exp.Hour, exp.Minute, exp.Second,
        ),
        _always(BIGINT),
    ),
    exp.Sign: _always(Kind("whole", 3)),
    **dict.fromkeys(
        (
            exp.Div, exp.Avg, exp.Sqrt, exp.Exp, exp.Ln, exp.Log, exp.Pow, exp.Stddev,
            exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop, exp.PercentRank,
            exp.CumeDist, exp.Corr, exp.CovarPop, exp.CovarSamp,
        ),
        _always(DOUBLE),
    ),
    **dict.fromkeys((exp.CurrentDate, exp.Date, exp.TsOrDsToDate, exp.LastDay), _always(DATE)),
    **dict.fromkeys((exp.TimestampTrunc, exp.DateTrunc), _always(TIMESTAMP)),
    exp.Interval: _always(INTERVAL),
    **dict.fromkeys((exp.CurrentTimestamp,), _always(Kind("zoned"))),
}  # fmt: skip
