"""Quotients of whole numbers."""

from sqlglot import exp


def whole_quotients(tree: exp.Query) -> exp.Query:
    """Write the quotient of two whole numbers as a whole number, cut off: ``7 / 2`` is 3."""
    for quotient in list(tree.find_all(exp.Div)):
        sides = quotient.left, quotient.right
        # In PostgreSQL such sums, and parts of dates, are NUMERIC.
        if any(_is_numeric(side) for side in sides):
            quotient.set("typed", False)
            continue
        if all(side.is_type(*exp.DataType.INTEGER_TYPES) for side in sides):
            quotient.replace(exp.IntDiv(this=quotient.left, expression=quotient.right))
    return tree


def _is_numeric(side: exp.Expr) -> bool:
    sums = side.find_all(exp.Sum)
    return side.find(exp.Extract) is not None or any(
        each.this.is_type(exp.DType.BIGINT) for each in sums
    )
