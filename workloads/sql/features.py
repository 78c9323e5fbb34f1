"""Constructs that not every store runs, or not as DuckDB does: what `Block.features` names."""

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from workloads.sql.types import Schema, annotated

_PORTABLE = (
    # Structure, which sqlglot counts among functions.
    exp.And, exp.Or, exp.Case, exp.If, exp.Cast, exp.Coalesce, exp.Nullif, exp.Exists,
    exp.Grouping, exp.Greatest, exp.Least,
    # Aggregates.
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.GroupConcat, exp.Stddev, exp.StddevSamp,
    exp.StddevPop, exp.Variance, exp.VariancePop, exp.LogicalAnd, exp.LogicalOr,
    # Windows.
    exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag,
    exp.Lead, exp.FirstValue, exp.LastValue,
    # Numbers.
    exp.Abs, exp.Ceil, exp.Floor, exp.Round, exp.Trunc, exp.Sign, exp.Sqrt, exp.Exp, exp.Pow,
    exp.Ln, exp.Log, exp.IntDiv,
    # Text.
    exp.Lower, exp.Upper, exp.Substring, exp.Left, exp.Right, exp.Length, exp.Trim, exp.Replace,
    exp.Concat, exp.ConcatWs, exp.StrPosition, exp.Pad, exp.Reverse, exp.Repeat, exp.MD5,
    # Dates.
    exp.Year, exp.Month, exp.Day, exp.Extract, exp.LastDay, exp.CurrentDate,
    exp.CurrentTimestamp, exp.Date, exp.TsOrDsToDate,
)  # fmt: skip
"""Functions that mean in every store what they mean in DuckDB, by the rules of the compiler."""
_GROUPS: Mapping[str, tuple[type[exp.Expr], ...]] = {
    "date_function": (
        exp.TimestampTrunc, exp.DateTrunc, exp.TimeToStr, exp.TimeToUnix, exp.DateDiff,
        exp.Extract,
    ),
    "text_function": (
        exp.RegexpLike, exp.RegexpReplace, exp.SplitPart, exp.StartsWith, exp.Chr, exp.Ascii,
        exp.Unicode,
    ),
    "statistic": (exp.Corr, exp.CovarSamp, exp.CovarPop, exp.Median, exp.PercentileCont),
}  # fmt: skip
"""Feature → functions beyond the core that PostgreSQL has too."""
_PARTS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE"})
_SHOWN_OTHERWISE = frozenset(
    {"BOOLEAN", "BOOL", "FLOAT", "REAL", "FLOAT4", "DOUBLE", "FLOAT8", "TIMESTAMP", "TIMESTAMPTZ"}
)
"""Types whose values stores write each in its way: 1 or true, 0 or 0.0, six digits of seconds."""
TypeOf = Callable[[exp.Column], str | None]


def features_within(node: exp.Expr, type_of: TypeOf = lambda _: None) -> frozenset[str]:
    """Return the features of an expression, or of a block without the queries nested in it.

    `type_of` tells a column's type in the catalog, in capitals; None for a computed column.
    'function': one outside the common core, or with arguments that stores take differently;
    'date_function', 'text_function' and 'statistic' are those that PostgreSQL has all the same.
    'value_text': what is no number, date or text as text. 'lateral': a derived table that refers
    to its neighbours. 'row_value': several values as one, where an aggregate counts them.
    """
    found: set[str] = set()
    for each in node.walk(prune=lambda inner: inner is not node and isinstance(inner, exp.Query)):
        found.update(_of(each, type_of))
    return frozenset(found)


def lacked_by(tree: exp.Query, lacks: frozenset[str], schema: Schema) -> frozenset[str]:
    """Return the features of a query, with all that is nested in it, that a system lacks.

    `lacks` are the features that the system lacks. `schema` maps each relation that the query reads
    to its columns and their types in DuckDB: the views of fragments, for a combining query. The
    tree is left as it is.
    """
    if not lacks:
        return frozenset()
    typed = annotated(tree.copy(), schema)
    found = frozenset[str]().union(*(_of(each, lambda _: None) for each in typed.walk()))
    return found & lacks


def _of(node: exp.Expr, type_of: TypeOf) -> Iterator[str]:
    if isinstance(node, (exp.Func, exp.SimilarTo)) and not _is_portable(node):
        groups = (group for group, kinds in _GROUPS.items() if isinstance(node, kinds))
        yield next(groups, "function")
    elif isinstance(node, exp.Cast) and node.is_type(*exp.DataType.TEXT_TYPES):
        if _is_value(node.this, type_of):
            yield "value_text"
    elif isinstance(node, exp.DPipe) and any(
        isinstance(side, exp.Column) and _is_value(side, type_of)
        for side in (node.left, node.right)
    ):
        yield "value_text"
    elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
        yield "lateral"
    elif isinstance(node, exp.Tuple) and isinstance(node.parent, exp.Distinct):
        yield "row_value"


def _is_portable(node: exp.Expr) -> bool:
    if isinstance(node, exp.DateDiff):
        return node.text("unit").upper() in ("DAY", "DAYS", "")
    if isinstance(node, exp.TryCast) or not isinstance(node, _PORTABLE):
        return False
    if isinstance(node, exp.Extract):
        return node.name.upper() in _PARTS
    if isinstance(node, exp.Substring):
        # PostgreSQL counts a negative start from before the text, the others from its end.
        return not isinstance(node.args.get("start"), exp.Neg)
    return True


def _is_value(node: exp.Expr, type_of: TypeOf) -> bool:
    """Whether the text of an expression may differ: only exact numbers, dates and text are sure."""
    inner = node.unnest()
    if isinstance(inner, exp.Column):
        known = type_of(inner)
        return known is not None and known.split("(")[0].strip() in _SHOWN_OTHERWISE
    return not isinstance(inner, (exp.Literal, exp.Substring, exp.Cast, exp.Coalesce, exp.Null))
