"""Functions and aggregates that mean the same in every system, by their arguments' types."""

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from workloads.sql.features.casts import cast_features, is_written_alike
from workloads.sql.types import NUMBERS, Kind, Of

Check = Callable[[exp.Expr, Of], Iterator[str]]
_COMPUTED = NUMBERS - {"float"}
_MOMENTS = frozenset({"date", "timestamp"})
_ORDERED = frozenset({*_COMPUTED, "float", "text", "date", "timestamp", "truth"})
_TEXT = frozenset({"text"})
_MOST_DIGITS = 15
_WIDEST = 38
_PLAIN = frozenset({"this", "big_int", "safe"})
_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
_PARTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("YEAR", "MONTH", "DAY"), ()),
    **dict.fromkeys(("HOUR", "MINUTE", "SECOND"), ("timestamp",)),
    **dict.fromkeys(("QUARTER", "DOW", "DAYOFWEEK", "DOY", "DAYOFYEAR"), ("date_part",)),
    **dict.fromkeys(("ISODOW", "ISOYEAR", "WEEK"), ("iso_date_part",)),
}
_FORMAT = frozenset({"%Y", "%m", "%d", "%H", "%M", "%S"})


def argument(node: exp.Expr) -> exp.Expr:
    """Return what an aggregate is of, without DISTINCT."""
    inner: exp.Expr = node.this
    values: list[exp.Expr] = inner.expressions if isinstance(inner, exp.Distinct) else []
    return values[0] if len(values) == 1 else inner


def taking(families: frozenset[str], *features: str, others: str = "mixed_types") -> Check:
    """Return a check of functions of one argument, with the features that they are anyway."""

    def check(node: exp.Expr, of: Of) -> Iterator[str]:
        yield from features
        if any(value for key, value in node.args.items() if key not in _PLAIN):
            yield "function"
        else:
            yield from _other_than(families, of(argument(node)), others)

    return check


def _other_than(families: frozenset[str], kind: Kind, others: str = "mixed_types") -> Iterator[str]:
    if kind.family in ("any", "null") or kind.family in families:
        return
    if kind.family in ("unknown", "other"):
        yield "unknown_type"
    elif kind.family == "float":
        yield "single_float"
    elif kind.family == "zoned":
        yield "time_zone"
    else:
        yield others


def _total(node: exp.Expr, of: Of) -> Iterator[str]:
    kind = of(argument(node))
    yield from _other_than(_COMPUTED, kind)
    # Of what is computed the digits are those that it might have, not those that it has.
    whole_column = isinstance(argument(node).unnest(), exp.Column)
    if whole_column and kind.family in ("decimal", "huge") and kind.digits >= _WIDEST:
        yield "wide_sum"


def _count(node: exp.Expr, of: Of) -> Iterator[str]:
    if isinstance(node.this, exp.Distinct):
        if len(node.this.expressions) != 1:
            yield "function"
        elif not isinstance(argument(node), exp.Tuple):
            yield from _other_than(_ORDERED, of(argument(node)))


def _extreme(node: exp.Expr, of: Of) -> Iterator[str]:
    if node.args.get("count") or node.expressions:
        yield "function"
    else:
        yield from _other_than(_ORDERED, of(argument(node)))


