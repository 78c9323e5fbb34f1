"""Divisions of exact numbers with more places than a DOUBLE has digits for."""

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.number_kinds import places
from workloads.sql.typing.expression_kinds import Kinds, noted
from workloads.sql.typing.value_kinds import MOST_DIGITS

_GROUP = 9
"""Digits are kept in groups of nine."""
_MORE = 4
"""The places that a quotient has more than its dividend (`div_precision_increment`)."""
_WHOLE = "whole"
_ROWS = 6
"""Digits by which a sum is taken to have more than what is summed."""


def kept_places(dividend: int, divisor: int) -> int:
    """Return the places with which a quotient of numbers of so many places is computed.

    MySQL's `do_div_mod`: whole groups of nine digits.
    """
    wide = [-(-each // _GROUP) * _GROUP for each in (dividend, divisor)]
    more = max(0, _MORE - (wide[0] - dividend) - (wide[1] - divisor))
    return -(-(sum(wide) + more) // _GROUP) * _GROUP


def divided(dividend: Expr, divisor: Expr, wanted: int) -> Expr | None:
    """Return the quotient of two exact numbers, cut off as MySQL does; None if it has no room.

    Both are made whole, which only takes integers of 128 bits: CAST(a * 10^i AS HUGEINT) // b.
    A few places more than are `wanted` round as all of them do. Where a column may have numbers
    of too many digits for that, those are divided as DOUBLE.
    """
    before, behind = places(dividend), places(divisor)
    if before is None or behind is None:
        return None
    kept = max(min(kept_places(before, behind), wanted + _MORE), before)
    taken = kept + behind
    if _WHOLE not in dividend.unnest().meta:
        taken = max(taken, 2 * before)
    largest = MOST_DIGITS - taken
    if largest <= 0:
        return None
    zero = exp.Literal.number(0)
    more = _power(kept + behind - before)
    above = _huge(exp.Mul(this=_whole(dividend, before), expression=more))
    below = _huge(exp.Nullif(this=_whole(divisor, behind), expression=zero))
    quotient = exp.IntDiv(this=above, expression=below)
    unit = exp.Literal.number(f"0.{'1':0>{kept}}")
    scaled = exp.Mul(this=exp.cast(quotient, f"DECIMAL({MOST_DIGITS}, 0)"), expression=unit)
    exact = exp.cast(scaled, f"DECIMAL({MOST_DIGITS}, {kept})")
    exact.meta[_WHOLE] = quotient
    if whole_digits(dividend) <= largest:
        return exact
    near = exp.LT(this=exp.Abs(this=dividend.copy()), expression=_power(largest))
    rough = exp.Div(this=exp.paren(dividend.copy()), expression=divisor.copy(), safe=True)
    found = exp.case().when(near, exact).else_(exp.cast(rough, exact.to))
    return exp.cast(found, exact.to)


def summed(average: exp.Avg, outer: Expr) -> tuple[Expr, Expr]:
    """Return the sum and the count of an average, within what is around it (OVER, FILTER)."""
    found: list[Expr] = []
    for kind in (exp.Sum, exp.Count):
        part: Expr = kind(this=average.this.copy())
        part.type = average.this.type if kind is exp.Sum else exp.DataType.build("BIGINT")
        if outer is average:
            found.append(part)
            continue
        around = outer.copy()
        inner = around.find(exp.Avg)
        if inner is not None:
            inner.replace(part)
        around.type = part.type
        found.append(around)
    return found[0], found[1]


def whole_digits(node: Expr) -> int:
    """Return the digits that an exact number has before its point at most."""
    return _digits(node) - (places(node) or 0)


def _digits(node: Expr) -> int:
    """Return the digits that an exact number has at most."""
    of = Kinds(noted)
    total = node.find(exp.Sum)
    if total is not None:
        return of(total.this).digits + _ROWS
    return of(node).digits or MOST_DIGITS


def _whole(node: Expr, count: int) -> Expr:
    """Return a number of so many places without its point."""
    quotient = node.unnest().meta.get(_WHOLE)
    if isinstance(quotient, Expr):
        return quotient.copy()
    if not count:
        return _huge(node.copy())
    wide = exp.cast(node.copy(), f"DECIMAL({MOST_DIGITS}, {count})")
    return _huge(exp.Mul(this=wide, expression=_power(count)))


def _power(count: int) -> Expr:
    return exp.Literal.number(str(10**count))


def _huge(node: Expr) -> Expr:
    return exp.cast(node, "HUGEINT", dialect="duckdb")
