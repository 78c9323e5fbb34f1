"""Aggregates of all rows, made of those of their groups."""

from collections.abc import Sequence

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import Kind

_MOST_PLACES = 6
_MOST_DIGITS = 28
"""Up to here a sum times a power of ten loses no digit in Spark, which has 38 of them."""


def combined(aggregate: exp.Expr, partials: Sequence[exp.Expr], of: Of) -> exp.Expr:
    """Return an aggregate of all rows; `partials` are columns of `aggregation.partials_of` it.

    A sum of no counts is no count: it is 0, as COUNT of no rows is.
    """
    inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    first = partials[0]
    if isinstance(inner, exp.Min):
        return exp.Min(this=first)
    if isinstance(inner, exp.Max):
        return exp.Max(this=first)
    total = exp.Sum(this=first)
    if isinstance(inner, exp.Count):
        counted = exp.Coalesce(this=total, expressions=[exp.Literal.number(0)])
        return exp.cast(counted, exp.DataType.build("BIGINT"))
    if isinstance(inner, exp.Avg):
        return quotient(total, exp.Sum(this=partials[1]), of(inner.this))
    return total


def quotient(total: exp.Expr, number: exp.Expr, kind: Kind) -> exp.Expr:
    """Return the average of values of `kind` with an exact sum, rounded once, as DuckDB's is."""
    dividend, divisor = total, number
    if kind.family == "decimal" and 0 < kind.scale <= _MOST_PLACES and kind.digits <= _MOST_DIGITS:
        scale = exp.Literal.number(10**kind.scale)
        dividend = exp.Mul(this=dividend, expression=scale)
        divisor = exp.Mul(this=divisor, expression=scale.copy())
    none = exp.Nullif(this=divisor, expression=exp.Literal.number(0))
    divided = exp.Div(this=exp.cast(dividend, exp.DType.DOUBLE), expression=none, typed=True)
    return exp.paren(divided, copy=False)
