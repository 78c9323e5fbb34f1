"""Divisors that may be zero."""

from collections.abc import Iterator

from sqlglot import exp

from workloads.sql.trees.predicates import conjuncts

_NOT_ZERO = (exp.GT, exp.LT, exp.NEQ)


def may_be_zero(division: exp.Expr) -> bool:
    """Whether a quotient's divisor may be zero where the quotient is computed.

    It is not if it is a number, a NULLIF or a CASE without zero, or where what surrounds it tests
    that it is not.
    """
    divisor = division.expression.unnest()
    if _is_never_zero(divisor):
        return False
    return not any(_tells(each, divisor) for each in _surroundings(division))


def _is_never_zero(divisor: exp.Expr) -> bool:
    if isinstance(divisor, exp.Neg):
        divisor = divisor.this.unnest()
    if isinstance(divisor, exp.Literal):
        return divisor.is_number and float(divisor.this) != 0
    if isinstance(divisor, exp.Cast) and not divisor.is_type(*exp.DataType.INTEGER_TYPES):
        # A whole number may be cut to zero.
        return _is_never_zero(divisor.this.unnest())
    return isinstance(divisor, exp.Nullif) and _is_zero(divisor.expression)


def _is_zero(node: exp.Expr) -> bool:
    inner = node.unnest()
    return isinstance(inner, exp.Literal) and inner.is_number and float(inner.this) == 0


def _surroundings(division: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions under which alone the quotient is computed."""
    below, above = division, division.parent
    while above is not None and not isinstance(above, exp.Query):
        if isinstance(above, exp.If) and below.arg_key == "true":
            yield from _conditions(above)
        elif isinstance(above, exp.Case) and below.arg_key == "default":
            yield from (exp.not_(each) for one in above.args["ifs"] for each in _conditions(one))
        below, above = above, above.parent
    if isinstance(above, exp.Select) and below.arg_key not in ("where", "from_", "joins"):
        where = above.args.get("where")
        yield from conjuncts(where.this if where else None)


def _conditions(branch: exp.If) -> Iterator[exp.Expr]:
    case = branch.parent
    if isinstance(case, exp.Case) and case.this is not None:
        yield exp.EQ(this=case.this.copy(), expression=branch.this.copy())
    else:
        yield from conjuncts(branch.this)


def _tells(condition: exp.Expr, divisor: exp.Expr) -> bool:
    """Whether `condition` can only hold where `divisor` is not zero."""
    node = condition.unnest()
    if isinstance(node, exp.Not):
        inner = node.this.unnest()
        return isinstance(inner, exp.EQ) and _is_with_zero(inner, divisor)
    return isinstance(node, _NOT_ZERO) and _is_with_zero(node, divisor)


def _is_with_zero(comparison: exp.Expr, divisor: exp.Expr) -> bool:
    sides = comparison.this.unnest(), comparison.expression.unnest()
    return any(one == divisor and _is_zero(other) for one, other in (sides, sides[::-1]))