def _round(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _other_than(_COMPUTED, of(node.this))
    digits = node.args.get("decimals")
    if digits is not None and not _is_count(digits, _MOST_DIGITS):
        yield "rounded_digits"


def _is_count(node: object, most: int = 10**6) -> bool:
    if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdigit():
        return False
    return int(node.this) <= most


def _floor(node: exp.Expr, of: Of) -> Iterator[str]:
    kind = of(node.this)
    if node.args.get("decimals") or node.args.get("to"):
        yield "rounded_digits"
    if kind.family == "double":
        yield "floor_of_double"
    yield from _other_than(_COMPUTED, kind)


def _log(node: exp.Expr, of: Of) -> Iterator[str]:
    value = node.args.get("expression") or node.this
    yield from _other_than(_COMPUTED, of(value))
    if value is not node.this and not _is_count(node.this):
        yield "logarithm"
    if of(value).family == "double":
        yield "logarithm"


def _letters(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _other_than(_TEXT, of(node.this))


def _cut(node: exp.Expr, of: Of) -> Iterator[str]:
    """Yield the features of SUBSTRING, LEFT and RIGHT: positions are numbers from 1 on."""
    yield from _other_than(_TEXT, of(node.this))
    start = node.args.get("start")
    length = node.args.get("length") or node.args.get("expression")
    if start is not None and (not _is_count(start) or _is_zero(start)):
        yield "negative_position"
    if length is not None and not _is_count(length):
        yield "negative_position"
    if start is None and length is None:
        yield "function"


def _trim(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "trimmed_characters"


def _replace(node: exp.Expr, of: Of) -> Iterator[str]:
    for each in (node.this, node.expression, node.args.get("replacement")):
        if each is None:
            yield "function"
        else:
            yield from _other_than(_TEXT, of(each))
    if not _is_words(node.expression):
        yield "text_function"


def _is_words(node: object) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and bool(node.name)


def _position(node: exp.Expr, of: Of) -> Iterator[str]:
    sought = node.args.get("substr")
    if node.args.get("position") or node.args.get("occurrence") or sought is None:
        yield "function"
    else:
        yield from _other_than(_TEXT, of(node.this))
        yield from _other_than(_TEXT, of(sought))


def _pad(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _other_than(_TEXT, of(node.this))
    if not _is_count(node.expression) or not _is_words(node.args.get("fill_pattern")):
        yield "negative_position"


def _repeat(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _other_than(_TEXT, of(node.this))
    if not _is_count(node.args.get("times")):
        yield "negative_position"


def _concat(node: exp.Expr, of: Of) -> Iterator[str]:
    parts = [node.left, node.right] if isinstance(node, exp.DPipe) else node.expressions
    for each in parts:
        kind = of(each)
        if kind.family in ("unknown", "other"):
            yield "unknown_type"
        elif not is_written_alike(each, kind):
            yield "value_text"


def _starts(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "text_function"
    yield from _other_than(_TEXT, of(node.this))
    yield from _other_than(_TEXT, of(node.expression))


def _contains(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _other_than(_TEXT, of(node.this))
    yield from _other_than(_TEXT, of(node.expression))


def _split_part(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "text_function"
    yield from _other_than(_TEXT, of(node.this))
    index = node.args.get("part_index")
    if not _is_words(node.args.get("delimiter")) or not _is_count(index) or _is_zero(index):
        yield "function"


def _is_zero(node: object) -> bool:
    return isinstance(node, exp.Literal) and node.name == "0"


def _expression(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "regular_expression"


def _texts_of_group(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "text_aggregate"


def _extract(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _part(node.name.upper(), of(node.expression))


def _named_part(name: str) -> Check:
    def check(node: exp.Expr, of: Of) -> Iterator[str]:
        yield from _part(name, of(node.this))

    return check


def _part(name: str, kind: Kind) -> Iterator[str]:
    needs = _PARTS.get(name)
    if needs is None:
        yield "function"
    elif needs == ("timestamp",):
        yield from _other_than(frozenset({"timestamp"}), kind)
        if name == "SECOND":
            yield "fractional_seconds"
    else:
        yield from needs
        yield from _other_than(_MOMENTS, kind, "text_to_date")


def _names(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "name_of_date_part"


def _truncated(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "date_function"
    if node.text("unit").upper() not in _UNITS or node.args.get("zone"):
        yield "function"
    yield from _other_than(_MOMENTS, of(node.this), "text_to_date")


def _formatted(node: exp.Expr, of: Of) -> Iterator[str]:
    pattern = node.args.get("format")
    text = pattern.name if isinstance(pattern, exp.Literal) else "%"
    pieces = [text[at : at + 2] for at in range(len(text)) if text[at] == "%"]
    letters = "".join(text.split("%")[:1]) + "".join(each[1:] for each in text.split("%")[1:])
    if set(pieces) - _FORMAT or any(each.isalpha() or each in "\\'\"" for each in letters):
        yield "name_of_date_part"
    yield "date_format"
    yield from _other_than(_MOMENTS, of(node.this), "text_to_date")


def _difference(node: exp.Expr, of: Of) -> Iterator[str]:
    unit = node.text("unit").upper()
    if unit == "MONTH":
        yield "month_difference"
    elif unit not in ("DAY", "DAYS", ""):
        yield "function"
    for each in (node.this, node.expression):
        yield from _other_than(frozenset({"date"}), of(each), "function")


def _nothing(_node: exp.Expr, _of: Of) -> Iterator[str]:
    return iter(())


def _feature(name: str) -> Check:
    def check(_node: exp.Expr, _of: Of) -> Iterator[str]:
        yield name

    return check


def _grouping(node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "grouping"
    if isinstance(node.find_ancestor(exp.Having, exp.Query), exp.Having):
        yield "grouping_in_having"


def _percentile(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "statistic"
    share = node.args.get("expression")
    if isinstance(node, exp.PercentileCont) and not isinstance(share, exp.Literal):
        yield "function"
    yield from _other_than(_COMPUTED, of(argument(node)))


FUNCTIONS: Mapping[type[exp.Expr], Check] = {
    **dict.fromkeys((exp.Cast, exp.TryCast), cast_features),
    # Aggregates.
    exp.Count: _count,
    exp.Sum: _total,
    exp.Avg: taking(_COMPUTED),
    **dict.fromkeys((exp.Min, exp.Max), _extreme),
    **dict.fromkeys(
        (exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop),
        taking(_COMPUTED),
    ),
    **dict.fromkeys((exp.LogicalAnd, exp.LogicalOr), taking(frozenset({"truth"}))),
    exp.GroupConcat: _texts_of_group,
    **dict.fromkeys((exp.Median, exp.PercentileCont), _percentile),
    **dict.fromkeys((exp.Corr, exp.CovarPop, exp.CovarSamp), _feature("correlation")),
    exp.Grouping: _grouping,
    # Numbers.
    **dict.fromkeys((exp.Abs, exp.Sign, exp.Sqrt), taking(_COMPUTED)),
    exp.Ln: taking(_COMPUTED),
    exp.Log: _log,
    exp.Exp: taking(_COMPUTED, "exponential"),
    exp.Pow: _feature("exponential"),
    exp.Round: _round,
    **dict.fromkeys((exp.Ceil, exp.Floor), _floor),
    exp.Trunc: _floor,
    # Text.
    **dict.fromkeys((exp.Lower, exp.Upper), _letters),
    exp.Length: taking(_TEXT),
    exp.MD5: taking(_TEXT),
    **dict.fromkeys((exp.Substring, exp.Left, exp.Right), _cut),
    exp.Trim: _trim,
    exp.Replace: _replace,
    exp.StrPosition: _position,
    exp.Pad: _pad,
    exp.Repeat: _repeat,
    **dict.fromkeys((exp.Concat, exp.ConcatWs, exp.DPipe), _concat),
    exp.StartsWith: _starts,
    exp.Contains: _contains,
    exp.SplitPart: _split_part,
    **dict.fromkeys((exp.RegexpLike, exp.RegexpReplace, exp.SimilarTo), _expression),
    # Dates.
    exp.Extract: _extract,
    exp.Year: _named_part("YEAR"),
    exp.Month: _named_part("MONTH"),
    exp.Day: _named_part("DAY"),
    exp.Quarter: _named_part("QUARTER"),
    exp.Hour: _named_part("HOUR"),
    exp.Minute: _named_part("MINUTE"),
    exp.Second: _named_part("SECOND"),
    **dict.fromkeys((exp.Dayname, exp.Monthname), _names),
    **dict.fromkeys((exp.TimestampTrunc, exp.DateTrunc), _truncated),
    exp.TimeToStr: _formatted,
    exp.DateDiff: _difference,
    exp.LastDay: taking(frozenset({"date"}), others="date_function"),
    exp.Date: taking(_MOMENTS, others="text_to_date"),
    exp.TsOrDsToDate: taking(_MOMENTS, others="text_to_date"),
    exp.CurrentDate: _nothing,
}
