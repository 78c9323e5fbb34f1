"""Arithmetic that means the same in every system, by its operands' types."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from workloads.sql.features.divisors import may_be_zero
from workloads.sql.features.met_values import known, peculiar
from workloads.sql.typing.days import EVERYWHERE
from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import MOST_DIGITS, NUMBERS, Kind

_KEPT_SCALE = 6
_DAYS = frozenset({"DAY", "DAYS", "WEEK", "WEEKS", "MONTH", "MONTHS", "YEAR", "YEARS"})
_TIMES = frozenset({"HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS"})


def _sum_of_two(node: exp.Expr, of: Of) -> Iterator[str]:
    left, right = of(node.this), of(node.expression)
    families = known([left, right])
    if "interval" in families and families & {"date", "timestamp"}:
        if left.family == "interval" or not families <= {"interval", "date", "timestamp"}:
            yield "computed_interval"
        else:
            yield from _added(node.expression, "date" in families)
        yield from _late(of(node))
    elif (families == {"date", "whole"} and left.family == "date") or (
        families == {"date"} and isinstance(node, exp.Sub)
    ):
        yield from _late(of(node))
    else:
        yield from _arithmetic(node, of)


def _late(kind: Kind) -> Iterator[str]:
    """Yield a feature where a computed day may be of a year that not every system has."""
    first, last = EVERYWHERE
    known = kind.days is not None and first <= kind.days[0] and kind.days[1] <= last
    if kind.family in ("date", "timestamp") and not known:
        yield "day_of_any_year"


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
    kept = max(MOST_DIGITS - (digits - scale), min(scale, _KEPT_SCALE))
    if digits > MOST_DIGITS and scale > kept:
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


ARITHMETIC: Mapping[type[exp.Expr], Callable[[exp.Expr, Of], Iterator[str]]] = {
    **dict.fromkeys((exp.Add, exp.Sub), _sum_of_two),
    exp.Mul: _arithmetic,
    exp.Div: _quotient,
    exp.IntDiv: _whole_quotient,
    exp.Mod: _remainder,
    exp.Neg: _negated,
    exp.Interval: _interval,
}
