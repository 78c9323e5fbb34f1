"""Literals that the place of a parameter suggests, where it is compared with no column."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import NUMBERS, Kind

Rule = Callable[[exp.Expr, Any, Of], str]
"""Tells a literal by a place, by what is around it, and by the kinds of values there."""

PAGE_ROWS = "10"
"""LIMIT: a page."""
FIRST_PAGE = "0"
"""OFFSET: the first page is asked for most."""
LENGTHS: Mapping[str, str] = {
    "DAY": "30", "WEEK": "4", "MONTH": "1", "QUARTER": "1", "YEAR": "1", "HOUR": "24",
    "MINUTE": "60", "SECOND": "3600",
}  # fmt: skip
"""INTERVAL: about a month in units of dates, about a day or an hour in those of times."""
MONTH = "'30 days'"
"""An interval without a unit."""
DAY_FORMAT = "'%Y-%m-%d'"
"""A format of dates, as DuckDB and MySQL have it."""
_FORMATS: Mapping[str, str] = {
    "postgres": "'YYYY-MM-DD'",
    **dict.fromkeys(("spark", "databricks", "hive"), "'yyyy-MM-dd'"),
}
_MODULUS = "10"

_BY_ARGUMENT: Mapping[type[exp.Expr], Mapping[str, str]] = {
    exp.DateTrunc: {"unit": "'month'"},
    exp.TimestampTrunc: {"unit": "'month'"},
    exp.Extract: {"this": "year"},
    exp.ToChar: {"format": DAY_FORMAT},
    exp.TimeToStr: {"format": DAY_FORMAT},
    exp.StrToTime: {"format": DAY_FORMAT},
    exp.StrToDate: {"format": DAY_FORMAT},
    exp.Round: {"decimals": "2"},
    exp.Trunc: {"decimals": "2"},
    exp.Substring: {"start": "1", "length": "3"},
    exp.Left: {"expression": "3"},
    exp.Right: {"expression": "3"},
    exp.SplitPart: {"delimiter": "' '", "part_index": "1"},
    exp.StrPosition: {"substr": "'a'"},
    exp.Replace: {"expression": "' '", "replacement": "''"},
    exp.Trim: {"expression": "' '"},
    exp.Pad: {"expression": "10", "fill_pattern": "' '"},
    exp.GroupConcat: {"separator": "', '"},
    exp.PercentileCont: {"this": "0.5"},
    exp.PercentileDisc: {"this": "0.5"},
    exp.Ntile: {"this": "4"},
    exp.Lag: {"offset": "1", "default": "NULL"},
    exp.Lead: {"offset": "1", "default": "NULL"},
    exp.NthValue: {"offset": "1"},
    exp.Bracket: {"expressions": "1"},
    exp.WindowSpec: {"start": "1", "end": "1"},
    exp.Escape: {"expression": "'!'"},
    exp.Is: {"expression": "TRUE", "this": "1"},
    exp.Limit: {"expression": PAGE_ROWS},
    exp.Fetch: {"count": PAGE_ROWS},
    exp.Offset: {"expression": FIRST_PAGE},
    exp.Mod: {"expression": _MODULUS},
    exp.Div: {"expression": "1", "this": "1"},
    exp.IntDiv: {"expression": "1", "this": "1"},
    exp.Mul: {"expression": "1", "this": "1"},
    exp.Pow: {"expression": "1"},
}
"""Function or clause → its argument → the literal."""
_TRUTHS = (exp.And, exp.Or, exp.Xor, exp.Not, exp.Where, exp.Having, exp.Join, exp.Filter)
_SELECTED = (
    exp.Select, exp.Alias, exp.Group, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Distinct,
    exp.AggFunc, exp.Exists, exp.PartitionedByProperty,
)  # fmt: skip
_CHOICES = (exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.If, exp.Case)
_TEXTS = (exp.Concat, exp.ConcatWs, exp.DPipe)
_DATE_NAMES: Mapping[str, str] = {"date_part": "'year'", "date_format": DAY_FORMAT}


def as_written(literal: str, dialect: str) -> str:
    """Return a literal that is suggested as a dialect writes it: formats of dates differ."""
    return _FORMATS.get(dialect, literal) if literal == DAY_FORMAT else literal


def of_kind(kind: Kind) -> str:
    """Return a literal of a kind of values; "" for one of which no value stands out."""
    if kind.family in NUMBERS:
        return "1"
    return {"text": "'a'", "truth": "TRUE", "interval": MONTH}.get(kind.family, "")


def suggested(child: exp.Expr, of: Of) -> str:
    """Return the literal that the place of `child` suggests, "" where it suggests none.

    `of` tells the kinds of the values around it.
    """
    parent = child.parent
    if parent is None:
        return ""
    literal = _BY_ARGUMENT.get(type(parent), {}).get(str(child.arg_key))
    if literal is not None:
        return literal
    for types, rule in _RULES:
        if isinstance(parent, types):
            return rule(child, parent, of)
    return ""


def _interval(_child: exp.Expr, parent: exp.Expr, _of: Of) -> str:
    unit = parent.args.get("unit")
    return MONTH if unit is None else LENGTHS.get(str(unit.name).upper().removesuffix("S"), "1")


def _joined(_child: exp.Expr, parent: exp.Expr, _of: Of) -> str:
    """Return a blank between texts; in a pattern nothing."""
    around = parent
    while isinstance(around.parent, (*_TEXTS, exp.Paren)):
        around = around.parent
    return "''" if isinstance(around.parent, (exp.Like, exp.ILike)) else "' '"


def _always(literal: str) -> Rule:
    return lambda _child, _parent, _of: literal


def _called(_child: exp.Expr, parent: exp.Anonymous, _of: Of) -> str:
    return _DATE_NAMES.get(parent.name.lower(), "")


def _added(child: exp.Expr, parent: exp.Binary, of: Of) -> str:
    """Return what is added to a value of a kind: to a moment an interval, to a date days."""
    family = of(parent.right if child is parent.left else parent.left).family
    if family in ("timestamp", "zoned", "unknown"):
        return f"INTERVAL {MONTH}" if family != "unknown" else ""
    return LENGTHS["DAY"] if family == "date" else "1"


def _chosen(child: exp.Expr, parent: exp.Expr, of: Of) -> str:
    """Return one of several values that are chosen from: by the kind of the others.

    Where all are parameters the first is 1, and what stands for the rest 0.
    """
    if isinstance(parent, exp.If) and child.arg_key == "this":
        is_compared = isinstance(parent.parent, exp.Case) and parent.parent.this is not None
        return "" if is_compared else "TRUE"
    around = parent.parent if isinstance(parent, exp.If) and parent.parent else parent
    others = [
        each
        for each in around.walk(prune=lambda node: not isinstance(node, (*_CHOICES, exp.Paren)))
        if each is not child and not isinstance(each, (*_CHOICES, exp.Paren))
    ]
    for each in others:
        is_value = each.arg_key in ("true", "default", "false") or not isinstance(
            each.parent, _CHOICES[-2:]
        )
        if is_value and (literal := of_kind(of(each))):
            return (
                "0" if literal == "1" and child.arg_key in ("default", "expressions") else literal
            )
    return "0" if child.arg_key in ("default", "false", "expressions") else "1"


_RULES: Sequence[tuple[tuple[type[exp.Expr], ...], Rule]] = (
    ((exp.Interval, exp.DateAdd, exp.DateSub), _interval),
    ((exp.Add, exp.Sub), _added),
    (_TRUTHS, _always("TRUE")),
    (_CHOICES, _chosen),
    (_TEXTS, _joined),
    (_SELECTED, _always("1")),
    ((exp.Anonymous,), _called),
)
"""Syntax around a parameter → the literal that it suggests."""
