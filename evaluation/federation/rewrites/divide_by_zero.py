"""Division by zero as DuckDB means it, where a store or the engine stops at it."""

from collections.abc import Callable

from sqlglot import exp

from workloads.sql.trees.copies import copied
from workloads.sql.typing.expression_kinds import Kinds, noted


def infinite_quotients(tree: exp.Query) -> exp.Query:
    """Give a quotient by zero DuckDB's value: an infinity, or no number for zero by zero.

    A DOUBLE may be a negative zero, whose quotients have the other sign. Columns know their types.
    """
    of = Kinds(noted)
    return _replaced(
        tree, lambda dividend, divisor: _times_infinity(dividend, divisor, of(divisor).family)
    )


def quotients_by_powers(tree: exp.Query) -> exp.Query:
    """Do the same by a power: Spark's ATAN2 takes a negative zero for a positive one.

    An infinity in the text Spark would push down as a column's name.
    """
    return _replaced(tree, _times_power)


def _replaced(tree: exp.Query, by_zero: Callable[[exp.Cast, exp.Expr], exp.Expr]) -> exp.Query:
    for division in list(tree.find_all(exp.Div)):
        dividend, divisor = division.left, division.right
        # Others than those of DOUBLE are of a dialect that has no infinities.
        if not isinstance(dividend, exp.Cast) or not dividend.is_type(exp.DType.DOUBLE):
            continue
        if _is_never_zero(divisor) or dividend.find(exp.Query):
            continue
        is_zero = exp.EQ(this=exp.paren(copied(divisor)), expression=exp.Literal.number(0))
        infinite = by_zero(dividend, divisor)
        division.replace(exp.Case().when(is_zero, infinite).else_(copied(division)))
    return tree


def _times_infinity(dividend: exp.Cast, divisor: exp.Expr, family: str) -> exp.Expr:
    infinity: exp.Expr = exp.cast(exp.Literal.string("Infinity"), exp.DType.DOUBLE)
    if family == "double":
        angle = exp.Atan2(this=_ZERO.copy(), expression=copied(divisor))
        is_negative = exp.GT(this=angle, expression=exp.Literal.number(1))
        other = exp.cast(exp.Literal.string("-Infinity"), exp.DType.DOUBLE)
        infinity = exp.Case().when(is_negative, other, copy=False).else_(infinity, copy=False)
    return exp.Mul(this=copied(dividend), expression=infinity)


def _times_power(dividend: exp.Cast, divisor: exp.Expr) -> exp.Expr:
    zero = exp.cast(exp.paren(copied(divisor)), exp.DType.DOUBLE)
    power = exp.Pow(this=zero, expression=exp.Literal.number(-1))
    return exp.Mul(this=copied(dividend), expression=power)


def null_remainders(tree: exp.Query) -> exp.Query:
    """Give whole quotients and remainders by zero DuckDB's value, NULL."""
    for node in list(tree.find_all(exp.IntDiv, exp.Mod)):
        divisor = node.expression
        if not _is_never_zero(divisor):
            node.set("expression", exp.Nullif(this=copied(divisor), expression=_ZERO.copy()))
    return tree


_ZERO = exp.Literal.number(0)


def _is_never_zero(divisor: exp.Expr) -> bool:
    """Whether the divisor is another number than zero, NULL instead of it, or not to be copied."""
    inner = divisor.unnest()
    if isinstance(inner, exp.Neg):
        inner = inner.this.unnest()
    if isinstance(inner, exp.Literal):
        return inner.is_number and float(inner.this) != 0
    return isinstance(inner, exp.Nullif) or inner.find(exp.Query) is not None
