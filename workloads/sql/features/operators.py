"""Operators, comparisons and casts that mean the same in every system, by their operands' types."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from workloads.sql.features.divisors import may_be_zero
from workloads.sql.types import NUMBERS, Kind, Of, branches

_DATE_TEXT = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT_TEXT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?)?")
_EXACT = frozenset({"whole", "huge", "decimal"})
_MOST_DIGITS = 38
_KEPT_SCALE = 6
_DAYS = frozenset({"DAY", "DAYS", "WEEK", "WEEKS", "MONTH", "MONTHS", "YEAR", "YEARS"})
_TIMES = frozenset({"HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS"})


def known(kinds: Sequence[Kind]) -> set[str]:
    """Return the families of values whose type counts: not those of NULL and of parameters."""
    families: set[str] = {each.family for each in kinds}
    return families - {"null", "any"}


def peculiar(families: set[str]) -> Iterator[str]:
    """Yield what is the matter with values of some families whatever is done with them."""
    if families & {"unknown", "other"}:
        yield "unknown_type"
    if "zoned" in families:
        yield "time_zone"
    if "interval" in families:
        yield "interval_value"


def compared(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    """Yield the features of values that are compared with one another."""
    inner = [each.unnest() for each in nodes]
    if any(isinstance(each, (exp.Tuple, exp.Struct)) for each in inner):
        yield "row_comparison"
        return
    if any(isinstance(each, (exp.Any, exp.All)) for each in inner):
        yield "quantified_comparison"
        return
    families = known([of(each) for each in nodes])
    found = list(peculiar(families))
    if found:
        yield from found
    elif families <= NUMBERS:
        if "float" in families and len(families) > 1:
            yield "single_float"
    elif families & {"date", "timestamp"}:
        yield from _moments(families, inner)
    elif len(families) > 1:
        yield "text_to_number" if "text" in families and families & NUMBERS else "mixed_types"


def _moments(families: set[str], nodes: Sequence[exp.Expr]) -> Iterator[str]:
    """Yield the features of dates and times that are compared, with one another or with text."""
    if families - {"date", "timestamp", "text"}:
        yield "mixed_types"
    elif "text" in families:
        pattern = _MOMENT_TEXT if "timestamp" in families else _DATE_TEXT
        texts = [each for each in nodes if isinstance(each, exp.Literal) and each.is_string]
        others = [each for each in nodes if each not in texts]
        readable = all(pattern.fullmatch(each.name) for each in texts)
        if not readable or not texts or any(isinstance(each, exp.Substring) for each in others):
            yield "text_to_date"


def mixed(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    """Yield the features of values of which one is chosen."""
    families = known([of(each) for each in nodes])
    found = list(peculiar(families))
    if found:
        yield from found
    elif families <= NUMBERS:
        if "float" in families and len(families) > 1:
            yield "single_float"
    elif len(families) > 1:
        yield "mixed_types"


def _comparison(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from compared([node.this, node.expression], of)


def _between(node: exp.Expr, of: Of) -> Iterator[str]:
    if node.args.get("symmetric") is not None:
        yield "symmetric_between"
    yield from compared([node.this, node.args["low"], node.args["high"]], of)


def _in(node: exp.Expr, of: Of) -> Iterator[str]:
    query = node.args.get("query")
    if node.args.get("unnest") or node.args.get("field"):
        yield "function"
    elif query is None:
        yield from compared([node.this, *node.expressions], of)
    else:
        yield from compared([node.this, query], of)
        if not is_filter(node):
            yield "in_as_value"
        if _is_narrower_whole(of(query), of(node.this)) and not _is_positive(node):
            yield "narrower_subquery"


def _is_narrower_whole(kind: Kind, other: Kind) -> bool:
    return kind.family == other.family == "whole" and kind.digits < other.digits


def _is_positive(node: exp.Expr) -> bool:
    """Whether a test is one of a filter, and nothing negates it."""
    around = node.find_ancestor(exp.Not, exp.Select)
    return is_filter(node) and not isinstance(around, exp.Not)


def is_filter(node: exp.Expr) -> bool:
    """Whether a test only decides which rows are kept: NULL and false are the same there.

    A negation is one where it is a conjunct.
    """
    negated = False
    below, above = node, node.parent
    while isinstance(above, (exp.And, exp.Or, exp.Paren, exp.Not)):
        if isinstance(above, exp.Or) and negated:
            return False
        if isinstance(above, exp.Not):
            if negated or isinstance(below.unnest(), (exp.And, exp.Or)):
                return False
            negated = True
        below, above = above, above.parent
    if isinstance(above, exp.Join):
        return not above.side
    return isinstance(above, exp.Where)


def _exists(node: exp.Expr, _: Of) -> Iterator[str]:
    if not is_filter(node):
        yield "exists_as_value"


def _truth(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from tests([each for key in ("this", "expression") if (each := node.args.get(key))], of)


def tests(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    """Yield the features of values that are taken for true or false."""
    families = known([of(each) for each in nodes])
    if families - {"truth"}:
        yield "unknown_type" if "unknown" in families else "mixed_types"


def _is(node: exp.Expr, of: Of) -> Iterator[str]:
    right = node.expression
    if isinstance(right, exp.Null):
        if isinstance(node.this.unnest(), exp.Tuple):
            yield "row_comparison"
    elif isinstance(right, exp.Boolean):
        yield from tests([node.this], of)
    else:
        yield from compared([node.this, right], of)


def _like(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _text_only([node.this, node.expression], of)
    pattern = node.expression.unnest()
    if not isinstance(pattern, exp.Literal) and of(pattern).family != "any":
        yield "like_pattern"


def _ilike(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "case_insensitive_like"


def _text_only(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    families = known([of(each) for each in nodes])
    if families - {"text"}:
        yield "unknown_type" if "unknown" in families else "mixed_types"


def _escape(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "like_escape"


def _sum_of_two(node: exp.Expr, of: Of) -> Iterator[str]:
    left, right = of(node.this), of(node.expression)
    families = known([left, right])
    if "interval" in families and families & {"date", "timestamp"}:
        if left.family == "interval" or not families <= {"interval", "date", "timestamp"}:
            yield "computed_interval"
        else:
            yield from _added(node.expression, "date" in families)
    elif (families == {"date", "whole"} and left.family == "date") or (
        families == {"date"} and isinstance(node, exp.Sub)
    ):
        return
    else:
        yield from _arithmetic(node, of)


def _added(interval: exp.Expr, to_date: bool) -> Iterator[str]:
    inner = interval.unnest()
    unit = inner.text("unit").upper()
    amount = inner.args.get("this")
    whole = isinstance(amount, exp.Literal) and re.fullmatch(r"-?\d+", amount.name) is not None
    if isinstance(amount, exp.Neg):
        whole = isinstance(amount.this, exp.Literal) and amount.this.name.isdigit()
    if not whole or unit not in (_DAYS if to_date else _DAYS | _TIMES):
        yield "computed_interval"


def _interval(node: exp.Expr, _: Of) -> Iterator[str]:
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if not isinstance(above, (exp.Add, exp.Sub)):
        yield "interval_value"


def _arithmetic(node: exp.Expr, of: Of) -> Iterator[str]:
    kinds = [of(node.this), of(node.expression)]
    families = known(kinds)
    found = list(peculiar(families))
    if found:
        yield from found
    elif families - NUMBERS:
        yield "text_to_number" if families <= {*NUMBERS, "text"} else "mixed_types"
    elif "float" in families:
        yield "single_float"
    elif "double" not in families and isinstance(node, exp.Mul):
        yield from _product_digits(kinds)


def _product_digits(kinds: Sequence[Kind]) -> Iterator[str]:
    """Yield a feature where Spark would keep fewer digits after the point than the product has."""
    digits, scale = sum(each.digits for each in kinds) + 1, sum(each.scale for each in kinds)
    kept = max(_MOST_DIGITS - (digits - scale), min(scale, _KEPT_SCALE))
    if digits > _MOST_DIGITS and scale > kept:
        yield "wide_decimal"


def _quotient(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _arithmetic(node, of)
    if may_be_zero(node):
        yield "quotient_by_zero"


def _whole_quotient(node: exp.Expr, of: Of) -> Iterator[str]:
    families = known([of(node.this), of(node.expression)])
    if families - {"whole"}:
        yield "decimal_remainder"


def _remainder(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _arithmetic(node, of)
    if known([of(node.this), of(node.expression)]) & {"double", "float"}:
        yield "double_remainder"


def _negated(node: exp.Expr, of: Of) -> Iterator[str]:
    families = known([of(node.this)])
    if families - (NUMBERS - {"float"}):
        yield next(peculiar(families), "single_float" if "float" in families else "mixed_types")


def _choice(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from mixed(branches(node), of)
    if isinstance(node, exp.Case) and node.this is not None:
        yield from compared([node.this, *(each.this for each in node.args["ifs"])], of)
    elif isinstance(node, exp.Case):
        yield from tests([each.this for each in node.args["ifs"]], of)
    elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        yield from tests([node.this], of)


def _first_or_null(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from compared([node.this, node.expression], of)


def _bits(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "bit_operation"


def _nothing(_node: exp.Expr, _of: Of) -> Iterator[str]:
    return iter(())


def _tuple(node: exp.Expr, _: Of) -> Iterator[str]:
    if isinstance(node.parent, exp.Distinct):
        yield "row_value"
    elif not isinstance(node.parent, (exp.GroupingSets, exp.Rollup, exp.Cube, exp.Group, exp.In)):
        yield "row_comparison"


OPERATORS: Mapping[type[exp.Expr], Callable[[exp.Expr, Of], Iterator[str]]] = {
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
        _comparison,
    ),
    exp.Between: _between,
    exp.In: _in,
    exp.Exists: _exists,
    **dict.fromkeys((exp.And, exp.Or, exp.Not), _truth),
    exp.Is: _is,
    exp.Like: _like,
    exp.ILike: _ilike,
    exp.Escape: _escape,
    **dict.fromkeys((exp.Add, exp.Sub), _sum_of_two),
    exp.Mul: _arithmetic,
    exp.Div: _quotient,
    exp.IntDiv: _whole_quotient,
    exp.Mod: _remainder,
    exp.Neg: _negated,
    exp.Interval: _interval,
    **dict.fromkeys((exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least), _choice),
    exp.Nullif: _first_or_null,
    exp.Tuple: _tuple,
    **dict.fromkeys((exp.Any, exp.All), _nothing),
    **dict.fromkeys(
        (
            exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot,
            exp.BitwiseLeftShift, exp.BitwiseRightShift,
        ),
        _bits,
    ),
}  # fmt: skip
