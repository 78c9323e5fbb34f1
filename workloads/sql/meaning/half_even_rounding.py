"""Rounding of numbers in floating point."""

from sqlglot import exp

_FLOATING = (exp.DType.DOUBLE, exp.DType.FLOAT)


def half_even_rounding(tree: exp.Query) -> exp.Query:
    """Round a DOUBLE that lies between two whole numbers to the even one: ``ROUND(2.5)`` is 2."""
    for rounded in list(tree.find_all(exp.Round)):
        if rounded.this.is_type(*_FLOATING) and rounded.args.get("decimals") is None:
            rounded.replace(exp.func("ROUND_EVEN", rounded.this, exp.Literal.number(0)))
    return tree
